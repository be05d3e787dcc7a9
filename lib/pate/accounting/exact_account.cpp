#include "pate/accounting/exact_account.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pate/accounting/partials.hpp"
#include "pate/exact/exact_cost.hpp"
#include "pate/rdp/orders.hpp"

namespace pate {

namespace {

constexpr double kDefaultHint = 16.0;
// How many orders are evaluated at once for the teachers: bounds memory.
constexpr std::size_t kOrdersAtOnce = 8;

// The order around which to look: that of the best bound that was computed before.
double hint_of(const Account& account) {
  for (const CostEntry& cost : account.costs) {
    if (cost.order) return *cost.order;
  }
  return kDefaultHint;
}

// Fills in the curves too where the orders are given: every one of them is evaluated then.
std::vector<CostEntry> entries_from_counts(ExactRun& costs, const OrderSearch& search,
                                           Account& account) {
  bool spent = false;
  if (search.grid_only) account.exact.emplace();
  const auto evaluate = [&](std::span<const double> orders) {
    const std::vector<BothDirections> rdp = costs.rdp(orders);
    std::vector<std::vector<double>> result;
    for (std::size_t k = 0; k < orders.size(); ++k) {
      spent = spent || rdp[k].larger() > 0.0;
      result.push_back(exact_epsilons(rdp[k], orders[k], search.delta));
      if (!account.exact) continue;
      account.exact->forward.push_back(rdp[k].forward);
      account.exact->reverse.push_back(rdp[k].reverse);
    }
    return result;
  };
  const std::size_t functions = 2 * exact_conversions().size();
  const auto best = search.grid_only
                        ? optimal_orders_among(account.orders, functions, evaluate)
                        : optimal_orders_in_batches(hint_of(account), functions, evaluate);
  return exact_entries(Bound::exact, best, spent, search.delta, account.notices);
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

std::vector<CostEntry> entries_by_teacher(const TeacherSums& sums, const OrderSearch& search,
                                          Account& account) {
  const auto teachers = static_cast<std::size_t>(account.teachers);
  const std::optional<double> hint =
      search.grid_only ? std::nullopt : std::optional(hint_of(account));
  const TeacherOptima optima = search_teachers(sums, teachers, account.orders, hint, search.delta);
  account.per_teacher = PerTeacher{optima.epsilon, quantiles_of(optima.epsilon)};
  return exact_entries(Bound::exact_per_teacher, optima.run, optima.spent, search.delta,
                       account.notices);
}

}  // namespace

void fill_teacher_sums(TeacherVotes& votes, const ExactMechanism& mechanism,
                       std::span<const double> orders, unsigned threads, ExactPartials& exact) {
  ExactRun costs(mechanism, exact.distinct, threads);
  exact.orders.assign(orders.begin(), orders.end());
  for (std::size_t k = 0; k < orders.size(); k += kOrdersAtOnce) {
    auto sums =
        votes.sums(costs, orders.subspan(k, std::min(kOrdersAtOnce, orders.size() - k)), threads);
    std::move(sums.begin(), sums.end(), std::back_inserter(exact.teachers));
  }
}

void add_exact_costs(const ExactPartials& partials, TeacherVotes* votes,
                     const ExactMechanism& mechanism, const OrderSearch& search, unsigned threads,
                     Account& account) {
  ExactRun costs(mechanism, partials.distinct, threads);
  TeacherSums teachers;
  if (!partials.orders.empty()) {
    teachers = [&](std::span<const double> orders) {
      const auto first =
          std::lower_bound(partials.orders.begin(), partials.orders.end(), orders.front());
      const auto sums = partials.teachers.begin() + (first - partials.orders.begin());
      return std::vector(sums, sums + static_cast<std::ptrdiff_t>(orders.size()));
    };
  } else if (votes != nullptr) {
    teachers = [&](std::span<const double> orders) { return votes->sums(costs, orders, threads); };
  }

  std::vector<CostEntry> entries = entries_from_counts(costs, search, account);
  if (teachers) {
    const auto more = entries_by_teacher(teachers, search, account);
    entries.insert(entries.end(), more.begin(), more.end());
  }
  add_order_notices(entries, account.orders, search.grid_only, account.notices);
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

}  // namespace pate
