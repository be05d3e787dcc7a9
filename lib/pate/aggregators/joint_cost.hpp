#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/aggregators/answer_line.hpp"

namespace pate {

/// The cost of one query of the Confident or Interactive aggregator at one order, for every value
/// of the selection statistic v on a ladder.
///
/// `cost` sees the query as ONE mechanism with outcomes {refused, class 1..m}. With p_v =
/// Pr[answered | v] and e^((order-1) beta) the moments of the noisy maximum in either direction,
///
///     J(v, q) = 1/(order-1) log max over w in {v-1, v, v+1}, 0 <= w <= teachers, of
///         (1-p_v)^order (1-p_w)^(1-order) + p_v^order p_w^(1-order) e^((order-1) beta) (forward)
///         (1-p_w)^order (1-p_v)^(1-order) + p_w^order p_v^(1-order) e^((order-1) beta_rev)
///         (reverse)
///
/// A guarantee for the run, whatever the selection noise does; non-decreasing in q. Never
/// underestimates, rounded outwards; relative accuracy 1e-11.
/// Source: the trade-off theorem, README of `bounds`.
class JointCost {
 public:
  /// noisy_max_cap: data-independent cost of the noisy maximum at this order.
  JointCost(const AnswerLadder& ladder, double order, double noisy_max_cap);

  /// J for statistic v, given the log excess of the noisy maximum's moments in both directions
  /// (-inf where it costs nothing). v must be one the ladder was made for.
  [[nodiscard]] double cost(std::int64_t v, const BothDirections& log_excess) const;

  /// The same where the excesses themselves are at hand: excess = exp(log_excess).
  [[nodiscard]] double cost(std::int64_t v, const BothDirections& log_excess,
                            const BothDirections& excess) const;

  /// J with the maximum over w only, each direction apart.
  [[nodiscard]] BothDirections costs(std::int64_t v, const BothDirections& log_excess) const;

  /// The exact cost of the check alone at v: the larger direction of the divergence of the two
  /// answers' distributions, over the neighbours v-1 and v+1 within 0..teachers. At most
  /// order / (2 sigma1^2).
  [[nodiscard]] double selection_cost(std::int64_t v) const;

 private:
  template <class Line>
  struct AtStatistic {
    AnswerLines<Line> forward, reverse;
  };
  [[nodiscard]] std::size_t index(std::int64_t v) const {
    return static_cast<std::size_t>(v - first_);
  }

  std::int64_t first_;
  double order_;
  double selection_cap_;
  double cap_;
  std::vector<AtStatistic<AnswerLine<double>>> lines_;  // by v
  std::vector<AtStatistic<LogAnswerLine>> log_lines_;   // likewise
};

}  // namespace pate
