#include "pate/release/release_cost.hpp"

#include <cmath>
#include <limits>

#include "pate/bounds/margin.hpp"

namespace pate {

double largest_beta(double order) {
  return -0.5 * std::log1p(-1.0 / order);
}

double release_cost(double order, double beta, double sigma, double k) {
  const double less = (order - 1.0) * std::expm1(2.0 * beta);  // 1 - v
  if (!(less < 1.0)) return std::numeric_limits<double>::infinity();
  const double shift = 1.0 / sigma + k * std::expm1(beta);
  const double mean = 0.5 * order * shift * shift / (1.0 - less);
  const double variance = -0.5 * std::log1p(-less) / (order - 1.0) - beta;
  return with_margin(mean + variance);
}

}  // namespace pate
