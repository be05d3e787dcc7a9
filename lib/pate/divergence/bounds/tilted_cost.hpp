#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/bounds/tilted_moment.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/mechanisms/threshold_check.hpp"

namespace pate {

/// The tilted bound of one query: J(n), the largest over all neighbours n' of
///
///     GNMax      log G / (order-1)
///     Confident  1/(order-1) log( (1-p_v)^order (1-p_w)^(1-order) + p_v^order p_w^(1-order) G )
///
/// with v the top count of n, w that of n', and the second and third class as cells: exact with up
/// to three classes. Forward, D_order(M(n) || M(n')); rounded outwards; at most the
/// data-independent cost. Between the exact cost and the joint trade-off bound. `counts` holds the
/// votes of each class in any order. Throws `parameter_error` unless they sum to the number of
/// teachers.
///
/// Where S > 1 votes may move (`moved`), n' are the votes after S of them moved from one class with
/// votes to one other, whether it has as many or not, and w is both the least and the largest that
/// the top count may be then: of a neighbour whose votes move in any other way the exact moment is
/// at most the largest of these (README.md of this folder, "Several votes that move").
class TiltedCost {
 public:
  /// `cells`: how many classes behind the top one are cells, at most `TiltedMoment::kMostCells`.
  TiltedCost(const GaussianNoisyMax& noise, const std::optional<ThresholdCheck>& check,
             std::int64_t teachers, std::int64_t classes, double order, unsigned threads = 1,
             std::size_t cells = TiltedMoment::kMostCells, std::int64_t moved = 1);

  [[nodiscard]] double cost(std::span<const std::int32_t> counts) const;

  /// Of an excess of the noisy maximum for a move from top count v to v + rise, -S <= rise <= S.
  /// Where w is not known but is at most v, a smaller w than the true one can only add.
  [[nodiscard]] double joint_excess(std::int64_t v, int rise, double excess) const;
  /// Between what the top count rises by where S > 1 votes move from one class to another:
  /// `by_top`, what the top class does, where the class that gets them is then `ahead` of v, or
  /// behind.
  struct Rise {
    int least = 0, most = 0;
  };
  [[nodiscard]] static Rise rise(std::int64_t by_top, std::int64_t ahead) {
    return {static_cast<int>(by_top), static_cast<int>(std::max(by_top, ahead))};
  }
  [[nodiscard]] double cost_of(double joint_excess, double margin = kCostMargin) const;
  /// The same as a line: selection + answered * excess.
  struct Line {
    double selection = 0.0;
    double answered = 1.0;
  };
  [[nodiscard]] Line line(std::int64_t v, int rise) const;
  [[nodiscard]] double order() const { return order_; }
  [[nodiscard]] double cap() const { return cap_; }
  [[nodiscard]] const TiltedMoment& moment() const { return moment_; }
  [[nodiscard]] std::int64_t teachers() const { return teachers_; }
  [[nodiscard]] std::int64_t classes() const { return classes_; }
  [[nodiscard]] std::size_t cells() const { return cells_; }
  /// S, how many votes move.
  [[nodiscard]] std::int64_t moved() const { return moved_; }

 private:
  std::int64_t teachers_;
  std::int64_t classes_;
  double order_;
  std::size_t cells_;
  std::int64_t moved_;
  double cap_;
  TiltedMoment moment_;
  std::vector<Line> lines_;  // by v, then by rise; empty without a check
};

}  // namespace pate
