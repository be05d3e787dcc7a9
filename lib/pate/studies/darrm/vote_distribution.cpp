#include "pate/studies/darrm/vote_distribution.hpp"

#include "pate/base/require.hpp"

namespace pate {

std::vector<double> binomial_law(std::int64_t n, double p) {
  require(n >= 0, "the number of votes must be >= 0, got {}", n);
  require(p >= 0.0 && p <= 1.0, "a probability must be in [0, 1], got {}", p);
  return ones_distribution<double>(std::vector<double>(static_cast<std::size_t>(n), p));
}

double signed_value(std::span<const double> gamma, std::int64_t teachers, std::int64_t ones) {
  const std::int64_t mid = least_majority(teachers);
  if (ones >= mid) return gamma[static_cast<std::size_t>(ones - mid)];
  const std::int64_t zeros = teachers - ones;
  return zeros >= mid ? -gamma[static_cast<std::size_t>(zeros - mid)] : 0.0;
}

}  // namespace pate
