#pragma once

#include <span>

#include "pate/divergence/pld/distribution_pair.hpp"

namespace pate {

/// One pair that dominates several (Zhu, Dong and Wang 2022): its hockey-stick divergence is at
/// least that of each of them at every gamma, so that it may take the place of all (README of this
/// folder).
///
///     sum_o (P(o) - gamma Q(o))+  >=  max_b sum_o (P_b(o) - gamma Q_b(o))+    for every gamma
///
/// with losses that are multiples of `resolution`, those of seven binary digits: equality at those
/// next to the losses of the tables, but for a share `left_out` of the excess over (1 - gamma)+,
/// and chords between. That is the upper hull of their ROC curves, seen on a grid: losses of up to
/// 128 steps cost nothing more on that grid (DiscretizedPairs), others 1e-5 of their second moment.
/// One table is returned as it is; none: an empty one. The time is that of looking at each outcome,
/// whatever the resolution.
[[nodiscard]] DistributionPair dominating_pair(std::span<const DistributionPair> tables,
                                               double resolution, double left_out = 1e-5);

/// The same but for rounding, for covers that are covered again: a sum over o may be less than it
/// must be by some 1e-15. `cover_rounded` makes up for that, of one that is none of the tables.
[[nodiscard]] DistributionPair cover_but_rounding(std::span<const DistributionPair> tables,
                                                  double resolution, double left_out);
[[nodiscard]] DistributionPair cover_rounded(DistributionPair dominating_pair);

}  // namespace pate
