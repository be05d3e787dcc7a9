#pragma once

#include "pate/divergence/bounds/cost.hpp"

namespace pate {

/// log of an upper bound of W (two_tails.hpp) over all splits of q, of which `log_reached` is the
/// log of one: by branch and bound, so that several maxima do no harm. At most 2e-11 above the
/// maximum, relative, as a rule; never below it but for the error of W itself. NaN where nothing is
/// known.
///
/// Between two splits the middle's part is convex and the tails' part concave in the mass of the
/// middle that q does not determine: a chord and two tangents are above them (README of this
/// folder, "Two maxima"). Splits are halved where that is too much.
///
/// Domain: log_q < 0 finite, mu > 0, order > 1, log_reached finite.
[[nodiscard]] double log_split_ceiling(Direction direction, double log_q, double mu, double order,
                                       double log_reached);

}  // namespace pate
