#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pate/accounting/exact_tally.hpp"
#include "pate/accounting/run.hpp"
#include "pate/bounds/direction.hpp"
#include "pate/exact/exact_run.hpp"
#include "pate/votes/prediction_votes.hpp"

namespace pate {

/// The exact RDP of a run for every teacher: the sum over the queries of the largest divergence
/// from a neighbour whose vote moved from the class this teacher voted for. By order, then teacher;
/// each direction on its own. `run.votes` must be `predictions`, `tally` that of the run and
/// `costs` made of its distinct queries.
///
/// Sums are exact (UpwardSum): threads, shards and the order of the queries change no bit.
[[nodiscard]] std::vector<std::vector<BothDirections>> teacher_rdp(
    const Run& run, const PredictionVotes& predictions, const ExactTally& tally, ExactRun& costs,
    std::span<const double> orders, unsigned threads);

}  // namespace pate
