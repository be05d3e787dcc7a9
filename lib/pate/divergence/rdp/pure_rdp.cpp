#include "pate/divergence/rdp/pure_rdp.hpp"

#include <cmath>

#include "pate/numerics/margin.hpp"

namespace pate {

double pure_rdp(double epsilon, double order) {
  const double half = 0.5 * epsilon;
  const double at = (2.0 * order - 1.0) * half;
  // The excess of the moment is 2 sinh(a epsilon / 2) sinh((a - 1) epsilon / 2) / cosh(epsilon /
  // 2).
  const double log_moment =
      at < 30.0 ? std::log1p(2.0 * std::sinh(order * half) * std::sinh((order - 1.0) * half) /
                             std::cosh(half))
                : at + std::log1p(std::exp(-2.0 * at)) - half - std::log1p(std::exp(-epsilon));
  const double rdp = with_margin(log_moment / (order - 1.0));
  return rdp < epsilon ? rdp : epsilon;
}

}  // namespace pate
