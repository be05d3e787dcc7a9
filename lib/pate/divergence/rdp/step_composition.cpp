#include "pate/divergence/rdp/step_composition.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/numerics/log_gamma.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

constexpr double kLargeMu = 1e6;

// R(a) - R(a + mu); the Mills ratio R falls with slope -(1 - x R(x)).
double mills_difference(double a, double mu) {
  if (mu > 0.5) return mills_ratio(a) - mills_ratio(a + mu);
  return mu * boost::math::quadrature::gauss<double, 15>::integrate(
                  [a, mu](double share) {
                    const double x = a + share * mu;
                    return 1.0 - x * mills_ratio(x);
                  },
                  0.0, 1.0);
}

}  // namespace

double log_gaussian_dp_delta(double mu, double epsilon) {
  const double a = epsilon / mu - 0.5 * mu;
  if (a > -5.0) return log_normal_density(a) + std::log(mills_difference(a, mu));
  // Both terms near one and far from each other: e^epsilon Phi(-a - mu) = phi(a) R(a + mu).
  return std::log1p(-normal_cdf(a) -
                    std::exp(log_normal_density(a)) * mills_ratio(std::max(a + mu, -5.0)));
}

double gaussian_dp_epsilon(double mu, double delta) {
  validate_delta(delta);
  if (!(mu >= 0.0) || !std::isfinite(mu)) {
    throw parameter_error(fmt::format("mu must be >= 0 and finite, got {}", mu));
  }
  const double log_delta = std::log(delta);
  if (mu == 0.0) return 0.0;
  // delta(epsilon) <= Phi(-epsilon/mu + mu/2).
  const double high =
      mu * (normal_upper_quantile(log_delta) + 0.5 * mu) * (1.0 + 1e-12) + 1e-14 * mu;
  // There the other term is too small to move epsilon by 1e-10.
  if (mu > kLargeMu) return high * (1.0 + kEpsilonMargin);
  if (log_gaussian_dp_delta(mu, 0.0) <= log_delta) return 0.0;
  std::uintmax_t iterations = 200;
  const auto bracket = boost::math::tools::toms748_solve(
      [&](double epsilon) { return log_gaussian_dp_delta(mu, epsilon) - log_delta; }, 0.0, high,
      boost::math::tools::eps_tolerance<double>(48), iterations);
  return bracket.second * (1.0 + kEpsilonMargin) + 1e-15 * mu;
}

namespace {

// Twice what a product of two numbers that were rounded loses.
constexpr double kRounding = 5e-16;

// log(n!) less Stirling's (n + 1/2) log n - n + log(2 pi)/2, to 1e-14 for n >= 1.
long double stirling_rest(std::int64_t n) {
  const auto x = static_cast<long double>(n);
  if (n < 16) {
    const long double half_log_two_pi = 0.918938533204672741780329736405617640L;
    return log_gamma(x + 1) - ((x + 0.5L) * std::log(x) - x + half_log_two_pi);
  }
  const long double y = 1 / (x * x);
  return (1.0L / 12 - (1.0L / 360 - (1.0L / 1260 - y / 1680) * y) * y) / x;
}

// x log(x / mean) - (x - mean) >= 0, without the cancellation of large terms.
long double deviance(long double x, long double mean) {
  const long double r = (x - mean) / (x + mean);
  if (std::abs(r) > 0.1L) return x * std::log(x / mean) - (x - mean);
  // log(x / mean) = 2 artanh r, and x - mean = r (x + mean) = 2 x r - r (x - mean).
  long double sum = (x - mean) * r;
  long double power = 2 * x * r;
  for (int odd = 3; odd < 60; odd += 2) {
    power *= r * r;
    const long double next = sum + power / odd;
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

// Masses of the binomial number of steps whose outcome speaks against the votes, and the sums over
// its lower tail that the composition needs.
class LossTail {
 public:
  LossTail(double s, std::int64_t k) : s_(s), k_(k) {
    const long double odds = std::exp(-static_cast<long double>(s));
    log_for_ = -std::log1p(odds);
    log_against_ = log_for_ - static_cast<long double>(s);
    mean_for_ = static_cast<long double>(k) / (1 + odds);
    mean_against_ = mean_for_ * odds;
  }

  // Over i <= last, in units of e^log_unit: b = sum mass_i e^(-2 (last - i) s), the rest
  // c = sum mass_i (1 - e^(-2 (last - i) s)), and gap = sum mass_i (1 - e^(-2 (last + 1 - i) s)).
  // They are sums of their own, because where s is small b is nearly all of the mass.
  struct Sums {
    double log_unit, b, c, gap;
  };
  [[nodiscard]] Sums up_to(std::int64_t last) const {
    // Masses rise to the mode; B's terms rise at least as long.
    const auto mode = static_cast<std::int64_t>(static_cast<double>(k_) / (1.0 + std::exp(s_)));
    const std::int64_t peak = std::min(last, mode);
    const double odds = std::exp(-s_);  // of "against"
    Sums sums{static_cast<double>(log_mass(peak)), 0.0, 0.0, 0.0};
    const auto add = [&](std::int64_t i, double mass) {
      const double loss = -2.0 * static_cast<double>(last - i) * s_;
      sums.b += mass * std::exp(loss);
      sums.c += mass * -std::expm1(loss);
      sums.gap += mass * -std::expm1(loss - 2.0 * s_);
    };
    double mass = 1.0;
    for (std::int64_t i = peak; i >= 0 && mass > 1e-22; --i) {
      add(i, mass);
      mass *= static_cast<double>(i) / (static_cast<double>(k_ - i + 1) * odds);
    }
    mass = 1.0;
    for (std::int64_t i = peak + 1; i <= last && mass > 1e-22; ++i) {
      mass *= static_cast<double>(k_ - i + 1) * odds / static_cast<double>(i);
      add(i, mass);
    }
    return sums;
  }

  // delta at epsilon = (k - 2 i) s, the loss of i outcomes against the votes.
  [[nodiscard]] double delta_at_loss(std::int64_t i) const {
    const Sums sums = up_to(i - 1);
    return std::exp(sums.log_unit) * sums.gap;
  }

 private:
  // The saddle point form of the binomial mass (Loader, "Fast and Accurate Computation of Binomial
  // Probabilities"): factorials of large numbers would cancel.
  [[nodiscard]] long double log_mass(std::int64_t i) const {
    if (i == 0) return static_cast<long double>(k_) * log_for_;
    if (i == k_) return static_cast<long double>(k_) * log_against_;
    const auto k = static_cast<long double>(k_);
    const auto against = static_cast<long double>(i);
    const long double rest = stirling_rest(k_) - stirling_rest(i) - stirling_rest(k_ - i);
    return rest - deviance(against, mean_against_) - deviance(k - against, mean_for_) +
           0.5L * std::log(k / (2 * std::numbers::pi_v<long double> * against * (k - against)));
  }

  double s_;
  std::int64_t k_;
  long double log_against_, log_for_, mean_against_, mean_for_;
};

}  // namespace

double composed_pure_dp_epsilon(double step_epsilon, std::int64_t steps, double delta) {
  if (!(step_epsilon >= 0.0) || !std::isfinite(step_epsilon)) {
    throw parameter_error(
        fmt::format("step epsilon must be >= 0 and finite, got {}", step_epsilon));
  }
  if (steps < 0) throw parameter_error(fmt::format("steps must be >= 0, got {}", steps));
  if (!(delta >= 0.0 && delta < 1.0)) {
    throw parameter_error(fmt::format("delta must be >= 0 and < 1, got {}", delta));
  }
  const double simple = static_cast<double>(steps) * step_epsilon * (1.0 + kRounding);
  if (simple == 0.0 || delta == 0.0) return simple;
  if (steps > (std::int64_t{1} << 52)) return simple;  // more than doubles count
  const LossTail tail(step_epsilon, steps);
  // The losses (k - 2 i) s fall with i; find the first interval between losses that reaches delta.
  std::int64_t low = 0;                 // delta at this loss <= delta
  std::int64_t high = (steps + 1) / 2;  // losses from here on are <= 0
  while (low + 1 < high) {
    const std::int64_t middle = low + (high - low) / 2;
    (tail.delta_at_loss(middle) <= delta ? low : high) = middle;
  }
  // Between the losses of low + 1 and low: delta(epsilon) = b + c - e^(epsilon - loss of low) b.
  const LossTail::Sums sums = tail.up_to(low);
  const double change = (sums.c - std::exp(std::log(delta) - sums.log_unit)) / sums.b;
  if (change <= -1.0) return 0.0;
  if (!(change > -1.0)) return simple;
  const double epsilon = std::log1p(change) + static_cast<double>(steps - 2 * low) * step_epsilon;
  return std::clamp(epsilon * (1.0 + kEpsilonMargin) + 1e-14 * step_epsilon, 0.0, simple);
}

}  // namespace pate
