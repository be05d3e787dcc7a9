#pragma once

#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/pld/distribution_pair.hpp"
#include "pate/mechanisms/sampled_gaussian.hpp"

namespace pate {

/// A pair on the grid of losses of this step that dominates a query which a sample of the teachers
/// answers (`SampledGaussian`): forward the teacher is there, reverse it is not.
///
/// Outcomes x of the dominating pair are cut where the loss is a whole number of steps; of a cell
/// both probabilities are kept and its losses put at its two ends ("connect the dots"), so that the
/// hockey-stick divergence is nowhere smaller. The largest losses, of a probability of at most
/// `beyond`, and those above 40 count as infinite, the least ones as those above them; what
/// rounding may do to a share is added to the upper end. Domain: a valid query, 0 < step <= 1,
/// 1e-300 <= beyond < 1. The first probabilities add up to 1, to 1e-14.
[[nodiscard]] DistributionPair sampled_pair(const SampledGaussian& sampled, Direction direction,
                                            double step, double beyond);

}  // namespace pate
