#include "pate/divergence/exact/sampled_counts.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

#include "pate/base/require.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

using std::exp;
using std::sqrt;

// Points below no votes, and beyond where all but one class have fallen behind, in sigmas.
constexpr double kEnds = 10.0;
// Standard deviations per point at least, and at most so many points.
constexpr double kPointsPerSigma = 8.0;
constexpr double kMostPoints = 2e5;

Extended normal_below(const Extended& x) {
  static const Extended root_two = sqrt(Extended(2));
  return boost::math::erfc(Extended(-x / root_two)) / 2;
}

}  // namespace

Extended whole_power(Extended base, std::int32_t exponent) {
  Extended result(1);
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

std::vector<Extended> binomial_masses(std::int32_t n, double rate) {
  std::vector<Extended> result(static_cast<std::size_t>(n) + 1);
  const Extended odds = Extended(rate) / (Extended(1) - Extended(rate));
  const auto mode =
      static_cast<std::size_t>(std::min(std::floor((n + 1.0) * rate), static_cast<double>(n)));
  result[mode] = 1;
  Extended sum(1);
  for (std::size_t b = mode; b + 1 < result.size(); ++b) {
    result[b + 1] = result[b] * (Extended(n) - Extended(b)) / Extended(b + 1) * odds;
    sum += result[b + 1];
  }
  for (std::size_t b = mode; b > 0; --b) {
    result[b - 1] = result[b] * Extended(b) / ((Extended(n) - Extended(b - 1)) * odds);
    sum += result[b - 1];
  }
  for (Extended& mass : result) mass /= sum;
  return result;
}

Extended SampledCheck::passes(std::int64_t m) const {
  return normal_below(at(m));
}

Extended SampledCheck::rise(std::int64_t m) const {
  const Extended a = at(m);
  const Extended b = at(m + 1);
  return a > 0 ? Extended(normal_below(-a) - normal_below(-b))
               : Extended(normal_below(b) - normal_below(a));
}

Extended SampledCheck::fails(std::int64_t m) const {
  return normal_below(-at(m));
}

Extended SampledCheck::at(std::int64_t m) const {
  return (Extended(m) - Extended(threshold_)) / Extended(sigma_);
}

PointSpan span_of_points(double sigma, std::int64_t top, double classes) {
  const double per_sigma = std::max(kPointsPerSigma, std::ceil(std::sqrt(2.0 * classes)));
  const double votes = static_cast<double>(top) + 1.0;
  // Beyond the first, all other classes are below with probability 1/2 at least.
  const double rest = normal_upper_quantile(std::log(0.5 / classes)) + 1.0;
  const double range = votes + (2.0 * kEnds + rest) * sigma + 2.0;
  const double per_vote = std::max(1.0, std::ceil(per_sigma / sigma));
  require((range + votes) * per_vote < kMostPoints,
          "exact costs of samples look at the noise from too many points where sigma2 is {} and a "
          "class may have {} votes: what any votes cost is known",
          sigma, top);
  return {range, static_cast<std::int64_t>(per_vote)};
}

NoisePoints::NoisePoints(double sigma, std::int32_t top, const PointSpan& span)
    : per_vote_(span.per_vote),
      size_(static_cast<std::size_t>(static_cast<std::int64_t>(std::ceil(span.range)) * per_vote_)),
      shift_(static_cast<std::size_t>((top + 1) * per_vote_)) {
  const auto below = static_cast<std::int64_t>(std::ceil(kEnds * sigma));
  const Extended step = Extended(1) / Extended(per_vote_) / Extended(sigma);
  static const Extended root = sqrt(2 * boost::math::constants::pi<Extended>());
  for (std::size_t i = 0; i < size_ + shift_; ++i) {
    const Extended steps(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(shift_) -
                         below * per_vote_);
    const Extended x = steps / Extended(per_vote_) / Extended(sigma);
    below_.push_back(normal_below(x));
    density_.push_back(exp(-x * x / 2) / root * step);
  }
}

void NoisePoints::add(std::int64_t b, SampledCount& to) const {
  if (b >= static_cast<std::int64_t>(to.mass.size())) return;
  const Extended mass = to.mass[static_cast<std::size_t>(b)];
  to.at_most += mass;
  const std::size_t first = shift_ - static_cast<std::size_t>(b * per_vote_);
  for (std::size_t i = 0; i < size_; ++i) {
    to.below[i] += mass * below_[first + i];
    to.density[i] += mass * density_[first + i];
  }
}

}  // namespace pate
