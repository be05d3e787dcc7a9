#pragma once

#include "pate/accounting/run.hpp"
#include "pate/sensitivity/vote_profile.hpp"

namespace pate {

/// Reads the votes of a run once and counts its distinct queries. Throws what `validate(run)` and
/// reading the votes throw, and `parameter_error` for a single class, where nothing depends on the
/// votes. Memory: the distinct histograms.
[[nodiscard]] VoteProfile collect_votes(const Run& run);

}  // namespace pate
