#pragma once

#include "pate/mechanisms/sampled_gaussian.hpp"

namespace pate {

/// Renyi cost of one query that a sample of the teachers answers, whatever the votes, for one
/// teacher that is added or removed, in both directions:
///
///     1/(order-1) log A,   A = E over x of N(0, 1) of (1 - P + P e^(mu x - mu^2/2))^order
///
/// and at most that without sampling, order mu^2 / 2. The other direction costs no more. Domain:
/// order > 1. Never too small; relative accuracy 1e-9.
///
/// A - 1 is an integral of a function >= 0, (1+u)^order - 1 - order u, whose last term has mean 0:
/// nothing cancels. The sum at equidistant points is off by less than 1e-15 of it: the function is
/// analytic as far as pi/mu from the real axis, where it is not much larger in size, but for
/// e^(y^2/2).
///
/// Source: Mironov, Talwar, Zhang, "Renyi Differential Privacy of the Sampled Gaussian Mechanism"
/// (2019), Theorem 4; Theorem 5 for the direction.
[[nodiscard]] double sampled_cost(const SampledGaussian& sampled, double order);

}  // namespace pate
