#pragma once

#include "pate/bounds/direction.hpp"

namespace pate {

// The trade-off bound: the smallest cost that can be proved from q alone, in both directions and
// without side conditions. The theorem and its proof are in the README of this folder.
//
// log_q is the log of a bound on Pr[output is not the plurality]; a smaller valid q gives a smaller
// cost. The excess of a direction is the Renyi moment less one, sum P^order P'^(1-order) - 1; the
// cost of the direction is log(1 + excess) / (order - 1).

/// Gaussian noise: mu is the largest difference of the means in standard deviations, sqrt(2)/sigma
/// for a noisy maximum. Excesses as logarithms, without margin, possibly a rounding error above
/// that of the data-independent cost. Domain: log_q < 0 finite, mu > 0, order > 1. Relative
/// accuracy of the excess 1e-10, mostly 1e-13.
[[nodiscard]] BothDirections gaussian_tradeoff_log_excess(double log_q, double mu, double order);

/// Cost in either direction of one noisy maximum with Gaussian noise, at most order / sigma^2;
/// rounded outwards. log_q = -inf costs 0. `.larger()` is the cost `tradeoff` of reports.
[[nodiscard]] BothDirections gaussian_noisy_max_tradeoff(double log_q, double sigma, double order);

/// Laplace noise of scale 1/gamma: LNMax is (2 gamma, 0)-DP and the worst pair is randomised
/// response, so the maximum over the split of q is at one of two ends, in closed form.
[[nodiscard]] BothDirections laplace_tradeoff_log_excess(double log_q, double gamma, double order);

/// Cost in either direction of one noisy maximum with Laplace noise, at most that of two Laplace
/// mechanisms; rounded outwards. log_q = -inf costs 0.
[[nodiscard]] BothDirections laplace_noisy_max_tradeoff(double log_q, double gamma, double order);

/// The cost log(1 + excess) / (order - 1) of an excess, rounded outwards and at most `cap`.
[[nodiscard]] double cost_of_log_excess(double log_excess, double order, double cap);

}  // namespace pate
