#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pate/accounting/planning/weighted_plan.hpp"
#include "pate/votes/tables/teacher_groups.hpp"

namespace pate {

/// How much the votes of a group's teachers may count.
struct GroupWeight {
  std::string name;
  std::int64_t teachers = 0;
  double budget = 0.0;   ///< what each of them may pay
  double weight = 0.0;   ///< of each of them
  double epsilon = 0.0;  ///< what each of them pays at most, whatever the votes
};

/// Weights that keep budgets.
struct BudgetedWeights {
  std::vector<GroupWeight> groups;
  std::vector<std::string> lines;  ///< the weight of each teacher, as `parse_weights` reads it
  WeightedPlan found;              ///< `plan_weighted` of these weights
};

/// For the noise of a planned run, in votes of weight 1, the largest weight of each group with
/// which each of its teachers pays at most the group's budget, whatever the votes: the weighting of
/// individualized PATE (Boenisch et al. 2023), solved for the weights.
///
/// What a teacher pays is `WeightCost::any_votes` and grows with its weight, so that weights are
/// found by bisection, one group at a time. They are rounded down to as few decimals as leave each
/// at least 999/1000 of itself, six at most, and to fewer where units of weight would be too many
/// (`parse_weights`, `require_few_units`). What is told is the plan of the rounded weights, in
/// which no group pays more than its budget.
///
/// budgets: by group, > 0 and finite. `settings.conversion` must be unset: budgets go by the
/// smallest epsilon. Throws `parameter_error` as `plan_weighted` does and for other budgets,
/// `validity_error` naming the group where no weight keeps its budget, or none is left of it by
/// rounding.
[[nodiscard]] BudgetedWeights weights_for_budgets(const PlannedRun& run,
                                                  const TeacherGroups& groups,
                                                  std::span<const double> budgets,
                                                  const PlanSettings& settings);

}  // namespace pate
