#include "pate/divergence/rdp/conversion.hpp"

#include <cmath>

#include "pate/base/require.hpp"
#include "pate/divergence/rdp/optimal_conversion.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

void validate_delta(double delta) {
  require(delta > 0.0 && delta < 1.0, "delta must be > 0 and < 1, got {}", delta);
}

double conversion_term(Conversion conversion, double order, double delta) {
  validate_delta(delta);
  require(conversion != Conversion::optimal,
          "the optimal conversion adds no term to an RDP, so that none can be told");
  const double log_delta = std::log(delta);
  if (conversion == Conversion::classic) {
    return -log_delta / (order - 1.0) * (1.0 + kConversionRounding);
  }
  const double share = std::log1p(-1.0 / order);
  const double log_order = std::log(order);
  const double tail = -(log_delta + log_order) / (order - 1.0);
  const double magnitude = -share + (log_order - log_delta) / (order - 1.0);
  return share + tail + kConversionRounding * magnitude;
}

double epsilon_from_rdp(Conversion conversion, double rdp, double order, double delta) {
  if (conversion == Conversion::optimal) return optimal_epsilon(rdp, order, delta);
  const double term = conversion_term(conversion, order, delta);
  return rdp + term + kConversionRounding * (rdp + std::abs(term));
}

}  // namespace pate
