#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "pate/reports/seal.hpp"

namespace pate::test {

/// A report that was edited, with the seal of what it says now.
inline std::string resealed(nlohmann::json report) {
  report.erase("seal");
  return reports::sealed(report.dump(1) + '\n');
}

}  // namespace pate::test
