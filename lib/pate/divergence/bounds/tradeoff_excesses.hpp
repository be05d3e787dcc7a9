#pragma once

#include <span>
#include <vector>

#include "pate/divergence/bounds/cost.hpp"

namespace pate {

/// Upper bounds of the log excesses of the Gaussian trade-off bound at many values of q, without
/// interpolation: each is computed as `gaussian_tradeoff_log_excess` computes it or, where values
/// of q lie closer together than 0.11 %, bounded by the tangents at two of them, between which the
/// excess is proved to be a concave function of q. At most that of the data-independent cost, order
/// (order - 1) mu^2 / 2.
///
/// log_q: increasing, finite or -inf (whose excess is -inf), < 0. Domain: mu > 0, order > 1. An
/// excess is at most 1e-7 above the bound's, relative, and below it by no more than 1e-10.
/// `threads` (0: all processors) changes no bit.
/// Source: README of this folder, "Many queries".
[[nodiscard]] std::vector<BothDirections> tradeoff_log_excesses(std::span<const double> log_q,
                                                                double mu, double order,
                                                                unsigned threads);

}  // namespace pate
