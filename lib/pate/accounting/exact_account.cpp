#include "pate/accounting/exact_account.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "pate/accounting/exact_entries.hpp"
#include "pate/accounting/exact_tally.hpp"
#include "pate/accounting/rdp_entry.hpp"
#include "pate/accounting/teacher_search.hpp"
#include "pate/exact/exact_run.hpp"
#include "pate/rdp/batched_orders.hpp"
#include "pate/votes/prediction_votes.hpp"

namespace pate {

namespace {

constexpr double kDefaultHint = 16.0;

// The order around which to look: that of the best bound that was computed before.
double hint_of(const Account& account) {
  for (const CostEntry& cost : account.costs) {
    if (cost.order) return *cost.order;
  }
  return kDefaultHint;
}

// Fills in the curves too where the orders are given: every one of them is evaluated then.
std::vector<CostEntry> entries_from_counts(ExactRun& costs, const AccountSettings& settings,
                                           Account& account) {
  bool spent = false;
  if (settings.orders) account.exact.emplace();
  const auto evaluate = [&](std::span<const double> orders) {
    const std::vector<BothDirections> rdp = costs.rdp(orders);
    std::vector<std::vector<double>> result;
    for (std::size_t k = 0; k < orders.size(); ++k) {
      spent = spent || rdp[k].larger() > 0.0;
      result.push_back(exact_epsilons(rdp[k], orders[k], settings.delta));
      if (!account.exact) continue;
      account.exact->forward.push_back(rdp[k].forward);
      account.exact->reverse.push_back(rdp[k].reverse);
    }
    return result;
  };
  const std::size_t functions = 2 * exact_conversions().size();
  const auto best = settings.orders
                        ? optimal_orders_among(account.orders, functions, evaluate)
                        : optimal_orders_in_batches(hint_of(account), functions, evaluate);
  return exact_entries(Bound::exact, best, spent, settings.delta, account.notices);
}

// The smallest, the quartiles and the largest, linear between the values.
std::array<double, 5> quantiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::array<double, 5> result{};
  if (values.empty()) return result;
  for (std::size_t q = 0; q < result.size(); ++q) {
    const double at = 0.25 * static_cast<double>(q) * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    result[q] = values[below] + (at - std::floor(at)) * (values[above] - values[below]);
  }
  return result;
}

std::vector<CostEntry> entries_by_teacher(const TeacherSums& sums, const AccountSettings& settings,
                                          Account& account) {
  const auto teachers = static_cast<std::size_t>(account.teachers);
  const TeacherOptima optima =
      settings.orders
          ? search_teachers(sums, teachers, account.orders, settings.delta)
          : search_teachers(sums, teachers, account.orders, hint_of(account), settings.delta);
  account.per_teacher = PerTeacher{optima.epsilon, quantiles_of(optima.epsilon)};
  return exact_entries(Bound::exact_per_teacher, optima.run, optima.spent, settings.delta,
                       account.notices);
}

// `teachers` is empty without predictions.
void add_entries(ExactRun& costs, const TeacherSums& teachers, const AccountSettings& settings,
                 Account& account) {
  std::vector<CostEntry> entries = entries_from_counts(costs, settings, account);
  if (teachers) {
    const auto more = entries_by_teacher(teachers, settings, account);
    entries.insert(entries.end(), more.begin(), more.end());
  }
  add_order_notices(entries, account.orders, settings.orders.has_value(), account.notices);
  const auto first_public =
      std::find_if(account.costs.begin(), account.costs.end(),
                   [](const CostEntry& cost) { return cost.bound == Bound::data_independent; });
  const auto position = static_cast<std::size_t>(first_public - account.costs.begin());
  if (account.headline >= position) account.headline += entries.size();
  account.costs.insert(first_public, entries.begin(), entries.end());
  account.notices.push_back(
      {"exact_private",
       "exact costs are for the owner of the data: they depend on the votes and "
       "must not be published as they are"});
}

}  // namespace

void add_exact_costs(const Run& run, const AccountSettings& settings, Account& account) {
  const ExactMechanism mechanism(run.aggregator, run.votes.teachers());
  const auto* const predictions = dynamic_cast<const PredictionVotes*>(&run.votes);
  ExactTally tally = exact_tally(run, mechanism, settings.threads, predictions != nullptr);
  ExactRun costs(mechanism, std::move(tally.distinct), settings.threads);
  TeacherSums teachers;
  if (predictions != nullptr) {
    teachers = [&, predictions](std::span<const double> orders) {
      return teacher_sums(run, *predictions, tally.of_query, costs, orders, settings.threads);
    };
  }
  add_entries(costs, teachers, settings, account);
}

void add_exact_costs(const ExactPartials& partials, const AccountSettings& settings,
                     Account& account) {
  const ExactMechanism mechanism(account.aggregator, account.teachers);
  ExactRun costs(mechanism, partials.distinct, settings.threads);
  TeacherSums teachers;
  if (!partials.orders.empty()) {
    teachers = [&](std::span<const double> orders) {
      const auto first =
          std::lower_bound(partials.orders.begin(), partials.orders.end(), orders.front());
      const auto sums = partials.teachers.begin() + (first - partials.orders.begin());
      return std::vector(sums, sums + static_cast<std::ptrdiff_t>(orders.size()));
    };
  }
  add_entries(costs, teachers, settings, account);
}

}  // namespace pate
