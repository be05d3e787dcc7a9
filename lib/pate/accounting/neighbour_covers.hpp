#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/divergence/exact/vote_groups.hpp"
#include "pate/divergence/pld/distribution_pair.hpp"

namespace pate {

// Where a query has too many neighbours for profiles, dominating pairs of several take their place.

/// Kinds of classes: that of the plurality, the next, all others. Neighbours are covered by those
/// that lose and gain the vote.
inline constexpr std::size_t kKinds = 3;

/// Puts neighbours of a kind beside each other; those of kind k are at [k] up to [k + 1] then.
/// `only`: their positions among all, increasing; none: they are all.
[[nodiscard]] std::vector<std::size_t> sort_by_kind(const GroupedVotes& votes,
                                                    std::span<const std::uint32_t> only,
                                                    std::vector<DistributionPair>& tables);

/// The same where the kind of every neighbour is known, a number below `kinds`.
[[nodiscard]] std::vector<std::size_t> sort_by_kind(std::span<const std::size_t> kind_of,
                                                    std::size_t kinds,
                                                    std::vector<DistributionPair>& tables);

/// Few pairs that together dominate the tables, which are sorted by kind: each adds, at about
/// `slope` = order - 1, a small share of what the most costly neighbour costs. `mean`: what that
/// is, of all queries; `resolution`: losses that are as near as this are one.
[[nodiscard]] std::vector<DistributionPair> covered(std::span<const DistributionPair> tables,
                                                    std::span<const std::size_t> kinds,
                                                    const DistributionPair& most_costly,
                                                    double slope, double resolution, double mean);

}  // namespace pate
