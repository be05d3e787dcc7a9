#include "pate/tuning/group_budgets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "pate/accounting/account.hpp"
#include "pate/accounting/exact_account.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/accounting/weighted_account.hpp"
#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/exact/exact_mechanism.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

void check(const TuningVotes& votes, const TeacherGroups& groups, std::span<const double> budgets,
           const Tuning& tuning) {
  require(dynamic_cast<const PredictionVotes*>(&votes.votes) != nullptr,
          "budgets of groups need predictions: counts do not say whose votes move");
  require(tuning.grid.size() <= kMaxGroupPoints,
          "budgets of groups need exact costs of points, of at most {}, and the grid has {}: give "
          "fewer values of sigma2, sigma1 or the threshold",
          kMaxGroupPoints, tuning.grid.size());
  require(budgets.size() == groups.names.size(), "every group needs a budget, and no other");
  for (std::size_t g = 0; g < budgets.size(); ++g) {
    if (!(budgets[g] > 0.0)) {
      throw parameter_error(fmt::format("the budget of a group must be > 0, got {} for {}",
                                        budgets[g], groups.names[g]));
    }
  }
}

// What every group pays at the parameters of a point, by RDP.
std::vector<GroupCost> costs_at(const TuningVotes& votes, const TuneSettings& settings,
                                const TeacherGroups& groups, const TeacherWeights* weights,
                                const Mechanism& mechanism, const Neighbours& neighbours,
                                std::int64_t queries) {
  const EpsilonKind& kind = settings.grid.kind;
  const unsigned threads = settings.grid.threads;
  const Run run = run_of(votes, mechanism, neighbours, queries);
  AccountSettings bounds;
  bounds.delta = kind.delta;
  bounds.orders = kind.orders;
  bounds.models = {Bound::tradeoff};
  bounds.threads = threads;
  if (weights != nullptr) {
    bounds.models.insert(Bound::exact);
    const auto& predictions = dynamic_cast<const PredictionVotes&>(votes.votes);
    const WeightedAccount found =
        account_weighted(run, predictions, *weights, bounds, /*with_profiles=*/false);
    return group_costs(groups, found.account, weights);
  }
  const ExactMechanism exact_mechanism(mechanism.noisy(), neighbours, votes.votes.teachers());
  CountedRun counted = count_run(run, {threads, {}, &exact_mechanism});
  const std::optional<ExactPartials> exact =
      std::exchange(counted.partials.exact, std::optional<ExactPartials>{});
  // A part of a run has no profile, which would take most of the time.
  const ExactSettings wanted = exact_settings(bounds, /*is_part=*/true);
  const Account account =
      pate::account(counted.partials, mechanism, neighbours, bounds, [&](Account& its) {
        add_exact_costs(exact.value(), counted.teachers.get(), exact_mechanism, wanted, its);
      });
  return group_costs(groups, account);
}

// The largest epsilon over its budget.
double worst_share(std::span<const GroupBudget> groups) {
  double worst = 0.0;
  for (const GroupBudget& group : groups) {
    worst = max_or_nan(worst, group.cost.epsilon / group.budget);
  }
  return worst;
}

}  // namespace

GroupOutcome choose_for_groups(const TuningVotes& votes, const TuneSettings& settings,
                               const TeacherGroups& groups, std::span<const double> budgets,
                               Tuning& tuning, const Watcher& watcher,
                               const TeacherWeights* weights) {
  check(votes, groups, budgets, tuning);
  GroupOutcome outcome;
  const std::vector<std::size_t> ranked = ranked_points(tuning.points, settings.goal);
  ProgressCounter counter(watcher.progress, static_cast<std::int64_t>(ranked.size()));
  tuning.choice.best.reset();
  for (const std::size_t position : ranked) {
    if (watcher.wants_stop()) {
      tuning.complete = false;
      return outcome;
    }
    const TunedPoint& point = tuning.points[position];
    const std::vector<GroupCost> costs =
        costs_at(votes, settings, groups, weights, tuning.grid.mechanism(point.index),
                 tuning.grid.neighbours, point.point.queries);
    ++outcome.tested;
    counter.add(1);
    std::vector<GroupBudget> its;
    for (std::size_t g = 0; g < costs.size(); ++g) its.push_back({costs[g], budgets[g]});
    const bool is_kept = std::ranges::all_of(its, &GroupBudget::is_kept);
    if (is_kept || outcome.groups.empty() || worst_share(its) < worst_share(outcome.groups)) {
      outcome.point = position;
      outcome.groups = std::move(its);
    }
    if (!is_kept) continue;
    outcome.found = true;
    tuning.choice.best = position;
    tuning.choice.nearest_misses.clear();
    break;
  }
  return outcome;
}

}  // namespace pate
