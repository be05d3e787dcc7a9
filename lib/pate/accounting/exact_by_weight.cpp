#include "pate/accounting/exact_by_weight.hpp"

#include <algorithm>
#include <utility>

#include "pate/divergence/exact/exact_mechanism.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

bool same_cost(const CostEntry& a, const CostEntry& b) {
  return a.reading == b.reading && a.conversion == b.conversion;
}

// The costs of the teachers among both: of each conversion that both have the larger epsilon.
std::vector<CostEntry> larger_of(std::span<const CostEntry> costs,
                                 std::span<const CostEntry> others) {
  std::vector<CostEntry> result;
  for (const CostEntry& cost : costs) {
    const auto other =
        std::ranges::find_if(others, [&](const CostEntry& its) { return same_cost(its, cost); });
    if (other == others.end()) continue;
    std::optional<double> lower = cost.lower;
    if (other->lower) lower = std::max(lower.value_or(0.0), *other->lower);
    result.push_back(!(other->epsilon <= cost.epsilon) ? *other : cost);
    result.back().lower = lower;
  }
  return result;
}

void add_notice(const Notice& notice, std::vector<Notice>& notices) {
  if (std::ranges::find(notices, notice.code, &Notice::code) == notices.end()) {
    notices.push_back(notice);
  }
}

// At every order the larger RDP.
void raise(std::vector<double>& to, std::span<const double> by) {
  for (std::size_t j = 0; j < to.size(); ++j) to[j] = max_or_nan(to[j], by[j]);
}

}  // namespace

ExactByWeight::ExactByWeight(const ExactPartials& partials, TeacherVotes& votes,
                             const Aggregator& in_units, std::int64_t units, std::size_t teachers,
                             ExactSettings settings)
    : partials_(partials),
      votes_(votes),
      in_units_(in_units),
      units_(units),
      settings_(std::move(settings)) {
  teachers_.epsilon.assign(teachers, 0.0);
  teachers_.profile.emplace(teachers, 0.0);
}

double ExactByWeight::add(std::int64_t weight, std::vector<std::uint32_t> teachers,
                          const Account& account) {
  const ExactMechanism mechanism = ExactMechanism::of_weight(in_units_, units_, weight);
  Account its = account;
  its.teachers = static_cast<std::int64_t>(teachers.size());
  its.notices.clear();
  votes_.choose(teachers);
  add_exact_costs(partials_, &votes_, mechanism, settings_, its);

  std::vector<CostEntry> entries;
  std::ranges::copy_if(its.costs, std::back_inserter(entries), [](const CostEntry& cost) {
    return cost.bound == Bound::exact_per_teacher;
  });
  double most = entries.front().epsilon;
  for (const CostEntry& cost : entries) most = std::min(most, cost.epsilon);
  entries_ = entries_.empty() ? std::move(entries) : larger_of(entries_, entries);

  if (!curves_) {
    curves_ = its.exact;
  } else {
    raise(curves_->forward, its.exact.value().forward);
    raise(curves_->reverse, its.exact.value().reverse);
  }
  const PerTeacher& costs = its.per_teacher.value();
  for (std::size_t i = 0; i < teachers.size(); ++i) {
    teachers_.epsilon[teachers[i]] = costs.epsilon[i];
    if (costs.profile && teachers_.profile) {
      (*teachers_.profile)[teachers[i]] = (*costs.profile)[i];
    }
  }
  if (!costs.profile) teachers_.profile.reset();
  for (const std::int64_t i : costs.refined) {
    teachers_.refined.push_back(teachers[static_cast<std::size_t>(i)]);
  }
  // What is said of an interval, or of an order, is said of the costs together.
  for (const Notice& notice : its.notices) {
    if (notice.code == "no_profile" || notice.code == "no_teacher_profiles") {
      add_notice(notice, notices_);
    }
  }
  return most;
}

void ExactByWeight::fill(Account& account) const {
  PerTeacher teachers = teachers_;
  teachers.quantiles = quantiles_of(teachers.epsilon);
  if (!teachers.profile) teachers.refined.clear();
  std::ranges::sort(teachers.refined);
  account.per_teacher = std::move(teachers);
  account.exact = curves_;
  account.notices.insert(account.notices.end(), notices_.begin(), notices_.end());
  for (const CostEntry& cost : entries_) {
    if (cost.conversion == EpsilonMethod::profile) note_interval(cost, account.notices);
  }
  add_order_notices(entries_, account.orders, settings_.search.grid_only, account.notices);
  insert_entries(entries_, account);
  account.notices.push_back(exact_private());
}

}  // namespace pate
