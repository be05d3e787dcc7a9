#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pate {

/// The law of the number of ones among independent votes, vote i being 1 with probability
/// ones[i]: Pr[L = l], l = 0 .. ones.size(). Every number in doubles has an absolute error below
/// 4 n 2^-53; in long doubles as many times less. Source: the convolution of the two-point laws.
template <class Real>
[[nodiscard]] std::vector<Real> ones_distribution(std::span<const Real> ones) {
  std::vector<Real> law{Real(1)};
  for (const Real& p : ones) {
    law.push_back(Real(0));
    for (std::size_t l = law.size() - 1; l > 0; --l) {
      law[l] = law[l] * (Real(1) - p) + law[l - 1] * p;
    }
    law[0] = law[0] * (Real(1) - p);
  }
  return law;
}

/// Binomial(n, p): Pr[L = l], l = 0 .. n. Throws `parameter_error` unless n >= 0 and
/// 0 <= p <= 1.
[[nodiscard]] std::vector<double> binomial_law(std::int64_t n, double p);

/// The smallest number of ones that is a majority of K votes: floor(K / 2) + 1.
[[nodiscard]] constexpr std::int64_t least_majority(std::int64_t teachers) {
  return teachers / 2 + 1;
}

/// How many values a noise function of K votes has: those at least_majority .. K. That at K - l is
/// the one at l, and at a tie it is 0.
[[nodiscard]] constexpr std::size_t majority_sizes(std::int64_t teachers) {
  return static_cast<std::size_t>(teachers - teachers / 2);
}

/// The value of a noise function at l ones, with the sign of the majority: h(l), so that
/// Pr[1 | l] = (1 + h(l)) / 2.
[[nodiscard]] double signed_value(std::span<const double> gamma, std::int64_t teachers,
                                  std::int64_t ones);

}  // namespace pate
