#include "pate/studies/immutable_argmax/constant_added.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>

#include "pate/base/require.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

constexpr double kMaxConstant = 1e100;

double scale_of(const NoisyMax& noise) {
  return noise.parameter();
}

// log Pr[one noise exceeds another by x scales], x >= 0.
double log_pair_exceeds(const NoisyMax& noise, double x) {
  if (noise.is_gaussian()) return log_normal_cdf(-x / std::numbers::sqrt2);
  return std::log((2.0 + x) / 4.0) - x;
}

template <class Function>
double integral(const Function& function, double from, double to) {
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(function, from, to, 15,
                                                                       1e-12);
}

// 1 - (1 - u)^n.
double any_of(double u, double n) {
  return -std::expm1(n * std::log1p(-u));
}

// log Pr[the largest of n Laplace noises exceeds another one by x], over e^-x in three parts: the
// other one below -x, between -x and 0, above.
double log_laplace_failure(double n, double x) {
  constexpr double kStraight = 60.0;  // beyond, 1 - (1 - u)^n = n u to the last digit
  const double below = integral(
      [&](double t) { return std::exp(-t) / 2.0 * (1.0 - std::pow(std::exp(-t) / 2.0, n)); }, 0.0,
      kStraight);
  const double kink = std::min(x, kStraight);
  const double between =
      integral([&](double t) { return std::exp(t) / 2.0 * any_of(std::exp(-t) / 2.0, n); }, 0.0,
               kink) +
      n / 4.0 * (x - kink);
  const double above =
      x > kStraight
          ? n / 8.0
          : integral(
                [&](double t) { return std::exp(x - t) / 2.0 * any_of(std::exp(-x - t) / 2.0, n); },
                0.0, kStraight);
  return std::log(below + between + above) - x;
}

double log_gaussian_failure(double n, double x) {
  // Beyond, two noises ahead at once are less likely by more than digits.
  if (x > 25.0) return std::log(n) + log_normal_cdf(-x / std::numbers::sqrt2);
  return std::log(integral(
      [&](double z) { return std::exp(log_normal_density(z)) * any_of(normal_cdf(-z - x), n); },
      -38.0, 38.0));
}

double log_tail_at_tie(const NoisyMax& noise, double n, double c) {
  return std::log(n) + log_pair_exceeds(noise, c / scale_of(noise));
}

}  // namespace

void validate(const ImmutableArgmax& mechanism) {
  validate(mechanism.noise);
  require(mechanism.constant >= 0.0 && mechanism.constant <= kMaxConstant,
          "the constant must be >= 0 and <= {:g}, got {}", kMaxConstant, mechanism.constant);
  require(scale_of(mechanism.noise) / (1.0 + mechanism.constant) >= 2.0 * kMinNoise,
          "the constant must be at most {:g} times the noise, got {} and {}", 0.5 / kMinNoise,
          mechanism.constant, scale_of(mechanism.noise));
}

double authors_constant(const NoisyMax& noise, std::int64_t classes, double tau) {
  const auto all = static_cast<double>(classes);
  return noise.is_gaussian() ? scale_of(noise) * std::sqrt(2.0 * std::log(2.0 * all / tau))
                             : scale_of(noise) * std::log(all / tau);
}

double sufficient_constant(const NoisyMax& noise, std::int64_t classes, double tau) {
  const double n = static_cast<double>(classes) - 1.0;
  const auto enough = [&](double x) {
    return std::log(n) + log_pair_exceeds(noise, x) <= std::log(tau);
  };
  if (enough(0.0)) return 0.0;
  double low = 0.0;
  double high = 1.0;
  while (!enough(high)) high *= 2.0;
  while (high - low > 1e-15 * high) {
    const double middle = (low + high) / 2.0;
    if (!(middle > low && middle < high)) break;
    (enough(middle) ? high : low) = middle;
  }
  return high * (1.0 + 1e-14) * scale_of(noise);
}

double log_failure_at_tie(const ImmutableArgmax& mechanism, std::int64_t classes) {
  const double n = static_cast<double>(classes) - 1.0;
  const double x = mechanism.constant / scale_of(mechanism.noise);
  const double exact =
      mechanism.noise.is_gaussian() ? log_gaussian_failure(n, x) : log_laplace_failure(n, x);
  return std::min({exact, log_tail_at_tie(mechanism.noise, n, mechanism.constant), 0.0});
}

double log_overtakes(const ImmutableArgmax& mechanism, std::int64_t gap) {
  return log_pair_exceeds(
      mechanism.noise, (mechanism.constant + static_cast<double>(gap)) / scale_of(mechanism.noise));
}

double BoundaryLoss::delta_at(double epsilon) const {
  return std::max(-std::expm1(log_q) - std::exp(epsilon + log_q), 0.0);
}

BoundaryLoss boundary_loss(const ImmutableArgmax& mechanism) {
  BoundaryLoss result;
  result.log_q = log_overtakes(mechanism, 1);
  result.loss = log1mexp(result.log_q) - result.log_q;
  return result;
}

std::optional<double> authors_epsilon(const ImmutableArgmax& mechanism, std::int64_t queries,
                                      double delta) {
  if (mechanism.noise.is_gaussian()) return std::nullopt;
  const double gamma = 1.0 / scale_of(mechanism.noise);
  const auto t = static_cast<double>(queries);
  return 4.0 * t * gamma * gamma + 2.0 * gamma * std::sqrt(-2.0 * t * std::log(delta));
}

NoisyMax noise_per_vote(const ImmutableArgmax& mechanism) {
  return mechanism.noise.visit([&](auto noise) {
    const double least = noise.parameter() / (1.0 + mechanism.constant) * (1.0 - 1e-15);
    const double parameter = mechanism.constant == 0.0 ? noise.parameter() : least;
    return noise_of(mechanism.noise.noise.index(), parameter);
  });
}

double smooth_sensitivity(double constant, double beta, std::int64_t votes_to_flip) {
  return std::max(1.0,
                  (1.0 + constant) * std::exp(-beta * (static_cast<double>(votes_to_flip) - 1.0)));
}

double largest_beta(double epsilon2, std::int64_t classes, double delta) {
  const auto all = static_cast<double>(classes);
  const auto fits = [&](double beta) {
    const double tail = (epsilon2 + all * beta) / std::expm1(beta);
    return boost::math::gamma_q(all, tail) <= delta * (1.0 - 1e-10);
  };
  double high = epsilon2 / all;
  if (fits(high)) return high * (1.0 - 1e-15);
  double low = 0.0;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2.0;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace pate
