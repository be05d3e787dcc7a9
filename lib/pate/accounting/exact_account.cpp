#include "pate/accounting/exact_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "pate/accounting/exact_tally.hpp"
#include "pate/accounting/rdp_entry.hpp"
#include "pate/accounting/teacher_costs.hpp"
#include "pate/exact/exact_run.hpp"
#include "pate/rdp/batched_orders.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/rdp/orders.hpp"
#include "pate/votes/prediction_votes.hpp"

namespace pate {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kConversions{ReportedConversion::improved, ReportedConversion::classic};
constexpr double kDefaultHint = 16.0;
// How many orders of the grid are evaluated at once for the teachers: bounds memory.
constexpr std::size_t kOrdersAtOnce = 8;

// The order around which to look: that of the best bound that was computed before.
double hint_of(const Account& account) {
  for (const CostEntry& cost : account.costs) {
    if (cost.order) return *cost.order;
  }
  return kDefaultHint;
}

// Epsilons by conversion, then direction.
std::vector<double> epsilons_of(const BothDirections& rdp, double order, double delta) {
  std::vector<double> result;
  for (const ReportedConversion conversion : kConversions) {
    for (const Direction direction : {Direction::forward, Direction::reverse}) {
      result.push_back(
          epsilon_from_rdp(rdp_conversion(conversion), rdp.of(direction), order, delta));
    }
  }
  return result;
}

// The entries of a bound from the best orders of every conversion and direction.
std::vector<CostEntry> entries_of(Bound bound, const std::vector<OptimalOrder>& best, double delta,
                                  std::vector<Notice>& notices) {
  std::vector<CostEntry> entries;
  for (std::size_t c = 0; c < kConversions.size(); ++c) {
    const OptimalOrder& forward = best[2 * c];
    const OptimalOrder& reverse = best[2 * c + 1];
    const OptimalOrder& larger = reverse.epsilon > forward.epsilon ? reverse : forward;
    CostEntry entry;
    entry.bound = bound;
    entry.reading = Reading::joint;
    entry.conversion = kConversions[c];
    entry.delta = delta;
    entry.data_dependent = true;
    const double spent =
        larger.epsilon - conversion_term(rdp_conversion(entry.conversion), larger.order, delta);
    set_epsilon(entry, larger, {{"steps", std::max(spent, 0.0)}}, notices);
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<CostEntry> nothing_spent(Bound bound, double delta) {
  std::vector<CostEntry> entries;
  for (const ReportedConversion conversion : kConversions) {
    CostEntry entry;
    entry.bound = bound;
    entry.reading = Reading::joint;
    entry.conversion = conversion;
    entry.delta = delta;
    entry.data_dependent = true;
    entry.parts = {{"steps", 0.0}, {"delta", 0.0}};
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<CostEntry> exact_entries(ExactRun& costs, const AccountSettings& settings,
                                     const Account& account, std::vector<Notice>& notices) {
  bool spent = false;
  const auto evaluate = [&](std::span<const double> orders) {
    const std::vector<BothDirections> rdp = costs.rdp(orders);
    std::vector<std::vector<double>> result;
    for (std::size_t k = 0; k < orders.size(); ++k) {
      spent = spent || rdp[k].larger() > 0.0;
      result.push_back(epsilons_of(rdp[k], orders[k], settings.delta));
    }
    return result;
  };
  const std::size_t functions = 2 * kConversions.size();
  const auto best = settings.orders
                        ? optimal_orders_among(account.orders, functions, evaluate)
                        : optimal_orders_in_batches(hint_of(account), functions, evaluate);
  if (!spent) return nothing_spent(Bound::exact, settings.delta);
  return entries_of(Bound::exact, best, settings.delta, notices);
}

// The teachers' epsilons at consecutive orders of the grid, widened until no minimum is at an end.
class TeacherSearch {
 public:
  TeacherSearch(std::size_t teachers, std::span<const double> grid, double delta)
      : grid_(grid), delta_(delta), run_(2 * kConversions.size(), none()) {
    teachers_.assign(2 * teachers, none());
  }

  // Takes the sums by teacher at grid order k.
  void take(std::size_t k, const std::vector<TeacherSum>& sums) {
    BothDirections most;
    for (std::size_t t = 0; t < sums.size(); ++t) {
      const BothDirections rdp = sums[t].rdp();
      most = {std::max(most.forward, rdp.forward), std::max(most.reverse, rdp.reverse)};
      const auto epsilons = epsilons_of(rdp, grid_[k], delta_);
      improve(teachers_[2 * t], k, epsilons[0]);
      improve(teachers_[2 * t + 1], k, epsilons[1]);
    }
    const auto epsilons = epsilons_of(most, grid_[k], delta_);
    for (std::size_t f = 0; f < run_.size(); ++f) improve(run_[f], k, epsilons[f]);
    spent_ = spent_ || most.larger() > 0.0;
  }

  // Whether some minimum is at grid order k, an end of those that were taken.
  [[nodiscard]] bool is_best(std::size_t k) const {
    const auto here = [k](const Best& best) { return best.order == k; };
    return std::any_of(run_.begin(), run_.end(), here) ||
           std::any_of(teachers_.begin(), teachers_.end(), here);
  }
  [[nodiscard]] bool spent() const { return spent_; }

  [[nodiscard]] std::vector<OptimalOrder> run() const {
    std::vector<OptimalOrder> result;
    for (const Best& best : run_) {
      result.push_back(
          {grid_[best.order], best.epsilon, best.order == 0, best.order + 1 == grid_.size()});
    }
    return result;
  }
  // Epsilon by teacher, conversion improved: the larger direction.
  [[nodiscard]] std::vector<double> teachers() const {
    std::vector<double> result;
    for (std::size_t t = 0; 2 * t < teachers_.size(); ++t) {
      result.push_back(std::max({teachers_[2 * t].epsilon, teachers_[2 * t + 1].epsilon, 0.0}));
    }
    return result;
  }

 private:
  struct Best {
    double epsilon;
    std::size_t order;
  };
  static Best none() { return {kInfinity, 0}; }
  static void improve(Best& best, std::size_t k, double epsilon) {
    // Of equal values the one at the smallest order, whatever was taken first.
    if (epsilon < best.epsilon || (epsilon == best.epsilon && k < best.order)) {
      best = {epsilon, k};
    }
  }

  std::span<const double> grid_;
  double delta_;
  std::vector<Best> run_;       // by conversion and direction
  std::vector<Best> teachers_;  // by teacher and direction; improved
  bool spent_ = false;
};

// The smallest, the quartiles and the largest, linear between the values.
std::array<double, 5> quantiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::array<double, 5> result{};
  for (std::size_t q = 0; q < result.size(); ++q) {
    const double at = 0.25 * static_cast<double>(q) * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    result[q] = values[below] + (at - std::floor(at)) * (values[above] - values[below]);
  }
  return result;
}

std::vector<CostEntry> teacher_entries(const TeacherSums& sums, const AccountSettings& settings,
                                       Account& account) {
  const std::span<const double> grid(account.orders);
  const auto teachers = static_cast<std::size_t>(account.teachers);
  TeacherSearch search(teachers, grid, settings.delta);
  const auto take = [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; k += kOrdersAtOnce) {
      const auto at = sums(grid.subspan(k, std::min(kOrdersAtOnce, end - k)));
      for (std::size_t i = 0; i < at.size(); ++i) search.take(k + i, at[i]);
    }
  };
  std::size_t begin = 0;
  std::size_t end = grid.size();
  if (!settings.orders) {
    const double hint = hint_of(account);
    const auto near = [&](double order) {
      return static_cast<std::size_t>(std::lower_bound(grid.begin(), grid.end(), order) -
                                      grid.begin());
    };
    begin = std::min(near(1.0 + (hint - 1.0) / 1.2), grid.size() - 1);
    end = std::min(begin + kOrdersAtOnce, grid.size());
  }
  take(begin, end);
  // Epsilons fall and then rise with the order: a minimum inside is the minimum.
  while (begin > 0 && search.is_best(begin)) {
    const std::size_t further = begin - std::min(begin, kOrdersAtOnce);
    take(further, begin);
    begin = further;
  }
  while (end < grid.size() && search.is_best(end - 1)) {
    const std::size_t further = std::min(end + kOrdersAtOnce, grid.size());
    take(end, further);
    end = further;
  }
  account.per_teacher.emplace();
  if (!search.spent()) {
    account.per_teacher->epsilon.assign(teachers, 0.0);
    return nothing_spent(Bound::exact_per_teacher, settings.delta);
  }
  account.per_teacher->epsilon = search.teachers();
  account.per_teacher->quantiles = quantiles_of(account.per_teacher->epsilon);
  return entries_of(Bound::exact_per_teacher, search.run(), settings.delta, account.notices);
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
  add_exact_costs(costs, teachers, settings, account);
}

void add_exact_costs(ExactRun& costs, const TeacherSums& teachers, const AccountSettings& settings,
                     Account& account) {
  std::vector<CostEntry> entries = exact_entries(costs, settings, account, account.notices);
  if (teachers) {
    const auto more = teacher_entries(teachers, settings, account);
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

}  // namespace pate
