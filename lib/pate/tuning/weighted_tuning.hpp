#pragma once

#include <cstdint>

#include "pate/accounting/group_costs.hpp"
#include "pate/tuning/tune.hpp"

namespace pate {

/// Tunes a run whose votes count by the weights of their teachers, for the heaviest teacher and so
/// for everybody: what `account_weighted` says of the whole run.
///
/// Counts are whole numbers of the weights' unit, and in units a vote of the heaviest is as many
/// votes that move. So the tuning is that of weighted counts for neighbours with so many votes
/// moved, of parameters divided by the unit; what is told is in votes of weight 1 again.
///
/// Accuracy: the epsilon of the best point and of the front is that of `account_weighted` to 1e-9,
/// relative, as that of `tune` is the one of `account`. Parameters that are looked for off the grid
/// are round in units.
class WeightedTuning {
 public:
  /// All must outlive this. Throws `parameter_error` for votes that are not predictions, a student,
  /// and what `WeightedVotes` throws.
  WeightedTuning(const TuningVotes& votes, const TeacherWeights& weights);

  /// `search_grid` of the weighted votes, in votes of weight 1.
  [[nodiscard]] TuningGrid search_grid(unsigned threads) const;

  /// As `tune`, of a grid in votes of weight 1. Throws `parameter_error` for PTR, one noise, other
  /// neighbours than one teacher that votes otherwise, the published bound, a threshold and more
  /// than kMaxThresholdUnits units, shards and releases; and what `tune` throws.
  [[nodiscard]] Tuning run(const TuningGrid& grid, const TuneSettings& settings,
                           const Watcher& watcher) const;

 private:
  double unit_;
  std::int64_t heaviest_;
  WeightedVotes counted_;
  TuningVotes votes_;
};

/// Teachers of a weight as a group whose name is that weight, "0.5", by weight.
[[nodiscard]] TeacherGroups groups_by_weight(const TeacherWeights& weights);

}  // namespace pate
