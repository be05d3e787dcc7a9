#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/divergence/exact/vote_groups.hpp"
#include "pate/mechanisms/neighbours.hpp"

namespace pate {

/// So many classes of a group gain `change` votes each, or lose them.
struct ChangedClasses {
  std::uint32_t group = 0;
  std::int32_t change = 0;  ///< not 0
  std::int32_t classes = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const ChangedClasses&, const ChangedClasses&) = default;
};

/// What distinguishes a neighbour from the votes, by group, then change.
using BallNeighbour = std::vector<ChangedClasses>;

/// More neighbours of one query are not listed.
inline constexpr std::size_t kMaxBall = 60'000;

/// Every neighbour of a query in which up to S teachers vote otherwise, or are added or removed,
/// once for all that differ only in which of several classes with equal counts change: all ways to
/// change counts by at most S up and as many down, or by at most S in all, without a count below 0.
/// In a fixed order. None where there are more than kMaxBall. The places of `votes` are not looked
/// at.
[[nodiscard]] std::optional<std::vector<BallNeighbour>> neighbours_in_ball(
    const GroupedVotes& votes, const Neighbours& neighbours);

/// How many these are; kMaxBall + 1 for more.
[[nodiscard]] std::size_t ball_size(const GroupedVotes& votes, const Neighbours& neighbours);

/// The top count of a neighbour.
[[nodiscard]] std::int64_t top_count(const GroupedVotes& votes, const BallNeighbour& neighbour);

/// Neighbours alike in what happens to the two largest groups, as a number below
/// `ball_kinds(S)`: by how many votes the counts of each change in all.
[[nodiscard]] std::size_t kind_of(const BallNeighbour& neighbour, std::int64_t most_changed);
[[nodiscard]] std::size_t ball_kinds(std::int64_t most_changed);

}  // namespace pate
