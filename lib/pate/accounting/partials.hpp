#pragma once

#include <optional>

#include "pate/accounting/exact_partials.hpp"
#include "pate/accounting/tally.hpp"
#include "pate/accounting/utility.hpp"
#include "pate/parallel/shard.hpp"

namespace pate {

/// What one shard contributes to the report of its run. From those of all shards the run is
/// accounted as if it had never been cut: counts, and of single teachers exact sums.
struct Partials {
  Shard shard;
  Tally tally;
  bool has_decisions = false;
  std::optional<UtilityTally> utility;  ///< with labels
  std::optional<ExactPartials> exact;   ///< with exact costs
};

}  // namespace pate
