#include "pate/accounting/tilted_account.hpp"

#include <algorithm>
#include <vector>

#include "pate/accounting/exact_account.hpp"
#include "pate/accounting/run_curve.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/mechanisms/supports.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

std::vector<std::int32_t> counts_of(const GroupedVotes& votes) {
  std::vector<std::int32_t> counts;
  for (const VoteGroup& group : votes.groups) {
    counts.insert(counts.end(), static_cast<std::size_t>(group.classes), group.count);
  }
  return counts;
}

double tilted_rdp(std::span<const ExactQuery> queries, const Account& account, double order,
                  unsigned threads) {
  const TiltedRun run(account.aggregator.noisy(), account.steps.neighbours, account.teachers,
                      account.classes, order);
  std::vector<double> costs(queries.size());
  parallel_for(queries.size(), threads, [&](std::size_t i) {
    costs[i] = run.cost(counts_of(queries[i].votes), queries[i].votes.statistic);
  });
  CompensatedSum sum;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    sum.add(static_cast<double>(queries[i].count) * costs[i]);
  }
  return sum.value();
}

}  // namespace

TiltedRun::TiltedRun(const Aggregator& aggregator, const Neighbours& neighbours,
                     std::int64_t teachers, std::int64_t classes, double order)
    : aggregator_(aggregator), neighbours_(neighbours), order_(order) {
  require(Asked::tilted, {aggregator, neighbours});
  if (classes < 2 || teachers < 1) return;
  const auto check = aggregator.interactive ? std::nullopt : aggregator.selection;
  cost_.emplace(aggregator.noisy_max.gaussian(), check, teachers, classes, order);
  cap_ = data_independent_cost(aggregator.step(neighbours), order);
  if (!aggregator.selection) return;
  joint_.emplace(AnswerTable(*aggregator.selection, neighbours, 0, teachers, teachers), order,
                 cap_);
}

// Where probabilities underflow the excess of the tilted cost loses all its digits.
constexpr double kFaintCost = 1e-100;

double TiltedRun::cost(std::span<const std::int32_t> counts, std::int64_t statistic) const {
  if (!cost_) return 0.0;
  const double log_q = pate::log_q(aggregator_.noisy_max, counts);
  const double tradeoff =
      log_q == -kInfinity
          ? -kInfinity
          : tradeoff_log_excess(aggregator_.step(neighbours_), log_q, order_).forward;
  const auto of_excess = [&](double log_excess) {
    return joint_ ? joint_->costs(statistic, {log_excess, log_excess}).forward
                  : cost_of_log_excess(log_excess, order_, cap_);
  };
  double tilted = cost_->cost(counts);
  // So small a cost may be one that doubles do not hold.
  if (!(tilted > kFaintCost)) return of_excess(tradeoff);
  if (aggregator_.interactive) tilted = of_excess(log_expm1((order_ - 1.0) * tilted));
  return std::min(tilted, of_excess(tradeoff));
}

void add_tilted_costs(std::span<const ExactQuery> queries, const OrderSearch& search,
                      unsigned threads, Account& account) {
  const DirectedModel forward_only = [&](std::span<const double> orders) {
    std::vector<BothDirections> result;
    for (const double order : orders) {
      const double rdp = tilted_rdp(queries, account, order, threads);
      result.push_back({rdp, rdp});
    }
    return result;
  };
  const std::vector<CostEntry> entries =
      directed_costs(Bound::tilted, forward_only, search, account.orders, account.costs,
                     account.notices)
          .entries;
  add_order_notices(entries, account.orders, search.grid_only, account.notices);
  insert_entries(entries, account);
  account.notices.push_back(
      {"tilted_forward",
       "the tilted bound covers one of the two directions that (epsilon, delta) speaks of: it is "
       "what a release through a curve counts with, and no guarantee; it depends on the votes and "
       "must not be published as it is"});
}

}  // namespace pate
