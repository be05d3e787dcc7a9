#pragma once

#include <span>
#include <vector>

#include "pate/divergence/bounds/cost.hpp"

namespace pate {

/// Upper bounds of the log excesses of the Gaussian trade-off bound at many values of q, for a sum
/// of costs: some are computed as `gaussian_tradeoff_log_excess` computes them, those in between
/// are bounded by parabolas at two of them, between which the excess is proved to be a concave
/// function of q with at most some second derivative. At most that of the data-independent cost,
/// order (order - 1) mu^2 / 2.
///
/// log_q: increasing, finite or -inf (whose excess is -inf), < 0. weights: how often each q counts
/// in the sum, >= 0; where little depends on them bounds are less close. Domain: mu > 0, order > 1.
/// The sum of weights times costs is at most 1e-7 above that of the bounds, relative, and a log
/// excess no more than .01 above; none is below the bound's by more than 1e-10. `threads` (0: all
/// processors) changes no bit.
/// Source: README of this folder, "Many queries".
[[nodiscard]] std::vector<BothDirections> tradeoff_log_excesses(std::span<const double> log_q,
                                                                std::span<const double> weights,
                                                                double mu, double order,
                                                                unsigned threads);

}  // namespace pate
