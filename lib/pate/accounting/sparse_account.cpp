#include "pate/accounting/sparse_account.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/exact_account.hpp"
#include "pate/accounting/sparse_answers.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/exact/sparse_outcomes.hpp"

namespace pate {

void add_sparse_costs(const Run& run, const AccountSettings& settings, Account& account) {
  const StabilityTest& test = *run.aggregator.sparse();
  if (!settings.has(Bound::tradeoff)) return;
  const SparseOutcomes outcomes(test, stabilities_of(run), settings.threads);
  RunCurve curve(account.orders, [&](std::span<const double> orders) {
    std::vector<RunCost> costs(orders.size());
    parallel_for(costs.size(), settings.threads, [&](std::size_t j) {
      costs[j].order = orders[j];
      costs[j].joint = outcomes.rdp(orders[j]);
    });
    return costs;
  });
  const OrderSearch search{settings.delta, settings.orders.has_value(), account.query_delta};
  CostEntry like{Bound::tradeoff, GuaranteeKind::joint};
  like.data_dependent = true;
  const std::vector<CostEntry> entries =
      curve.entries(like, fixed_conversions(search.spent), search, account.notices);
  add_order_notices(entries, account.orders, search.grid_only, account.notices);
  insert_entries(entries, account);
  RdpCurves curves;
  for (const RunCost& cost : curve.on_grid()) curves.joint.push_back(cost.joint);
  curves.selection = curves.joint;
  curves.noisy_max.assign(curves.joint.size(), 0.0);
  account.tradeoff = std::move(curves);
  if (!outcomes.is_complete()) {
    const std::size_t first = outcomes.looked_at();
    account.notices.push_back(
        {"sparse_queries",
         first > 0
             ? fmt::format("only the first {} queries are looked at one by one: what comes "
                           "later costs what it would for any votes; a run of these alone "
                           "(\1queries 0:{}) may cost less",
                           first, first)
             : std::string("the noise is tiny beside the threshold, or the stabilities of these "
                           "votes, which are told to cost what any would; a larger "
                           "\1ptr-delta lowers the threshold")});
  }
}

}  // namespace pate
