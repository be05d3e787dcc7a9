#include "pate/accounting/exact_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

#include "pate/accounting/run_curve.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/rounded_decimal.hpp"

namespace pate {

namespace {

// Those of the improved conversion, whose orders say how far losses reach.
ProfileHints profile_hints(const DirectedCosts& exact) {
  return {exact.best[2], exact.best[3]};
}

// The exact (epsilon, delta), which is never above what RDP makes of the same outcomes.
void add_profile(ExactRun& costs, const DirectedCosts& exact, const ExactSettings& settings,
                 std::vector<CostEntry>& entries, Account& account) {
  const ProfileHints hints = profile_hints(exact);
  const double delta = settings.profile.delta;
  if (!exact.spent) {
    entries.push_back(profile_entry(Bound::exact, delta, 0.0, 0.0));
    return;
  }
  ExactRun* const run = &costs;
  auto profile = run_profile(std::span(&run, 1), hints, settings.profile, 0.0, settings.threads,
                             settings.begin("privacy profile"));
  if (!profile) {
    account.notices.push_back(no_profile());
    return;
  }
  const double upper = std::min(profile->upper.larger(), entries.front().epsilon);
  entries.push_back(profile_entry(Bound::exact, delta, upper, profile->lower.larger()));
  note_interval(entries.back(), account.notices);
  account.profile = std::move(profile->curve);
}

// The same of every teacher, which is never above that of all.
void add_teacher_profiles(ExactRun& costs, const std::optional<VoteRows>& rows,
                          const DirectedCosts& exact, const ExactSettings& settings, double most,
                          std::vector<CostEntry>& entries, Account& account) {
  PerTeacher& teachers = *account.per_teacher;
  const double delta = settings.profile.delta;
  if (!exact.spent) {
    teachers.profile.emplace(teachers.epsilon.size(), 0.0);
    entries.push_back(profile_entry(Bound::exact_per_teacher, delta, 0.0, 0.0));
    return;
  }
  std::optional<TeacherProfiles> found;
  if (rows) {
    TeacherRows votes{teachers.epsilon.size(), rows->groups, {}};
    votes.rows.resize(costs.size());
    for (std::size_t i = 0; i < rows->distinct.size(); ++i) {
      votes.rows[rows->distinct[i]].push_back(static_cast<std::uint32_t>(i));
    }
    found = teacher_profiles(costs, votes, profile_hints(exact), settings.profile, settings.threads,
                             settings.begin("profiles of teachers"));
  }
  if (!found) {
    account.notices.push_back(
        {"no_teacher_profiles",
         "the exact (epsilon, delta) of every teacher is left out, as it would take more than "
         "minutes or the outcome probabilities of a query are not known: "
         "exact_per_teacher/joint/optimal is there"});
    return;
  }
  most = std::min(most, entries.front().epsilon);
  double largest = 0.0;
  for (std::size_t t = 0; t < found->epsilon.size(); ++t) {
    double& epsilon = found->epsilon[t];
    epsilon = std::min({epsilon, teachers.epsilon[t], most});
    largest = max_or_nan(largest, epsilon);
  }
  entries.push_back(profile_entry(Bound::exact_per_teacher, delta, largest, found->lower));
  note_interval(entries.back(), account.notices);
  teachers.profile = std::move(found->epsilon);
  teachers.refined = std::move(found->refined);
}

std::vector<CostEntry> entries_by_teacher(const TeacherSums& sums, const DirectedCosts& exact,
                                          const OrderSearch& search, Account& account) {
  const auto teachers = static_cast<std::size_t>(account.teachers);
  const std::optional<double> hint =
      search.grid_only ? std::nullopt : std::optional(order_hints(account.costs).front());
  TeacherOptima optima = search_teachers(sums, teachers, account.orders, hint, search.delta);
  optima.cap(exact.best);
  account.per_teacher = PerTeacher{optima.epsilon, quantiles_of(optima.epsilon)};
  return directed_entries(Bound::exact_per_teacher, optima.run, optima.spent, search.delta,
                          account.notices);
}

}  // namespace

CostEntry profile_entry(Bound bound, double delta, double upper, double lower) {
  CostEntry entry{bound, GuaranteeKind::joint, EpsilonMethod::profile, upper, delta};
  entry.data_dependent = true;
  entry.lower = std::min(lower, upper);
  entry.parts = {{"steps", upper}};
  return entry;
}

void note_interval(const CostEntry& entry, std::vector<Notice>& notices) {
  if (!(entry.epsilon > 1.01 * *entry.lower)) return;
  notices.push_back({"profile_interval",
                     fmt::format("{} is certified from {:.6g} to {}: the interval is wider "
                                 "than 1 %",
                                 label(entry), *entry.lower, digits_upwards(entry.epsilon, 6))});
}

Notice no_profile() {
  return {"no_profile",
          "the exact (epsilon, delta) is not known: losses reach too far for the steps of a "
          "profile, or outcome probabilities are beyond doubles, as with noise far below one "
          "vote: what is called exact are bounds then, which may be larger"};
}

Notice exact_private() {
  return {"exact_private",
          "exact costs are for the owner of the data: they depend on the votes and must not be "
          "published as they are"};
}

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

void insert_entries(std::span<const CostEntry> entries, Account& account) {
  const auto first_public =
      std::find_if(account.costs.begin(), account.costs.end(),
                   [](const CostEntry& cost) { return cost.bound == Bound::data_independent; });
  const auto position = static_cast<std::size_t>(first_public - account.costs.begin());
  if (account.headline >= position) account.headline += entries.size();
  account.costs.insert(first_public, entries.begin(), entries.end());
}

void add_exact_costs(const ExactPartials& partials, TeacherVotes* votes,
                     const ExactMechanism& mechanism, const ExactSettings& settings,
                     Account& account) {
  const OrderSearch& search = settings.search;
  ExactRun costs(mechanism, partials.distinct, settings.threads);
  TeacherSums teachers;
  std::optional<VoteRows> rows = partials.rows;
  if (!partials.orders.empty()) {
    teachers = [&](std::span<const double> orders) {
      const auto first =
          std::lower_bound(partials.orders.begin(), partials.orders.end(), orders.front());
      const auto sums = partials.teachers.begin() + (first - partials.orders.begin());
      return std::vector(sums, sums + static_cast<std::ptrdiff_t>(orders.size()));
    };
  } else if (votes != nullptr) {
    teachers = [&](std::span<const double> orders) {
      return votes->sums(costs, orders, settings.threads);
    };
    rows = votes->rows();
  }

  if (!mechanism.moves_together()) {
    account.notices.push_back(
        {"no_teacher_costs",
         fmt::format("exact costs are those of the counts, whoever the {}: costs of single "
                     "teachers are known for one that votes otherwise",
                     mechanism.neighbours().teachers == 1 ? "teacher is" : "teachers are")});
  }
  const DirectedCosts exact = directed_costs(
      Bound::exact, [&](std::span<const double> orders) { return costs.rdp(orders); }, search,
      account.orders, account.costs, account.notices, &account.exact);
  std::vector<CostEntry> entries = exact.entries;
  if (!settings.is_part) add_profile(costs, exact, settings, entries, account);
  if (teachers) {
    std::vector<CostEntry> more = entries_by_teacher(teachers, exact, search, account);
    if (entries.back().conversion == EpsilonMethod::profile) {
      add_teacher_profiles(costs, rows, exact, settings, entries.back().epsilon, more, account);
    }
    entries.insert(entries.end(), more.begin(), more.end());
  }
  add_order_notices(entries, account.orders, search.grid_only, account.notices);
  insert_entries(entries, account);
  account.notices.push_back(exact_private());
}

}  // namespace pate
