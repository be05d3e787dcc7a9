#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/mechanisms/neighbours.hpp"
#include "pate/numerics/bernoulli_pair.hpp"

namespace pate {

/// The noisy threshold check of the Confident and Interactive aggregators: a query is answered when
/// its selection statistic v (the top count, or the top lead over the student), an integer in
/// 0..teachers, plus N(0, sigma1^2) noise reaches the threshold. One vote moves v by at most 1.
struct ThresholdCheck {
  double threshold = 0.0;  ///< T, in votes; may exceed the number of teachers
  double sigma1 = 0.0;     ///< standard deviation of the noise, in votes
  bool laplace = false;    ///< Laplace noise of scale sigma1 instead; stability tests only
  /// Laplace noise of the threshold itself, half of sigma1, which is drawn anew after a refusal
  /// only; the sparse form of stability tests, else 0.
  double threshold_scale = 0.0;
  /// Whose costs are asked for: v moves by at most as many votes as they have teachers. What is
  /// answered does not depend on it.
  Neighbours neighbours = {};

  /// The noise that costs for one vote what this one costs for the neighbours: sigma1 / S.
  [[nodiscard]] double sigma1_per_move() const {
    return sigma1 / static_cast<double>(neighbours.teachers);
  }

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const ThresholdCheck&, const ThresholdCheck&) = default;
};

/// No threshold is further from zero: beyond 2^53 a double cannot tell votes apart.
inline constexpr double kMaxThreshold = 9e15;

/// Throws `parameter_error` unless the threshold is within +-kMaxThreshold and sigma1 in the
/// range of noise.
void validate(const ThresholdCheck& check);

/// log Pr[answered | v] = log( erfc((T - v) / (sqrt 2 sigma1)) / 2 ); with Laplace noise
/// log( e^-(T - v)/sigma1 / 2 ) for v <= T and log( 1 - e^-(v - T)/sigma1 / 2 ) above; with a noisy
/// threshold just drawn, x = |T - v|/sigma1, log( (4 e^-x - e^-2x) / 6 ) and likewise. Relative
/// accuracy 1e-14.
[[nodiscard]] double log_answered(const ThresholdCheck& check, std::int64_t v);

/// log Pr[refused | v].
[[nodiscard]] double log_refused(const ThresholdCheck& check, std::int64_t v);

/// log q of the check: the probability of the less likely answer. Source: W19, Algorithm 2.
[[nodiscard]] double log_q(const ThresholdCheck& check, std::int64_t v);

/// The answer at v compared with that at a neighbour's v'. Source: the design of the joint cost.
[[nodiscard]] LogBernoulliPair answer_pair(const ThresholdCheck& check, std::int64_t v,
                                           std::int64_t v_neighbour);

/// The answers of a threshold check at consecutive values of the selection statistic and the
/// comparison of each value with the furthest of its neighbours: all that does not depend on the
/// order, computed once. What lies between a value and the furthest costs less than one of the two
/// (`JointCost`).
class AnswerTable {
 public:
  /// Covers lowest..highest and their neighbours within 0..teachers, or above where teachers are
  /// added. Domain: 0 <= lowest <= highest <= teachers.
  AnswerTable(const ThresholdCheck& check, std::int64_t lowest, std::int64_t highest,
              std::int64_t teachers);
  /// Covers first..last and none beside; also of statistics less a threshold, which may be < 0.
  AnswerTable(const ThresholdCheck& check, std::int64_t first, std::int64_t last);

  [[nodiscard]] const ThresholdCheck& check() const { return check_; }
  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t last() const {
    return first_ + static_cast<std::int64_t>(log_answered_.size()) - 1;
  }
  [[nodiscard]] double log_answered(std::int64_t v) const { return log_answered_[index(v)]; }
  [[nodiscard]] double log_refused(std::int64_t v) const { return log_refused_[index(v)]; }
  /// How far a neighbour's statistic may be: S votes.
  [[nodiscard]] std::int64_t reach() const { return check_.neighbours.teachers; }
  /// The answer at max(v, first()) compared with that at min(v + S, last());
  /// first() - S < v < last().
  [[nodiscard]] const LogBernoulliPair& step(std::int64_t v) const {
    return steps_[static_cast<std::size_t>(v - first_ + reach() - 1)];
  }

 private:
  [[nodiscard]] std::size_t index(std::int64_t v) const {
    return static_cast<std::size_t>(v - first_);
  }

  ThresholdCheck check_;
  std::int64_t first_;
  std::vector<double> log_answered_, log_refused_;
  std::vector<LogBernoulliPair> steps_;
};

}  // namespace pate
