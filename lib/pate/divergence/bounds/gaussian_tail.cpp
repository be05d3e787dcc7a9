#include "pate/divergence/bounds/gaussian_tail.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "pate/numerics/infinity.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// Mills ratios further left than this are taken as distribution functions instead.
constexpr double kLeftEdge = -5.0;
// The closed form is a difference; where it keeps less than this share of its terms, integrate.
constexpr double kCancellation = 3e-5;
// e^-42 of the integrand is below rounding.
constexpr double kNegligibleExponent = 42.0;
constexpr double kMaxExponent = 600.0;
// Nothing of a standard normal distribution is further out.
constexpr double kMaxDeviation = 10.0;
// With means further apart than this the two densities are no longer one hump, and near order 1 the
// parts of the excess add up without cancellation.
constexpr double kMinBimodalMu = 1.5;
constexpr double kNearOrderOne = 0.25;  // of (order-1) m^2

double first_deviation(double x) {
  return std::max(x, -kMaxDeviation);
}

// Integral_x^inf of phi(y) f(y), f smooth, in units of phi(first_deviation(x)).
template <class Function>
double integral_from(double x, const Function& f) {
  const double from = first_deviation(x);
  const double root = std::sqrt(from * from + 2.0 * kNegligibleExponent);
  const double width = from > 0.0 ? 2.0 * kNegligibleExponent / (from + root) : root - from;
  const auto integrand = [&](double y) { return std::exp(-y * (from + 0.5 * y)) * f(from + y); };
  double sum = 0.0;
  constexpr int kPanels = 3;
  for (int i = 0; i < kPanels; ++i) {
    sum += boost::math::quadrature::gauss<double, 30>::integrate(integrand, width * i / kPanels,
                                                                 width * (i + 1) / kPanels);
  }
  return sum;
}

// The integral by quadrature, for small m: the integrand is phi times a smooth function.
double log_excess_by_quadrature(double x, double m, double order) {
  const double sum =
      integral_from(x, [=](double y) { return power_excess(m * y - 0.5 * m * m, order); });
  return log_normal_density(first_deviation(x)) + std::log(sum);
}

}  // namespace

double log_gaussian_tail_excess(double x, double m, double order) {
  // Noise so far below a vote that no double tells where the tail begins: what it adds is not
  // known.
  if (!std::isfinite(x)) return x > 0.0 ? -kInfinity : kInfinity;
  const double at_order = x - order * m;
  const double log_ratio = m * (x - 0.5 * m);
  double log_scale = 0.0;
  double moment = 0.0;     // of P^order P'^(1-order)
  double numerator = 0.0;  // of P
  double base = 0.0;       // of P'
  if (std::min({x, x - m, at_order}) >= kLeftEdge) {
    // In units of phi(x), every integral is a Mills ratio times a power of the ratio at x. Where
    // the ratio is large, it goes into the unit.
    const double unit = std::max(log_ratio, 0.0);
    const double exponent = order * log_ratio - unit;
    log_scale = log_normal_density(x) + unit;
    if (exponent > kMaxExponent) return log_scale + exponent + std::log(mills_ratio(at_order));
    moment = std::exp(exponent) * mills_ratio(at_order);
    numerator = std::exp(log_ratio - unit) * mills_ratio(x - m);
    base = std::exp(-unit) * mills_ratio(x);
  } else {
    const double log_moment = 0.5 * order * (order - 1.0) * m * m + log_normal_cdf(-at_order);
    if (log_moment > kMaxExponent) return log_moment;
    moment = std::exp(log_moment);
    numerator = normal_cdf(m - x);
    base = normal_cdf(-x);
  }
  const double r = order - 1.0;
  const double excess = (moment - base) - order * (numerator - base);
  const bool cancels = !(excess > kCancellation * (moment + base + order * (numerator + base)));
  if (std::abs(m) < kMinBimodalMu) {
    if (cancels) return log_excess_by_quadrature(x, m, order);
  } else if (cancels || r * m * m < kNearOrderOne) {
    // With l the log ratio,
    //     g = e^l (e^(r l) - 1 - r l) + r (1 - e^l + l e^l),
    // of which the second part has a closed form; the first, much smaller, is smooth under P.
    const double w = x - m;
    const double density = std::exp(log_normal_density(w) - log_scale);
    const double curvature = numerator * (0.5 * m * m - 1.0) + m * density + base;
    const double rest =
        integral_from(w, [=](double z) { return expm1_minus_x(r * m * (z + 0.5 * m)); });
    const double density_from = std::exp(log_normal_density(first_deviation(w)) - log_scale);
    return log_scale + std::log(r * curvature + density_from * rest);
  }
  return log_scale + std::log(excess);
}

}  // namespace pate
