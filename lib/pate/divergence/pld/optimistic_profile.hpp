#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/divergence/pld/distribution_pair.hpp"

namespace pate {

/// A privacy profile from below: delta(epsilon) of a list of queries against one fixed neighbour.
///
/// Histories of outcomes are merged into cells by their loss, both masses added up: merging is
/// post-processing, so that every delta is at most the true one, wherever rounding puts a history.
class OptimisticProfile {
 public:
  /// Cells of `step` from `lowest` <= 0 to `highest` >= 0; losses beyond are merged at the ends.
  /// Cells at the ends that hold less than 1e-20 of `least_delta` are dropped: downwards, too.
  /// Of fewer steps than these is its range.
  static constexpr double kMostSteps = 1e8;
  OptimisticProfile(double step, double lowest, double highest, double least_delta = 0.0);

  /// Appends a query, `times` of it. An empty table: nothing happens.
  void append(const DistributionPair& table, std::int64_t times = 1);

  /// delta at epsilon >= 0. Never above.
  [[nodiscard]] double delta(double epsilon) const;
  /// An epsilon >= 0 below which delta is not reached.
  [[nodiscard]] double epsilon(double delta) const;

 private:
  void step(const DistributionPair& table);
  [[nodiscard]] double shift(const DistributionPair& table) const;

  double step_;
  double highest_;
  double forgotten_;
  std::int64_t first_;
  double shifted_ = 0.0;       // by how many steps a cell is above its histories
  std::ptrdiff_t size_ = 0;    // cells
  std::vector<double> p_, q_;  // masses of the cells, zeros on either side
  // Room for a step.
  std::vector<double> after_p_, after_q_, weights_p_, weights_q_;
  std::vector<std::int32_t> offsets_;
  std::ptrdiff_t begin_ = 0, end_ = 0;  // cells that are not empty
  double infinity_mass_ = 0.0;          // of outcomes that the neighbour never has
  std::int64_t queries_ = 0;
};

}  // namespace pate
