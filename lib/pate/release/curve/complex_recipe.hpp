#pragma once

#include <cstdint>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/release/curve/complex_parameters.hpp"
#include "pate/release/curve/curve_release.hpp"

namespace pate {

/// Parameters from public inputs alone: those that lose least, as the root mean square over four
/// ensembles nobody asked (`expected_top_shares`), of how much the mean published epsilon exceeds
/// the smallest one there. Curves are looked at coarsely: nothing rests on how good the parameters
/// are; README.md says what they lose. `source` has the moduli. Throws as `curve_orders`, and
/// `validity_error` where no epsilon is certified whatever the votes.
[[nodiscard]] ComplexParameters default_complex_parameters(const CostSpec& question,
                                                           std::int64_t queries, double delta,
                                                           const CurveTableSource& source = {},
                                                           unsigned threads = 0,
                                                           const ProgressCallback& progress = {});

}  // namespace pate
