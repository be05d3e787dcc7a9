#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pate/mechanisms/union_bound.hpp"

namespace pate {

/// Between which values q can lie on votes that differ from a histogram by d votes, d = 0, 1, ...
///
/// The largest q is had by moving votes from the largest to the second largest count, one at a time
/// (the terms of q are convex in the gaps); once those meet or cross, any q up to the cap 1 - 1/m
/// is. The smallest is had by moving votes from the second largest count, which may be another one
/// every time, to the largest, until all votes are in one class.
///
/// The bounds are moved outwards by a relative 1e-12 (d + 1), many times the rounding of a sum: the
/// range at distance d is inside that of every neighbour at distance d + 1 also where two ways to
/// the same histogram round differently.
class QWalk {
 public:
  /// sorted: decreasing, at least two classes. The table must outlive this.
  QWalk(const UnionBoundTable& table, std::span<const std::int32_t> sorted);

  /// Goes on from distance d to d + 1.
  void step();

  [[nodiscard]] double log_q_low() const { return low_; }
  [[nodiscard]] double log_q_high() const { return high_; }
  /// Whether the low (high) end has stopped moving for good.
  [[nodiscard]] bool low_ended() const { return level_ == 0; }
  [[nodiscard]] bool high_ended() const { return high_capped_; }

 private:
  struct Group {
    std::int64_t votes;
    double classes;
  };
  void update_low();
  void update_high();
  // log of the sum over `terms_` of classes e^term(gap), at most the cap; gaps must increase.
  [[nodiscard]] double log_sum() const;

  const UnionBoundTable* table_;
  double cap_;
  double low_ = 0.0, high_ = 0.0;
  std::int64_t distance_ = 0;

  std::int64_t top_;
  std::int64_t second_;
  std::vector<Group> others_;  // the classes behind the second, by votes, decreasing
  bool high_capped_ = false;

  // Lowest q: `at_level_` classes have level_ votes, `below_` have one less; the others that have
  // fewer are rest_[next_..].
  std::vector<Group> rest_;
  std::size_t next_ = 0;
  std::int64_t low_top_;
  std::int64_t level_;
  double at_level_;
  double below_ = 0.0;

  std::vector<std::pair<std::int64_t, double>> terms_;  // gap, number of classes
};

}  // namespace pate
