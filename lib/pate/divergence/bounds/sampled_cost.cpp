#include "pate/divergence/bounds/sampled_cost.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "pate/divergence/bounds/cost.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// Points are this far apart, in standard deviations and in 1/mu.
constexpr double kApart = 0.4;
constexpr double kApartInMu = 0.2;
// Ends of the integral: what is beyond is below order e^-kEnds, which is added.
constexpr double kEnds = 80.0;
// More points than this take too long: the cost without sampling is told.
constexpr double kMostPoints = 2e6;
// Below, the first terms of a series are all of (1+u)^order - 1 - order u.
constexpr double kSmall = 1e-3;
// Below, e^x - 1 - x of (order - 1) log(1+u) is told apart from what it is added to.
constexpr double kLowOrder = 2.0;

// log((1+u)^order - 1 - order u) for u = rate (e^z - 1) > -1.
double log_second_order(double rate, double z, double order) {
  const double u = rate * std::expm1(z);
  if (std::abs(u) * std::max(order, 1.0) < kSmall) {
    const double third = (order - 2.0) * u / 3.0;
    const double fourth = third * (order - 3.0) * u / 4.0;
    const double fifth = fourth * (order - 4.0) * u / 5.0;
    const double factor = 0.5 * order * (order - 1.0) * (1.0 + third + fourth + fifth);
    return std::log(factor) + 2.0 * std::log(std::abs(u));
  }
  // log1p loses nothing where e^z is no double.
  const double log_one_plus_u = z > 500.0 ? z + std::log(rate) : std::log1p(std::max(u, -1.0));
  const double log_power = order * log_one_plus_u;
  if (log_power > 600.0) return log_power;  // the rest is nothing beside it
  if (order < kLowOrder) {
    // Of order - 1, with which both terms vanish, as a factor nothing is lost.
    const double y = (order - 1.0) * log_one_plus_u;
    const double entropy = (1.0 + u) * log_one_plus_u - u;
    return std::log((order - 1.0) * entropy + (1.0 + u) * expm1_minus_x(y));
  }
  return std::log(std::expm1(log_power) - order * u);
}

}  // namespace

double sampled_cost(const SampledGaussian& sampled, double order) {
  const double mu = sampled.mu();
  const double cap = with_margin(0.5 * order * mu * mu);
  const double log_rate = std::log(sampled.rate);
  const double apart = std::min(kApart, kApartInMu / mu);
  // On the right as far out as what is left is little even of rate^order of a Gaussian.
  const double lowest = -std::sqrt(2.0 * kEnds) - 2.0 * mu;
  const double highest = order * mu + std::sqrt(2.0 * (kEnds - order * log_rate)) + 2.0 * mu;
  const double points = (highest - lowest) / apart;
  if (!(points <= kMostPoints)) return cap;
  double largest = -kInfinity;
  double sum = 0.0;  // in units of e^largest
  for (std::int64_t k = 0; k <= static_cast<std::int64_t>(points); ++k) {
    const double x = lowest + static_cast<double>(k) * apart;
    const double log_term =
        log_normal_density(x) + log_second_order(sampled.rate, mu * (x - 0.5 * mu), order);
    if (std::isnan(log_term)) return cap;
    if (log_term == -kInfinity) continue;
    if (log_term > largest) {
      sum = sum * std::exp(largest - log_term) + 1.0;
      largest = log_term;
    } else {
      sum += std::exp(log_term - largest);
    }
  }
  const double log_excess = log_add(largest + std::log(sum * apart), std::log(order) - kEnds);
  return std::min(cost_of_log_excess(log_excess, order, cap), cap);
}

}  // namespace pate
