#include "pate/divergence/pld/loss_distribution.hpp"

#include <algorithm>
#include <cmath>

#include "pate/base/require.hpp"

namespace pate {

namespace {

// Outward: more than what rounding does to sums of all masses, here and where they are added again.
constexpr double kMassMargin = 1e-10;

}  // namespace

double LossDistribution::delta(double epsilon) const {
  double result = 0.0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const double loss = static_cast<double>(first + static_cast<std::int64_t>(i)) * step;
    if (loss > epsilon) result -= masses[i] * std::expm1(epsilon - loss);
  }
  return result + infinity_mass;
}

LossDistribution loss_distribution(const PessimisticProfile& profile, double apart) {
  require(apart >= 0.0 && apart < 1.0, "what is added to every delta must be in [0, 1)");
  LossDistribution result;
  const double width = profile.greatest_epsilon() - profile.least_epsilon();
  result.step = profile.grid_step();
  while (width / result.step + 3.0 > static_cast<double>(kMostMasses)) result.step *= 2.0;
  // One node beyond the last: what is left there is what the profile has forgotten, and not a share
  // of its last chord, as losses are rounded outwards.
  const auto last =
      static_cast<std::int64_t>(std::ceil(profile.greatest_epsilon() / result.step)) + 1;
  result.first = static_cast<std::int64_t>(std::floor(profile.least_epsilon() / result.step));
  const auto wanted = [&](std::int64_t k) {
    const double delta = profile.delta(static_cast<double>(k) * result.step) + apart;
    return std::min(delta * (1.0 + kMassMargin), 1.0);
  };
  result.masses.assign(static_cast<std::size_t>(last - result.first + 1), 0.0);
  result.infinity_mass = wanted(last);
  // At a node: the divergence, and the masses above it as they are under the other distribution,
  // times e^epsilon there.
  double divergence = result.infinity_mass;
  double weighed = 0.0;
  double total = result.infinity_mass;
  const double part = -std::expm1(-result.step);
  const double shrinking = std::exp(-result.step);
  for (std::int64_t k = last; k > result.first; --k) {
    const double mass = std::max((wanted(k - 1) - divergence) / part - weighed, 0.0);
    result.masses[static_cast<std::size_t>(k - result.first)] = mass;
    total += mass;
    divergence += part * (weighed + mass);
    weighed = shrinking * (weighed + mass);
  }
  result.masses.front() = std::max(1.0 - total, 0.0);
  return result;
}

}  // namespace pate
