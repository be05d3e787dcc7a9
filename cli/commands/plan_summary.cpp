#include "cli/commands/plan_summary.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "cli/commands/cost_table.hpp"

namespace pate::cli {

namespace {

std::string mechanism(const PlannedRun& run) {
  if (run.laplace_scale) return fmt::format("LNMax, scale {}", *run.laplace_scale);
  if (!run.sigma1) return fmt::format("GNMax, sigma2 {}", *run.sigma2);
  return fmt::format("Confident GNMax, sigma1 {}, sigma2 {}", *run.sigma1, *run.sigma2);
}

// All digits: fewer could be too little noise.
std::string solved_line(const Solved& solved) {
  const bool whole =
      solved.parameter == PlanParameter::queries || solved.parameter == PlanParameter::max_answers;
  return whole ? fmt::format("{} = {:.0f}: the most that keeps epsilon <= {}\n",
                             name(solved.parameter), solved.value, solved.epsilon)
               : fmt::format("{} = {}: the least that keeps epsilon <= {}\n",
                             name(solved.parameter), solved.value, solved.epsilon);
}

}  // namespace

std::string plan_summary(const Plan& plan, bool colour) {
  std::string text;
  const auto out = std::back_inserter(text);
  const std::int64_t answers = plan.run.answers();
  fmt::format_to(out, "{}; queries: {}, answers: {} at most\n", mechanism(plan.run),
                 plan.run.queries, answers);
  if (plan.solved) fmt::format_to(out, "{}", solved_line(*plan.solved));
  return text + costs_and_notices(plan.costs, plan.headline, plan.notices, colour);
}

}  // namespace pate::cli
