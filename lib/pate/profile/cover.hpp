#pragma once

#include <span>

#include "pate/profile/outcome_table.hpp"

namespace pate {

/// One table that is above several: whatever V is, a step with it is at least a step with any of
/// them, so that it may take the place of all (README of this folder).
///
///     sum_o (P(o) - gamma Q(o))+  >=  max_b sum_o (P_b(o) - gamma Q_b(o))+    for every gamma
///
/// with equality at the likelihood ratios of the tables: the upper hull of their ROC curves. Those
/// nearer to each other than `resolution`, in loss, are not told apart, which only raises it. One
/// table is returned as it is; none: an empty one.
[[nodiscard]] OutcomeTable cover(std::span<const OutcomeTable> tables, double resolution);

}  // namespace pate
