#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "pate/bounds/cost.hpp"
#include "pate/math/log_space.hpp"
#include "pate/mechanisms/threshold_check.hpp"

namespace pate {

/// A query with a selection and one of its neighbours, in one direction: where the moment of the
/// noisy maximum has the excess x, that of the query has  selection + answered * x.
template <class Real>
struct AnswerLine {
  using Number = Real;
  static constexpr Real kLeast = 0;  ///< the smallest excess

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

  [[nodiscard]] double at(double log_x) const { return log_add(selection, answered + log_x); }

  template <class Real>
  [[nodiscard]] AnswerLine<Real> in() const {
    return {std::exp(static_cast<Real>(selection)), std::exp(static_cast<Real>(answered))};
  }
  /// As doubles. A line that they do not hold is infinite everywhere: logarithms must decide.
  [[nodiscard]] AnswerLine<double> in_doubles() const {
    const auto line = in<double>();
    if (line.selection < kHugeExcess && line.answered < kHugeExcess) return line;
    return {kInfinity, 0.0};
  }
};

/// The line of a check that is seen as `pair` from the votes and the neighbour.
[[nodiscard]] inline LogAnswerLine log_answer_line(const LogBernoulliPair& pair, double order) {
  return {log_bernoulli_excess(pair, order), pair.log_p_neighbour + order * pair.log_ratio};
}

/// The lines of one statistic v, one for each neighbour's w = v, v - 1, v + 1: of the three the
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
      if (lines_[i].at(x) > lines_[best].at(x)) best = i;
    }
    return best;
  }
  [[nodiscard]] const Line& line(std::size_t i) const { return lines_[i]; }

  /// The largest at x.
  [[nodiscard]] Number at(Number x) const {
    Number result = Line::kLeast;
    for (std::size_t i = 0; i < count_; ++i) result = std::max(result, lines_[i].at(x));
    return result;
  }

 private:
  std::array<Line, 3> lines_{};
  std::size_t count_ = 0;
};

}  // namespace pate
