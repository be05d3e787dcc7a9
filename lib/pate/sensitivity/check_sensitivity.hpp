#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pate/mechanisms/threshold_check.hpp"
#include "pate/sensitivity/q_grid.hpp"

namespace pate {

/// By how much a cost can rise and fall between votes and their neighbours.
struct CheckStep {
  double up = 0.0;
  double down = 0.0;

  [[nodiscard]] double larger() const { return std::max(up, down); }
};

/// The threshold check of a query, its exact forward cost c_v = max over w = v - 1, v + 1 of
/// D(check at v || check at w), and by how much it changes with v: a walk over the integers, hence
/// exact up to the error of computed costs, which is added.
class CheckSensitivity {
 public:
  CheckSensitivity(const ThresholdCheck& check, std::int64_t teachers, double order);

  /// c_v, rounded outwards.
  [[nodiscard]] double cost(std::int64_t v) const { return costs_[static_cast<std::size_t>(v)]; }
  /// The largest changes between v' and its neighbours over |v' - v| <= d, for every d of `steps`.
  void around(std::int64_t v, std::vector<CheckStep>& steps) const;

 private:
  std::vector<double> costs_;
  std::vector<CheckStep> steps_;  // at v
};

/// The same for the noisy maximum alone, by cell of q.
struct NoisyMaxSensitivity {
  NoisyMaxSensitivity(const QGrid& grid, double order, double log_cap);

  std::vector<double> up, down;
};

}  // namespace pate
