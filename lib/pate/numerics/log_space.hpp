#pragma once

#include <cmath>
#include <limits>

namespace pate {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The larger of two numbers, NaN if either is: for maxima over costs, where std::max may pass over
/// a NaN and report too little.
template <class Real>
[[nodiscard]] Real max_or_nan(Real a, Real b) {
  return a > b || std::isnan(a) ? a : b;
}

// Probabilities travel as natural logarithms; -inf is probability zero. Divergences travel as the
// excess of a Renyi moment over one, written as sums of terms that are never negative, so that a
// cost of 1e-130 keeps its digits.

/// log(1 - e^x) for x <= 0; -inf at x = 0. Relative accuracy 2e-16 at both ends.
[[nodiscard]] double log1mexp(double x);

/// log(e^x - 1) for x > 0; x itself where e^-x is below rounding.
[[nodiscard]] double log_expm1(double x);

/// log(e^a + e^b); either may be -inf.
[[nodiscard]] double log_add(double a, double b);

/// e^z - 1 - z >= 0, without the cancellation near z = 0. Overflows to +inf like e^z.
[[nodiscard]] double expm1_minus_x(double z);

/// The excess of a power: g = ratio^order - 1 - order (ratio - 1) with ratio = e^log_ratio.
/// It is >= 0 (Bernoulli's inequality) and, for distributions P and P',
///
///     sum_x P(x)^order P'(x)^(1-order) - 1 = sum_x P'(x) g(log(P(x)/P'(x)))
///
/// because the linear terms cancel. Domain: order > 1, log_ratio in [-inf, inf].
/// Relative accuracy about 1e-15, also near order 1. Overflows to +inf.
[[nodiscard]] double power_excess(double log_ratio, double order);

/// log of `power_excess`, finite where that overflows or underflows; -inf at log_ratio = 0.
[[nodiscard]] double log_power_excess(double log_ratio, double order);

/// log(1 + e^x), the logarithm of a moment from the logarithm of its excess.
[[nodiscard]] double log1pexp(double x);

/// Two probabilities that are compared, each with its complement, and their ratios, all as
/// logarithms: the answer of a threshold check on the votes (p) and on a neighbour (p').
struct LogBernoulliPair {
  double log_p;
  double log_not_p;
  double log_p_neighbour;
  double log_not_p_neighbour;
  double log_ratio;      ///< log(p / p'), computed without cancellation
  double log_not_ratio;  ///< log((1-p) / (1-p'))
};

/// log of the excess  p^order p'^(1-order) + (1-p)^order (1-p')^(1-order) - 1  of the divergence
/// of Bernoulli(p) from Bernoulli(p'); -inf where they are equal. Relative accuracy 1e-13.
[[nodiscard]] double log_bernoulli_excess(const LogBernoulliPair& pair, double order);

/// The same pair seen in the other direction.
[[nodiscard]] LogBernoulliPair reversed(const LogBernoulliPair& pair);

}  // namespace pate
