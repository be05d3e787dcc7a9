#include "pate/as_published/gnss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "pate/error.hpp"
#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

namespace {

constexpr int kFirstBeta = 30;  // hundredths of 1/lambda
constexpr int kLastBeta = 49;

Gnss with_beta(std::span<const double> local_sensitivity, double order, double beta,
               std::optional<double> sigma_ss) {
  Gnss result;
  result.beta = beta;
  result.smooth_sensitivity = gnss_smooth_sensitivity(local_sensitivity, beta);
  if (sigma_ss) {
    result.sigma_ss = *sigma_ss;
  } else if (result.smooth_sensitivity > 0.0) {
    result.sigma_ss = std::cbrt(order * std::exp(2.0 * beta) / result.smooth_sensitivity);
  } else {
    result.sigma_ss = std::numeric_limits<double>::infinity();
  }
  result.cost = gnss_cost(order, beta, result.sigma_ss);
  if (result.smooth_sensitivity > 0.0) result.sd = result.smooth_sensitivity * result.sigma_ss;
  return result;
}

}  // namespace

double gnss_cost(double order, double beta, double sigma_ss) {
  require_positive(beta, "beta");
  if (!(sigma_ss > 0.0)) {
    throw parameter_error(fmt::format("sigma-ss must be > 0, got {}", sigma_ss));
  }
  if (!(order > 1.0 && 2.0 * order * beta < 1.0)) {
    throw validity_error(fmt::format(
        "the published release cost needs 1 < order < 1/(2 beta), got order {} and beta {}, where "
        "1/(2 beta) is {:.6g}",
        order, beta, 0.5 / beta));
  }
  const double means = order * std::exp(2.0 * beta) / sigma_ss / sigma_ss;
  const double variances = -0.5 * std::log1p(-2.0 * order * beta) + order * beta;
  return means + variances / (order - 1.0);
}

double gnss_smooth_sensitivity(std::span<const double> local_sensitivity, double beta) {
  double largest = 0.0;
  for (std::size_t d = 0; d < local_sensitivity.size(); ++d) {
    if (!(local_sensitivity[d] > largest)) continue;  // the factor is at most one
    largest = std::max(largest, std::exp(-beta * static_cast<double>(d)) * local_sensitivity[d]);
  }
  return largest;
}

Gnss choose_gnss(std::span<const double> local_sensitivity, double order,
                 std::optional<double> beta, std::optional<double> sigma_ss) {
  if (beta) return with_beta(local_sensitivity, order, *beta, sigma_ss);
  std::optional<Gnss> best;
  for (int hundredths = kFirstBeta; hundredths <= kLastBeta; ++hundredths) {
    const Gnss gnss = with_beta(local_sensitivity, order, 0.01 * hundredths / order, sigma_ss);
    if (!best || gnss.cost + 2.0 * gnss.sd < best->cost + 2.0 * best->sd) best = gnss;
  }
  return *best;
}

}  // namespace pate
