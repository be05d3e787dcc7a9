#pragma once

#include "pate/accounting/names.hpp"
#include "pate/accounting/run.hpp"
#include "pate/as_published/vote_chains.hpp"

namespace pate {

/// The histograms of a run, sorted, each weighted as the reading weighs the cost of its noisy
/// maximum: `expected` with Pr[answered], `realized` with 1 or 0; and without a selection with 1.
/// One row per query. Throws what reading the votes throws, and `parameter_error` for other
/// readings and for `realized` without decisions.
[[nodiscard]] WeightedHistograms weighted_histograms(const Run& run, Reading reading,
                                                     unsigned threads);

}  // namespace pate
