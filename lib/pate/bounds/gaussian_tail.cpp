#include "pate/bounds/gaussian_tail.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "pate/math/log_space.hpp"
#include "pate/math/normal.hpp"

namespace pate {

namespace {

// Mills ratios further left than this are taken as distribution functions instead.
constexpr double kLeftEdge = -5.0;
// The closed form is a difference; where it keeps less than this share of its terms, integrate.
constexpr double kCancellation = 3e-5;
// e^-42 of the integrand is below rounding.
constexpr double kNegligibleExponent = 42.0;
constexpr double kLargestExponent = 600.0;
// Nothing of a standard normal distribution is further out.
constexpr double kLargestDeviation = 10.0;

// The integral by quadrature, for small m: the integrand is phi times a smooth function.
double log_excess_by_quadrature(double x, double m, double order) {
  const double from = std::max(x, -kLargestDeviation);
  const double root = std::sqrt(from * from + 2.0 * kNegligibleExponent);
  const double width = from > 0.0 ? 2.0 * kNegligibleExponent / (from + root) : root - from;
  const auto integrand = [=](double y) {
    return std::exp(-y * (from + 0.5 * y)) * power_excess(m * (from + y) - 0.5 * m * m, order);
  };
  double sum = 0.0;
  constexpr int kPanels = 3;
  for (int i = 0; i < kPanels; ++i) {
    sum += boost::math::quadrature::gauss<double, 30>::integrate(integrand, width * i / kPanels,
                                                                 width * (i + 1) / kPanels);
  }
  return log_normal_density(from) + std::log(sum);
}

}  // namespace

double log_gaussian_tail_excess(double x, double m, double order) {
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
    if (exponent > kLargestExponent) return log_scale + exponent + std::log(mills_ratio(at_order));
    moment = std::exp(exponent) * mills_ratio(at_order);
    numerator = std::exp(log_ratio - unit) * mills_ratio(x - m);
    base = std::exp(-unit) * mills_ratio(x);
  } else {
    const double log_moment = 0.5 * order * (order - 1.0) * m * m + log_normal_cdf(-at_order);
    if (log_moment > kLargestExponent) return log_moment;
    moment = std::exp(log_moment);
    numerator = normal_cdf(m - x);
    base = normal_cdf(-x);
  }
  const double excess = (moment - base) - order * (numerator - base);
  if (!(excess > kCancellation * (moment + base + order * (numerator + base)))) {
    return log_excess_by_quadrature(x, m, order);
  }
  return log_scale + std::log(excess);
}

}  // namespace pate
