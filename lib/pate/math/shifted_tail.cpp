#include "pate/math/shifted_tail.hpp"

#include <limits>

#include "pate/math/normal.hpp"

namespace pate {

double log_shifted_tail(double log_p, double shift) {
  if (!(log_p < 0.0) || log_p == -std::numeric_limits<double>::infinity()) return log_p;
  const double x = normal_upper_quantile(log_p);
  // The growth is computed as such: the difference of two logarithms would lose the digits of a
  // short shift far out in the tail. Where it makes up most of log_p it is the result that cancels.
  const double growth = log_normal_cdf_ratio(-x, shift);
  const double shifted = log_p + growth;
  return shifted > -0.5 * growth ? log_normal_cdf(shift - x) : shifted;
}

}  // namespace pate
