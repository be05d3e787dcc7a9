#pragma once

#include <compare>
#include <cstdint>

#include "pate/numerics/bernoulli_pair.hpp"

namespace pate {

/// The noisy threshold check of the Confident and Interactive aggregators: a query is answered when
/// its selection statistic v (the top count, or the top lead over the student), an integer in
/// 0..teachers, plus N(0, sigma1^2) noise reaches the threshold. One vote moves v by at most 1.
struct ThresholdCheck {
  double threshold = 0.0;  ///< T, in votes; may exceed the number of teachers
  double sigma1 = 0.0;     ///< standard deviation of the noise, in votes

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const ThresholdCheck&, const ThresholdCheck&) = default;
};

/// No threshold is further from zero.
inline constexpr double kMaxThreshold = 1e15;

/// Throws `parameter_error` unless the threshold is within +-kMaxThreshold.
void require_threshold(double threshold);

/// The same, and unless sigma1 is in the range of noise.
void validate(const ThresholdCheck& check);

/// log Pr[answered | v] = log( erfc((T - v) / (sqrt 2 sigma1)) / 2 ). Relative accuracy 1e-14.
[[nodiscard]] double log_answered(const ThresholdCheck& check, std::int64_t v);

/// log Pr[refused | v].
[[nodiscard]] double log_refused(const ThresholdCheck& check, std::int64_t v);

/// log q of the check: the probability of the less likely answer. Source: W19, Algorithm 2.
[[nodiscard]] double log_q(const ThresholdCheck& check, std::int64_t v);

/// The answer at v compared with that at a neighbour's v'. Source: the design of the joint cost.
[[nodiscard]] LogBernoulliPair answer_pair(const ThresholdCheck& check, std::int64_t v,
                                           std::int64_t v_neighbour);

}  // namespace pate
