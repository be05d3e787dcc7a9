#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pate {

/// Where a class stands in the selection statistic v, the largest lead: what a vote more or less
/// does to v.
enum class LeadRank : std::int8_t {
  lower,  ///< two or more behind the largest lead, or the statistic cannot follow
  below,  ///< one behind
  top,    ///< has the largest lead
};

/// Classes that no neighbour tells apart: the same number of votes, the same place.
struct VoteGroup {
  std::int32_t count = 0;
  LeadRank place = LeadRank::lower;
  std::int32_t classes = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const VoteGroup&, const VoteGroup&) = default;
};

/// A query as its exact cost sees it: the statistic and the groups of classes, which are sorted by
/// falling count, then place. Queries with equal groups have equal neighbours and equal costs.
struct GroupedVotes {
  std::int64_t statistic = 0;  ///< 0 without a selection
  std::vector<VoteGroup> groups;
  /// How many votes a neighbour moves, together, from one class to one other: the weight of a
  /// teacher whose vote counts so many. Of more than one leads are counts.
  std::int64_t moved = 1;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const GroupedVotes&, const GroupedVotes&) = default;
};

/// A distinct query of a run and how often it occurs.
struct ExactQuery {
  GroupedVotes votes;
  std::int64_t count = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const ExactQuery&, const ExactQuery&) = default;
};

/// The groups of a histogram whose statistic is not used (GNMax, LNMax). zeros: classes without a
/// vote that the histogram leaves out.
[[nodiscard]] GroupedVotes group_votes(std::span<const std::int32_t> histogram,
                                       std::size_t zeros = 0);

/// The groups of a histogram for the Confident aggregator: leads are counts.
[[nodiscard]] GroupedVotes group_confident_votes(std::span<const std::int32_t> histogram,
                                                 std::size_t zeros = 0);

/// The groups of a histogram for the Interactive aggregator: leads are those of
/// `interactive_statistic`, which is the statistic. `scores` are the student's.
[[nodiscard]] GroupedVotes group_interactive_votes(std::span<const std::int32_t> histogram,
                                                   std::span<const double> scores,
                                                   std::int64_t teachers);

/// The group of every class, as positions in `votes.groups`; `histogram` and, for the Interactive
/// aggregator, `scores` are those `votes` was made of.
[[nodiscard]] std::vector<std::uint32_t> groups_of_classes(const GroupedVotes& votes,
                                                           std::span<const std::int32_t> histogram,
                                                           std::span<const double> scores,
                                                           std::int64_t teachers);

/// Whether the votes that a neighbour moves may move from a class of group `a` to another class, of
/// group `b`.
[[nodiscard]] bool can_move(const GroupedVotes& votes, std::size_t a, std::size_t b);

/// By how much the statistic changes when they move from a class of group `a` to another class, of
/// group `b`: -1, 0 or 1 of one vote, at most as many of more.
[[nodiscard]] std::int64_t statistic_change(const GroupedVotes& votes, std::size_t a,
                                            std::size_t b);

}  // namespace pate
