#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/divergence/exact/exact_run.hpp"
#include "pate/divergence/pld/pessimistic_profile.hpp"

namespace pate {

// The queries of runs as their profiles need them.

inline constexpr std::array kDirections{Direction::forward, Direction::reverse};

/// Queries whose tables are in memory at once.
inline constexpr std::size_t kBatch = 64;

/// All queries with an outcome or an answer that is nearly sure on every neighbour may together add
/// this share of the smallest delta.
inline constexpr double kSureShare = 1e-9;

/// Tables as they are seen from the other side.
void reverse_all(std::vector<DistributionPair>& tables);

/// A distinct query of one of several runs.
struct QueryRef {
  std::size_t run, query;
  bool selection_only;  ///< the plurality is nearly sure, where the query is answered
  std::size_t near;     ///< groups that are told apart, the first ones; all: every group

  /// Of these neighbours; none: of all.
  [[nodiscard]] std::optional<std::vector<DistributionPair>> tables(
      std::span<ExactRun* const> runs, std::span<const std::uint32_t> only) const;
  /// By the group that loses the vote, and where those of each begin; the last is where all end.
  [[nodiscard]] std::optional<std::vector<DistributionPair>> tables_by_group(
      ExactRun& of, std::vector<std::size_t>& first) const;
  /// How many tables there are, about, and of each the products at a node.
  [[nodiscard]] double neighbours(const GroupedVotes& votes) const;
  [[nodiscard]] double terms(const GroupedVotes& votes) const {
    return (selection_only ? 1.0 : static_cast<double>(votes.groups.size())) + 3.0;
  }
};

/// The queries whose outcomes must be looked at; sure ones come late in time, and first here. What
/// all others, and all other answers than the plurality, add to delta at most is added to `rest`:
/// to leave a query out or to take its answers for one is to see less, and (P - gamma Q)+ summed
/// over its outcomes is what it is then and `rest` at most. So it is where one neighbour stands for
/// many (`contending_groups`), which is asked for where all neighbours are compared.
[[nodiscard]] std::vector<QueryRef> split_near_certain(std::span<ExactRun* const> runs,
                                                       double limit, bool merges, double& rest);

/// Each number once, in order.
[[nodiscard]] std::vector<std::uint32_t> increasing(std::vector<std::uint32_t> numbers);

/// Where those that stand for some neighbours are in a list of all that stand for others.
[[nodiscard]] std::vector<std::uint32_t> positions_in(std::span<const std::uint32_t> only,
                                                      std::span<const std::uint32_t> stands_for,
                                                      std::span<const std::uint32_t> neighbours);

/// The table of the neighbour with the largest moment in a direction, seen from there; among those
/// that may have it, none: among all.
[[nodiscard]] DistributionPair most_costly(std::span<const DistributionPair> tables,
                                           std::span<const std::uint32_t> among, double order,
                                           Direction direction);

/// What was left out, `rest`, as an outcome that only one side has.
void add_infinity_mass(double rest, PessimisticProfile& profile);

}  // namespace pate
