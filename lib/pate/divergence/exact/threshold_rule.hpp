#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/mechanisms/stability_test.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

/// Nodes for integrals over the noise z of the threshold of a round of PTR's sparse form, whose
/// integrands are, with p its density and F the distribution function of a query's noise,
///
///     p(z) prod_i F(q_i - T - z)        and that times F(q_t - T - z), or 1 - F(q_t - T - z).
///
/// Sums over the nodes are known to 1e-10, relative to the integral, where the product of the
/// answers has an integral of `kLeastLog` at least (as a logarithm) and the nodes reach far enough,
/// which `log_left_out` tells. The README of `divergence/bounds` has the proofs.
struct ThresholdRule {
  /// Of integrals of answers that are smaller nothing is said.
  static constexpr double kLeastLog = -200.0;

  std::vector<double> at;           ///< values of z, increasing, in votes
  std::vector<double> log_step;     ///< of their weights
  std::vector<double> log_density;  ///< of p
  std::size_t inner = 1;            ///< a node so far from each end, by which slopes are told

  [[nodiscard]] std::size_t size() const { return at.size(); }

  /// Of a log-concave integrand, whose logarithm at node j (weights with it) is `log(j)`: the
  /// logarithm of at most what lies beyond the nodes.
  template <class Log>
  [[nodiscard]] double log_left_out(const Log& log) const;

 private:
  [[nodiscard]] double log_tail(std::size_t end, std::size_t inside, double log_end,
                                double log_inside) const;
};

/// Trapezoidal rule for Gaussian noise, Gauss-Legendre rules between the kinks for Laplace noise.
/// `stabilities`: of the queries of a round, of which none has more; their neighbours' count too.
/// None where more nodes would be needed than are worth it: the noise is tiny beside the
/// stabilities.
[[nodiscard]] std::optional<ThresholdRule> threshold_rule(
    const StabilityTest& test, std::span<const std::int64_t> stabilities);

/// log F(x), x in scales of a query's noise; 1 - F(x) is F(-x).
[[nodiscard]] double log_noise_cdf(const StabilityTest& test, double x);

template <class Log>
double ThresholdRule::log_left_out(const Log& log) const {
  const std::size_t last = size() - 1;
  return log_add(log_tail(0, inner, log(0), log(inner)),
                 log_tail(last, last - inner, log(last), log(last - inner)));
}

}  // namespace pate
