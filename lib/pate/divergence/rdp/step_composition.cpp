#include "pate/divergence/rdp/step_composition.hpp"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/numerics/bisect.hpp"
#include "pate/numerics/extended.hpp"
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
  require_cost(mu, "mu");
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
Extended stirling_rest(std::int64_t n) {
  using std::log;
  const Extended x(n);
  if (n < 16) {
    return log_gamma(x + 1) -
           ((x + Extended(0.5)) * log(x) - x + boost::math::constants::log_root_two_pi<Extended>());
  }
  const Extended y = 1 / (x * x);
  const Extended one(1);
  return (one / 12 - (one / 360 - (one / 1260 - y / 1680) * y) * y) / x;
}

// x log(x / mean) - (x - mean) >= 0, without the cancellation of large terms.
Extended deviance(const Extended& x, const Extended& mean) {
  using std::abs, std::log;
  const Extended r = (x - mean) / (x + mean);
  if (abs(r) > Extended(0.1)) return x * log(Extended(x / mean)) - (x - mean);
  // log(x / mean) = 2 artanh r, and x - mean = r (x + mean) = 2 x r - r (x - mean).
  Extended sum = (x - mean) * r;
  Extended power = 2 * x * r;
  for (int odd = 3; odd < 60; odd += 2) {
    power *= r * r;
    const Extended next = sum + power / odd;
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
    using std::exp, std::log1p;
    const Extended odds = exp(Extended(-s));
    log_for_ = -log1p(odds);
    log_against_ = log_for_ - Extended(s);
    mean_for_ = Extended(k) / (1 + odds);
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
  [[nodiscard]] Extended log_mass(std::int64_t i) const {
    using std::log;
    const Extended k(k_);
    if (i == 0) return k * log_for_;
    if (i == k_) return k * log_against_;
    const Extended against(i);
    const Extended rest = stirling_rest(k_) - stirling_rest(i) - stirling_rest(k_ - i);
    return rest - deviance(against, mean_against_) - deviance(k - against, mean_for_) +
           Extended(0.5) * log(Extended(k / (2 * boost::math::constants::pi<Extended>() * against *
                                             (k - against))));
  }

  double s_;
  std::int64_t k_;
  Extended log_against_, log_for_, mean_against_, mean_for_;
};

}  // namespace

double composed_pure_dp_epsilon(double step_epsilon, std::int64_t steps, double delta) {
  require_cost(step_epsilon, "step epsilon");
  require(steps >= 0, "steps must be >= 0, got {}", steps);
  require(delta >= 0.0 && delta < 1.0, "delta must be >= 0 and < 1, got {}", delta);
  const double simple = static_cast<double>(steps) * step_epsilon * (1.0 + kRounding);
  if (simple == 0.0 || delta == 0.0) return simple;
  if (steps > (std::int64_t{1} << 52)) return simple;  // more than doubles count
  const LossTail tail(step_epsilon, steps);
  // The losses (k - 2 i) s fall with i; find the first interval between losses that reaches delta.
  const std::int64_t low =
      bisect(std::int64_t{0}, (steps + 1) / 2,  // losses from there on are <= 0
             [&](std::int64_t i) { return tail.delta_at_loss(i) <= delta; });
  // Between the losses of low + 1 and low: delta(epsilon) = b + c - e^(epsilon - loss of low) b.
  const LossTail::Sums sums = tail.up_to(low);
  const double change = (sums.c - std::exp(std::log(delta) - sums.log_unit)) / sums.b;
  if (change <= -1.0) return 0.0;
  if (!(change > -1.0)) return simple;
  const double epsilon = std::log1p(change) + static_cast<double>(steps - 2 * low) * step_epsilon;
  return std::clamp(epsilon * (1.0 + kEpsilonMargin) + 1e-14 * step_epsilon, 0.0, simple);
}

}  // namespace pate
