#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/mechanisms/union_bound.hpp"

namespace pate {

/// Between which values q can lie on a neighbour of votes on which it is q; as logarithms.
struct NeighbourQ {
  double log_lower = 0.0;  ///< B_L(q)
  double log_upper = 0.0;  ///< B_U(q)
};

/// Where the worst splits of the last q were, from which those of a q nearby are soon found. What
/// is found differs by rounding, inside the accuracy below; the same q in the same order, the same
/// bits.
struct NearbySplit {
  double log_q = 0.0, x = 0.0;
  double slope = 0.0;  ///< 0: nothing is known
};
struct NearbySplits {
  NearbySplit upper, lower;
};

/// The neighbour bounds of a noisy maximum for m = `classes` >= 2 classes. Both are non-decreasing
/// in q. Rounded outwards, by less than 1e-12 relative. Domain: log_q in (-inf, log(1 - 1/m)]; down
/// to q = e^-1e8.
///
/// Gaussian, tight: one vote that moves changes the gap of one class by two votes and those of the
/// m - 2 others by one,
///
///     B_U(q) = max over u + (m-2) w = 2q, 0 <= u, w <= 1, of
///              1/2 erfc(erfcinv(u) - 1/sigma) + (m-2)/2 erfc(erfcinv(w) - 1/(2 sigma)),
///
/// at most 1 - 1/m, and B_L(q) the minimum of the same with plus signs. The terms of B_U are
/// concave, those of B_L convex, so that equal shares w are the worst and the stationary point is
/// the optimum. Source: S18, Propositions 10-12, where all gaps move by two.
///
/// Laplace: B_U(q) = e^(2 gamma) q, at most 1 - 1/m, and B_L(q) = e^(-2 gamma) q. Source: every
/// term (2 + g) / (4 e^g) of q changes by at most a factor e^|change of g|. One Laplace noise: the
/// same with e^(1/b), of two classes.
[[nodiscard]] NeighbourQ neighbour_q(const NoisyMax& noisy_max, double log_q, std::int64_t classes,
                                     NearbySplits& nearby);
[[nodiscard]] NeighbourQ neighbour_q(const GaussianNoisyMax& noise, double log_q,
                                     std::int64_t classes, NearbySplits& nearby);
[[nodiscard]] NeighbourQ neighbour_q(const LaplaceNoisyMax& noise, double log_q,
                                     std::int64_t classes, NearbySplits& nearby);
[[nodiscard]] NeighbourQ neighbour_q(const OneLaplaceNoise& noise, double log_q,
                                     std::int64_t classes, NearbySplits& nearby);
/// A q by itself.
template <class Noise>
[[nodiscard]] NeighbourQ neighbour_q(const Noise& noise, double log_q, std::int64_t classes) {
  NearbySplits nearby;
  return neighbour_q(noise, log_q, classes, nearby);
}

/// The coordinate of q in which one vote is about the same step everywhere.
struct QCoordinate {
  double vote;     ///< that step
  bool is_normal;  ///< the normal quantile of q, else its logarithm

  [[nodiscard]] double of(double log_q) const;
  [[nodiscard]] double log_q(double at) const;
};
[[nodiscard]] QCoordinate q_coordinate(const NoisyMax& noisy_max);

/// Between which values q can lie on votes that differ from a histogram by d votes, d = 0, 1, ...
///
/// The largest q is had by moving votes from the largest to the second largest count, one at a time
/// (the terms of q are convex in the gaps); once those meet or cross, any q up to the cap 1 - 1/m
/// is. The smallest is had by moving votes from the second largest count, which may be another one
/// every time, to the largest, until all votes are in one class.
///
/// The bounds are moved outwards by a relative 1e-12 (d + 1), many times the error of a sum: the
/// range at distance d is inside that of every neighbour at distance d + 1 also where two ways to
/// the same histogram round differently.
class QBoundsByDistance {
 public:
  /// sorted: decreasing, at least two classes. The table must outlive this.
  QBoundsByDistance(const UnionBoundTable& table, std::span<const std::int32_t> sorted);

  /// Goes on from distance d to d + 1: with both ends, or with those alone that are wanted.
  void step() { step_low(), step_high(); }
  void step_low();
  void step_high();

  [[nodiscard]] double log_q_low() const { return low_; }
  [[nodiscard]] double log_q_high() const { return high_; }
  /// Whether the low end has stopped moving for good: all votes are in one class.
  [[nodiscard]] bool low_ended() const { return lowest_.level == 0; }

 private:
  struct Group {
    std::int64_t votes;
    double classes;
  };
  // A histogram on the way: `at_level` classes have `level` votes, `below` have one less, and
  // those of groups[next] and later what they had at first.
  struct End {
    std::vector<Group> groups;  // the classes behind the top, by votes, decreasing
    std::int64_t distance = 0;
    std::int64_t top = 0;
    std::int64_t level = 0;
    double at_level = 0.0;
    double below = 0.0;
    std::size_t next = 0;
  };
  void take_in_below();
  void update_low();
  void update_high();
  [[nodiscard]] static double slack(const End& end, double log_q);
  // log q. Classes that are too far behind to change the 15th digit are left out.
  [[nodiscard]] double log_sum(const End& end) const;
  template <class Term>
  [[nodiscard]] double sum_of(const End& end, const Term& term) const;

  const UnionBoundTable* table_;
  double cap_;
  double classes_behind_;
  End lowest_, highest_;
  bool high_capped_ = false;
  double low_ = 0.0, high_ = 0.0;
};

}  // namespace pate
