#pragma once

#include <cstdint>
#include <span>

namespace pate {

/// How much the teachers agree on one query.
struct Consensus {
  std::int32_t top = 0;     ///< votes for the plurality, n_(1)
  std::int32_t second = 0;  ///< votes for the runner-up, n_(2); 0 where there is only one class
  std::int32_t gap = 0;     ///< top - second: the gap of S17, Figure 3, before division by M
  bool tied = false;        ///< more than one class has the most votes
  bool unanimous = false;   ///< all votes are for one class
};

/// The consensus of a histogram, in one pass.
///
/// Domain: at least one class, no negative count and at least one vote, as `VoteSource` hands them
/// out; of a histogram without votes everything is 0 and false.
[[nodiscard]] Consensus consensus(std::span<const std::int32_t> histogram);

}  // namespace pate
