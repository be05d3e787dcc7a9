#pragma once

#include "pate/tuning/tune.hpp"

namespace pate::test {

/// For the most answers that are the plurality, at delta 1e-5, on one thread.
inline TuneSettings agreeing_settings() {
  TuneSettings settings;
  settings.grid.kind.delta = 1e-5;
  settings.grid.kind.conversion = Conversion::optimal;
  settings.grid.kind.as_headline = true;
  settings.grid.threads = 1;
  settings.goal.objective = Objective::agreeing;
  return settings;
}

}  // namespace pate::test
