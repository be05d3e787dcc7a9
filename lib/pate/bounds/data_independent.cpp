#include "pate/bounds/data_independent.hpp"

#include <cmath>

#include "pate/bounds/margin.hpp"
#include "pate/math/log_space.hpp"

namespace pate {

double gaussian_noisy_max_data_independent(double sigma, double order) {
  return with_margin(order / sigma / sigma);
}

double threshold_data_independent(double sigma1, double order) {
  return with_margin(0.5 * order / sigma1 / sigma1);
}

double laplace_noisy_max_data_independent(double gamma, double order) {
  const double up = (order - 1.0) * gamma;
  const double down = -order * gamma;
  const double share = 1.0 / (2.0 * order - 1.0);
  if (up > 700.0) return with_margin(2.0 * (gamma + std::log(order * share) / (order - 1.0)));
  // The terms of first order in gamma cancel.
  const double excess = share * (order * expm1mx(up) + (order - 1.0) * expm1mx(down));
  return with_margin(2.0 * std::log1p(excess) / (order - 1.0));
}

}  // namespace pate
