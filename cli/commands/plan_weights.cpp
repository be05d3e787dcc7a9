#include "cli/commands/plan_weights.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cli/commands/summaries.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/tuning.hpp"
#include "cli/options/weights.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/votes/tables/teacher_groups.hpp"

namespace pate::cli {

void check_plan_weights(const PlanOptions& options) {
  const bool looks_for_them = options.solve == PlanParameter::teacher_weights;
  if (looks_for_them) {
    // They have a budget for each group in the place of one epsilon.
    refuse(options.groups.empty() || options.group_epsilon.empty() || !options.teachers,
           "--solve teacher-weights needs --groups FILE, who belongs together, --group-epsilon "
           "NAME=E,..., what a teacher of each group may pay, and --teachers M");
    const Exclusions exclude("--solve teacher-weights");
    exclude(options.epsilon.has_value(), "--epsilon: --group-epsilon says what each group may pay");
    exclude(!options.teacher_weights.empty(), "--teacher-weights: it looks for them");
    exclude(options.settings.conversion.has_value(),
            "--conversion: budgets go by the smallest epsilon for any votes");
  } else {
    refuse(!options.groups.empty() || !options.group_epsilon.empty() ||
               !options.weights_output.empty(),
           "--groups, --group-epsilon and --weights-output go with --solve teacher-weights");
  }
  if (!looks_for_them && options.teacher_weights.empty()) return;
  check_weighable(options.mechanism.threshold,
                  options.mechanism.circumstances().with(
                      Given::declared, options.declared_epsilon || options.sensitivity_order));
}

BudgetedWeights weights_of_groups(const PlanOptions& options, const PlannedRun& run,
                                  VotesInput& input) {
  io::OpenedGroups opened = io::open_teacher_groups(options.groups, options.teachers.value());
  input.files.push_back({"groups", options.groups, std::move(opened.opened)});
  const std::vector<double> budgets =
      parse_group_budgets(options.group_epsilon, opened.groups.names);
  return weights_for_budgets(run, opened.groups, budgets, options.settings);
}

std::string group_weights_text(std::span<const GroupWeight> groups) {
  if (groups.empty()) return {};
  std::string text = "\n  group                        teachers  may pay      weight   any votes\n";
  for (const GroupWeight& group : groups) {
    text += fmt::format("  {:<28} {:>8}  {:>7g}  {:>10.10g}  {:>10}\n",
                        io::printable(group.name, 28, io::Letters::any), group.teachers,
                        group.budget, group.weight, epsilon_text(group.epsilon));
  }
  return text;
}

}  // namespace pate::cli
