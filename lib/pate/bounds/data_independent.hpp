#pragma once

namespace pate {

// Costs that hold for every histogram. sigma, scale: noise of each count in votes; gamma = 1/scale.
// Domain: sigma > 0, gamma > 0, order > 1. Relative accuracy 1e-15, rounded outwards (margin.hpp).

/// Renyi cost of one noisy maximum with Gaussian noise: order / sigma^2. One vote that moves
/// changes two counts by one, an L2 sensitivity of sqrt 2. Source: S18 (arXiv 1802.08908),
/// Proposition 8.
[[nodiscard]] double gaussian_noisy_max_data_independent(double sigma, double order);

/// Renyi cost of one threshold check: order / (2 sigma1^2); the top count changes by at most one.
[[nodiscard]] double threshold_data_independent(double sigma1, double order);

/// Renyi cost of one noisy maximum with Laplace noise, as a post-processing of two Laplace
/// mechanisms of scale 1/gamma:
///
///     2/(order-1) log( order/(2 order-1) e^((order-1) gamma) + (order-1)/(2 order-1) e^(-order
///     gamma) )
///
/// Source: Mironov, "Renyi Differential Privacy" (2017), Proposition 6, twice.
[[nodiscard]] double laplace_noisy_max_data_independent(double gamma, double order);

}  // namespace pate
