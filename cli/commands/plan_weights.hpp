#pragma once

#include <span>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/options/votes_input.hpp"
#include "pate/accounting/planning/weights_for_budgets.hpp"

namespace pate::cli {

/// What goes with votes that count by weights in `pate plan`, with those that are given and with
/// those that are looked for (`--solve teacher-weights`). Throws `usage_error`.
void check_plan_weights(const PlanOptions& options);

/// The weights that keep the budgets of `--group-epsilon`; the file of groups becomes one of the
/// inputs. Throws `usage_error` for budgets that are not those of the groups, and what
/// `open_teacher_groups` and `weights_for_budgets` throw.
[[nodiscard]] BudgetedWeights weights_of_groups(const PlanOptions& options, const PlannedRun& run,
                                                VotesInput& input);

/// What each group may pay, and its weight; empty without groups.
[[nodiscard]] std::string group_weights_text(std::span<const GroupWeight> groups);

}  // namespace pate::cli
