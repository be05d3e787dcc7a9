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
  /// Position in `distinct`, by position in the selection; empty unless it was asked for.
  std::vector<std::uint32_t> of_query;
};

/// Reads the votes of the run once. Memory: the distinct queries, and 4 bytes a query for
/// `of_query` with `with_queries`. Throws what reading the votes throws. The mechanism is that of
/// the run. Fewer than 2^32 queries.
[[nodiscard]] ExactTally exact_tally(const Run& run, const ExactMechanism& mechanism,
                                     unsigned threads, bool with_queries);

}  // namespace pate
