#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/divergence/bounds/cost.hpp"
#include "pate/mechanisms/answer_table.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

/// A query with a selection and one of its neighbours, in one direction: where the moment of the
/// noisy maximum has the excess x, that of the query has  selection + answered * x.
template <class Real>
struct AffineExcess {
  using Number = Real;
  static constexpr int kLeast = 0;  ///< the smallest excess

  Real selection = 0;
  Real answered = 1;

  [[nodiscard]] Real at(Real x) const { return selection + answered * x; }
};

/// The same with logarithms for all numbers.
struct LogAnswerLine {
  using Number = double;
  static constexpr double kLeast = -kInfinity;

  double selection = kLeast;
  double answered = 0.0;

  [[nodiscard]] double at(double log_x) const;

  template <class Real>
  [[nodiscard]] AffineExcess<Real> in() const {
    using std::exp;
    return {exp(static_cast<Real>(selection)), exp(static_cast<Real>(answered))};
  }
  /// As doubles. A line that they do not hold is infinite everywhere: logarithms must decide.
  [[nodiscard]] AffineExcess<double> in_doubles() const {
    const auto line = in<double>();
    if (line.selection < kMaxLinearExcess && line.answered < kMaxLinearExcess) return line;
    return {kInfinity, 0.0};
  }
};

/// The line of a check that is seen as `pair` from the votes and the neighbour.
[[nodiscard]] LogAnswerLine log_answer_line(const LogBernoulliPair& pair, double order);

/// The lines of one statistic v, one for each neighbour's w = v, v - S, v + S: of the three the
/// largest counts.
template <class Line>
class AnswerLines {
 public:
  using Number = typename Line::Number;

  void add(const Line& line) { lines_[count_++] = line; }

  /// The number of the line that is largest at x, the first of equal ones.
  [[nodiscard]] std::size_t largest(Number x) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < count_; ++i) {
      if (!(lines_[i].at(x) <= lines_[best].at(x))) best = i;
    }
    return best;
  }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] const Line& line(std::size_t i) const { return lines_[i]; }

  /// The largest at x; NaN where any is.
  [[nodiscard]] Number at(Number x) const {
    Number result = Line::kLeast;
    for (std::size_t i = 0; i < count_; ++i) result = max_or_nan(result, lines_[i].at(x));
    return result;
  }

 private:
  std::array<Line, 3> lines_{};
  std::size_t count_ = 0;
};

/// Values of the selection statistic among those of a ladder, which may be far more: of a million
/// teachers a run meets some thousands.
class StatisticPlaces {
 public:
  /// statistics: rising, each on the ladder.
  StatisticPlaces(const AnswerTable& ladder, std::vector<std::int64_t> statistics);

  [[nodiscard]] const std::vector<std::int64_t>& statistics() const { return statistics_; }
  /// Which one of them v is; v must be one.
  [[nodiscard]] std::size_t place(std::int64_t v) const {
    return static_cast<std::size_t>(places_[static_cast<std::size_t>(v - first_)]);
  }

 private:
  std::int64_t first_;
  std::vector<std::int64_t> statistics_;
  std::vector<std::int32_t> places_;  // by v - first_
};

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
/// For neighbours with S teachers w = v - S and v + S are taken, within 0..teachers (above, where
/// teachers are added): every term is convex in p_w, so that all w between are at most one of them.
///
/// A guarantee for the run, whatever the selection noise does; non-decreasing in q. Never
/// underestimates, rounded outwards; relative accuracy 1e-11.
/// Source: the trade-off theorem, README of `bounds`.
class JointCost {
 public:
  /// noisy_max_cap: data-independent cost of the noisy maximum at this order. only: the values of v
  /// that will be asked for, which must outlive this; default: all of the ladder.
  JointCost(const AnswerTable& ladder, double order, double noisy_max_cap,
            const StatisticPlaces* only = nullptr);

  /// J for statistic v, given the log excess of the noisy maximum's moments in both directions
  /// (-inf where it costs nothing). v must be one the ladder was made for.
  [[nodiscard]] double cost(std::int64_t v, const BothDirections& log_excess) const;

  /// The same where the excesses themselves are at hand: excess = exp(log_excess).
  [[nodiscard]] double cost(std::int64_t v, const BothDirections& log_excess,
                            const BothDirections& excess) const;

  /// The same for many at once: costs[k] at nodes[k].
  struct Node {
    BothDirections log_excess, excess;
  };
  void cost(std::int64_t v, std::span<const Node> nodes, double* costs) const;

  /// J with the maximum over w only, each direction apart.
  [[nodiscard]] BothDirections costs(std::int64_t v, const BothDirections& log_excess) const;

  /// The exact cost of the check alone at v: the larger direction of the divergence of the two
  /// answers' distributions, over the neighbours v-S to v+S within 0..teachers. At most
  /// `threshold_data_independent`.
  [[nodiscard]] double selection_cost(std::int64_t v) const;

 private:
  template <class Line>
  struct AtStatistic {
    AnswerLines<Line> forward, reverse;
  };
  [[nodiscard]] std::size_t index(std::int64_t v) const {
    return only_ == nullptr ? static_cast<std::size_t>(v - first_) : only_->place(v);
  }

  std::int64_t first_;
  const StatisticPlaces* only_;
  double order_;
  double selection_cap_;
  double cap_;
  std::vector<AtStatistic<AffineExcess<double>>> lines_;  // by index(v)
  std::vector<AtStatistic<LogAnswerLine>> log_lines_;     // likewise
};

}  // namespace pate
