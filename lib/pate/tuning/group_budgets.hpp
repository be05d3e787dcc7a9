#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pate/accounting/group_costs.hpp"
#include "pate/tuning/tune.hpp"

namespace pate {

/// What a group of teachers pays at some parameters, and what it may pay.
struct GroupBudget {
  GroupCost cost;  ///< exact, conversion `optimal`
  double budget = 0.0;

  [[nodiscard]] bool is_kept() const { return cost.epsilon <= budget; }
  /// How much is left; negative where the budget is not kept.
  [[nodiscard]] double margin() const { return budget - cost.epsilon; }
};

/// What was found for budgets of groups.
struct GroupOutcome {
  bool found = false;
  std::size_t tested = 0;  ///< points whose exact costs were computed
  /// At the best point that keeps every budget, or else at that which comes nearest: whose largest
  /// epsilon over its budget is the smallest.
  std::size_t point = 0;  ///< a position among the points
  std::vector<GroupBudget> groups = {};
};

/// Exact costs are computed of no more points.
inline constexpr std::size_t kMaxGroupPoints = 1000;

/// Makes `tuning.choice` the best of its points at which every group pays at most its budget: those
/// that keep the other limits of the goal are tried in the order of the goal (`ranked_points`), and
/// the exact costs of every teacher are computed for one after the other (`add_exact_costs`; a
/// group pays what that teacher of it pays who pays most, `group_costs`) until one keeps all
/// budgets. Where none does there is no best point.
///
/// `weights`, or null: by how much the votes of the teachers count; costs are then those of
/// `account_weighted`, and parameters in votes of weight 1.
///
/// budgets: by group, > 0. tuning: complete, of a grid of at most kMaxGroupPoints points that are
/// all kept. Costs are upper bounds, rounded outwards by less than 1e-9 relative; no budget is kept
/// by rounding. When the watcher stops it, the tuning is marked incomplete. Throws
/// `parameter_error` for votes that are not predictions, a grid with more points, budgets that are
/// not those of the groups, and what exact costs throw.
[[nodiscard]] GroupOutcome choose_for_groups(const TuningVotes& votes, const TuneSettings& settings,
                                             const TeacherGroups& groups,
                                             std::span<const double> budgets, Tuning& tuning,
                                             const Watcher& watcher,
                                             const TeacherWeights* weights = nullptr);

}  // namespace pate
