#pragma once

#include <cstdint>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/release/curve/complex_parameters.hpp"

namespace pate {

/// Parameters from public inputs alone: those that lose least, as the root mean square over three
/// ensembles nobody asked (`synthetic_votes`), of how much the mean published epsilon exceeds the
/// smallest one there. Costs are those by two keys, and curves are looked at coarsely: nothing
/// rests on how good the parameters are; README.md says what they lose. Throws as `curve_orders`,
/// and `validity_error` where no epsilon is certified whatever the votes.
[[nodiscard]] ComplexParameters default_complex_parameters(const CostSpec& question,
                                                           std::int64_t queries, double delta,
                                                           unsigned threads = 0,
                                                           const ProgressCallback& progress = {});

}  // namespace pate
