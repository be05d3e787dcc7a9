#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/accounting/step_counts.hpp"
#include "pate/composition/part.hpp"

namespace pate {

/// What several parts cost together.
struct Composition {
  std::optional<std::int64_t> teachers, classes;  ///< none without votes, or where they differ
  std::int64_t queries = 0;
  double delta = 0.0;                       ///< of the conversion and of what was released
  std::optional<double> conversion_delta;   ///< none where nothing but releases is added up
  std::optional<double> answered_expected;  ///< none where a part does not know
  double answered_sd = 0.0;
  std::optional<std::int64_t> answered_realized;

  std::vector<CostEntry> costs;
  std::size_t headline = 0;  ///< index in costs
  StepCounts steps;
  std::optional<Released> released;  ///< the sum
  std::vector<double> orders;
  std::map<Bound, RdpCurves> curves;
  std::optional<ExactCurves> exact;
  /// The headline after each part, in their order.
  std::vector<TrajectoryPoint> trajectory;
  std::vector<Notice> notices;
};

}  // namespace pate
