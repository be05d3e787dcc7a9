#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "pate/tuning/tune.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

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

/// Queries of three classes, about which the teachers agree more or less, the first class before
/// all.
inline pate_test::HistogramVotes some_votes(pate_test::Random& random, std::int64_t queries,
                                            std::int32_t teachers = 20) {
  std::vector<pate_test::Histogram> all;
  for (std::int64_t i = 0; i < queries; ++i) {
    const auto top = static_cast<std::int32_t>(random.integer(teachers / 3 + 1, teachers));
    const auto second = static_cast<std::int32_t>(random.integer(0, teachers - top));
    all.push_back({top, second, teachers - top - second});
  }
  return pate_test::HistogramVotes(std::move(all));
}

}  // namespace pate::test
