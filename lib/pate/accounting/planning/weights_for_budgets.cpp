#include "pate/accounting/planning/weights_for_budgets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "pate/accounting/weighted_run.hpp"
#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/numerics/bisect.hpp"

namespace pate {

namespace {

// Weights are whole numbers of 1e-6 here, and below 1e9 (`parse_weights`).
constexpr int kMostDecimals = 6;
constexpr std::int64_t kMillionths = 1'000'000;
constexpr std::int64_t kMostMillionths = 1'000'000'000 * kMillionths - 1;
// A weight of so many units loses less than a thousandth by rounding.
constexpr std::int64_t kFineUnits = 1000;
// Units that all teachers may have, below the limit of `parse_weights`.
constexpr std::int64_t kMostUnitsInAll = 2'000'000'000;

// What a teacher of such a weight pays alone.
double any_votes_at(const PlannedRun& run, std::int64_t millionths, const PlanSettings& settings) {
  PlannedRun paid = run;
  const double weight = static_cast<double>(millionths) / static_cast<double>(kMillionths);
  for (std::optional<double>* noise : {&paid.sigma2, &paid.sigma1, &paid.laplace_scale}) {
    if (*noise) **noise /= weight;
  }
  return smallest_fixed(plan(paid, settings).costs, Bound::data_independent).value();
}

// The largest weight that keeps a budget, in millionths.
std::int64_t largest_weight(const PlannedRun& run, const std::string& name, double budget,
                            const PlanSettings& settings) {
  const auto keeps = [&](std::int64_t weight) {
    return any_votes_at(run, weight, settings) <= budget;
  };
  if (!keeps(1)) {
    throw validity_error(fmt::format(
        "no weight of the group '{}' keeps epsilon {} at delta {}: with the smallest there is, "
        "1e-06, it is still {}",
        name, budget, settings.delta, any_votes_at(run, 1, settings)));
  }
  return largest_by_doubling(std::int64_t{1}, kMillionths, kMostMillionths, keeps);
}

std::int64_t unit_of(int decimals) {
  std::int64_t unit = kMillionths;
  for (; decimals > 0; --decimals) unit /= 10;
  return unit;
}

// How many decimals are kept: what the lightest needs, fewer where all together have too many.
int decimals_for(const std::vector<std::int64_t>& weights, const TeacherGroups& groups,
                 bool has_threshold) {
  const std::int64_t lightest = *std::ranges::min_element(weights);
  int decimals = 0;
  while (decimals < kMostDecimals && lightest / unit_of(decimals) < kFineUnits) ++decimals;
  const std::int64_t most = has_threshold ? kMaxThresholdUnits : kMostUnitsInAll;
  const auto units_in_all = [&] {
    double total = 0.0;
    for (const std::size_t group : groups.of_teacher) {
      const std::int64_t units = weights[group] / unit_of(decimals);
      total += static_cast<double>(units);
    }
    return total;
  };
  while (decimals > 0 && units_in_all() > static_cast<double>(most)) --decimals;
  return decimals;
}

// A weight as its line: "0.375".
std::string decimal_of(std::int64_t millionths) {
  std::string text = fmt::format("{}.{:06}", millionths / kMillionths, millionths % kMillionths);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

BudgetedWeights weights_for_budgets(const PlannedRun& run, const TeacherGroups& groups,
                                    std::span<const double> budgets, const PlanSettings& settings) {
  const bool are_budgets = std::ranges::all_of(
      budgets, [](double budget) { return budget > 0.0 && std::isfinite(budget); });
  require(budgets.size() == groups.names.size() && !groups.of_teacher.empty() && are_budgets,
          "each of {} groups needs a budget above 0 and finite, got {}", groups.names.size(),
          budgets.size());
  require(!settings.conversion,
          "budgets of groups go by the smallest epsilon, whatever the conversion");
  // What weights do not go with is refused before any is looked for.
  (void)plan_weighted(run, {{1}, 1.0}, settings);
  std::vector<std::int64_t> weights;
  for (std::size_t g = 0; g < budgets.size(); ++g) {
    weights.push_back(largest_weight(run, groups.names[g], budgets[g], settings));
  }
  const std::int64_t unit = unit_of(decimals_for(weights, groups, run.sigma1.has_value()));
  for (std::int64_t& weight : weights) weight -= weight % unit;
  BudgetedWeights result;
  for (bool are_kept = false; !are_kept;) {
    result = {};
    for (std::size_t g = 0; g < budgets.size(); ++g) {
      if (weights[g] > 0) continue;
      throw validity_error(fmt::format(
          "nothing is left of the weight of the group '{}', rounded down to a multiple of {}: with "
          "these budgets all weights together have too many units; bring budgets nearer to each "
          "other, or leave out the threshold",
          groups.names[g], decimal_of(unit)));
    }
    for (const std::size_t group : groups.of_teacher) {
      result.lines.push_back(decimal_of(weights[group]));
    }
    result.found = plan_weighted(run, parse_weights(result.lines, "the weights found"), settings);
    are_kept = true;
    for (std::size_t g = 0; g < budgets.size(); ++g) {
      const double weight = static_cast<double>(weights[g]) / static_cast<double>(kMillionths);
      // The same number but for its last digit, and others are a unit away.
      const auto cost = std::ranges::min_element(
          result.found.weights, {},
          [&](const WeightCost& its) { return std::abs(its.weight - weight); });
      result.groups.push_back({groups.names[g], static_cast<std::int64_t>(groups.size_of(g)),
                               budgets[g], cost->weight, cost->any_votes});
      if (cost->any_votes <= budgets[g]) continue;
      // In units it was rounded to more than what was found.
      weights[g] -= unit;
      are_kept = false;
    }
  }
  return result;
}

}  // namespace pate
