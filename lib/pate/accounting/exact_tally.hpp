#pragma once

#include <cstdint>
#include <vector>

#include "pate/accounting/run.hpp"
#include "pate/exact/exact_mechanism.hpp"
#include "pate/exact/exact_run.hpp"

namespace pate {

/// The distinct queries of a run as their exact cost sees them, in canonical order, and which of
/// them each query is.
struct ExactTally {
  std::vector<ExactQuery> distinct;
  std::vector<std::uint32_t> of_query;  ///< position in `distinct`, by position in the selection
};

/// Reads the votes of the run once. Throws what reading the votes throws. The mechanism is that of
/// the run. Fewer than 2^32 queries.
[[nodiscard]] ExactTally exact_tally(const Run& run, const ExactMechanism& mechanism,
                                     unsigned threads);

}  // namespace pate
