#include "pate/accounting/sparse_account.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>
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
  if (!settings.tradeoff) return;
  const SparseOutcomes outcomes(test, stabilities_of(run), settings.threads);
  std::vector<double> rdp(account.orders.size());
  parallel_for(rdp.size(), settings.threads,
               [&](std::size_t j) { rdp[j] = outcomes.rdp(account.orders[j]); });
  std::map<double, double> known;  // entries look for their best orders in the same places
  for (std::size_t j = 0; j < rdp.size(); ++j) known.emplace(account.orders[j], rdp[j]);
  const auto at = [&](double order) {
    const auto [found, is_new] = known.try_emplace(order);
    if (is_new) found->second = outcomes.rdp(order);
    return found->second;
  };

  RdpFunction function;
  function.orders = account.orders;
  function.rdp = rdp;
  function.at = at;
  function.parts = [&](double order) {
    return std::vector<std::pair<std::string, double>>{{"steps", at(order)}};
  };
  const OrderSearch search{settings.delta, settings.orders.has_value(), account.query_delta};
  std::vector<CostEntry> entries;
  for (const auto conversion : fixed_conversions(search.spent)) {
    CostEntry entry{Bound::tradeoff, GuaranteeKind::joint, conversion};
    entry.data_dependent = true;
    fill_rdp_entry(entry, function, search, account.notices);
    entries.push_back(std::move(entry));
  }
  add_order_notices(entries, account.orders, search.grid_only, account.notices);
  insert_entries(entries, account);
  RdpCurves curves;
  curves.selection = rdp;
  curves.noisy_max.assign(rdp.size(), 0.0);
  curves.joint = std::move(rdp);
  account.tradeoff = std::move(curves);
  if (!outcomes.is_complete()) {
    const std::size_t first = outcomes.looked_at();
    account.notices.push_back(
        {"sparse_queries",
         first > 0
             ? fmt::format("only the first {} queries are looked at one by one: what comes "
                           "later costs what it would for any votes; a run of these alone "
                           "(--queries 0:{}) may cost less",
                           first, first)
             : std::string("the noise is tiny beside the threshold, or the stabilities of these "
                           "votes, which are told to cost what any would; a larger "
                           "--ptr-delta lowers the threshold")});
  }
}

}  // namespace pate
