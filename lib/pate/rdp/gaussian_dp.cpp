#include "pate/rdp/gaussian_dp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>

#include "pate/error.hpp"
#include "pate/math/margin.hpp"
#include "pate/math/normal.hpp"
#include "pate/rdp/conversion.hpp"

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

}  // namespace pate
