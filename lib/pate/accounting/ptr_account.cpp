#include "pate/accounting/ptr_account.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "pate/mechanisms/stability_test.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

constexpr std::array kTestedEpsilons{0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0};
// Multiplications that a profile may take.
constexpr double kMaxWork = 1.5e9;

// A query of stability q against a neighbour of stability w with the same plurality.
DistributionPair same_plurality(const StabilityTest& test, std::int64_t q, std::int64_t w) {
  const LogBernoulliPair pair = answer_pair(test, q, w);
  return {{std::exp(pair.log_p), std::exp(pair.log_p_neighbour), pair.log_ratio},
          {std::exp(pair.log_not_p), std::exp(pair.log_not_p_neighbour), pair.log_not_ratio}};
}

// Stability 0 on both, and another plurality: either class is an answer of one side only.
DistributionPair other_plurality(const StabilityTest& test) {
  const double answered = std::exp(log_answered(test, 0));
  const double refused = std::exp(log_refused(test, 0));
  return {{answered, 0.0, kInfinity}, {refused, refused, 0.0}, {0.0, answered, -kInfinity}};
}

// All neighbours, the one that lowers the stability first.
std::vector<DistributionPair> neighbours_of(const StabilityTest& test, std::int64_t q,
                                            std::int64_t teachers, Direction direction) {
  std::vector<DistributionPair> tables;
  tables.push_back(q > 0 ? same_plurality(test, q, q - 1) : other_plurality(test));
  if (q < teachers) tables.push_back(same_plurality(test, q, q + 1));
  if (direction == Direction::reverse) {
    for (DistributionPair& table : tables) table = reversed(std::move(table));
  }
  return tables;
}

struct TestedGrid {
  double step = 0x1p-10;
  double highest = 0.5;
  double least_delta = 0.0;
};

TestedGrid grid_of(const QueryCounts& query_counts, const ExactSettings& settings,
                   const CostEntry& hint) {
  TestedGrid grid;
  const double slope = std::max(1.0, hint.order.value_or(2.0) - 1.0);
  grid.highest = std::max(0.5, 14.0 / slope);
  grid.least_delta = settings.profile.delta;
  for (const double delta : settings.profile.deltas) {
    grid.least_delta = std::min(grid.least_delta, delta);
  }
  if (settings.profile.step) {
    grid.step = *settings.profile.step;
    return grid;
  }
  const double range = hint.epsilon + 25.0 / slope + grid.highest;
  while (grid.step < 0.25 &&
         12.0 * static_cast<double>(query_counts.queries) * range / grid.step > kMaxWork) {
    grid.step *= 2.0;
  }
  return grid;
}

}  // namespace

void add_tested_profile(const QueryCounts& query_counts, const ExactSettings& settings,
                        Account& account) {
  const auto hint = std::ranges::find_if(account.costs, [](const CostEntry& cost) {
    return cost.conversion == EpsilonMethod::improved;
  });
  CostEntry entry = profile_entry(Bound::exact, settings.profile.delta, 0.0, 0.0);
  if (query_counts.queries > 0 && !std::isfinite(hint->epsilon)) {
    account.notices.push_back(no_profile());
    return;
  }
  if (query_counts.queries > 0) {
    const StabilityTest& test = *account.aggregator.ptr();
    const TestedGrid grid = grid_of(query_counts, settings, *hint);
    std::vector<PessimisticProfile> upper;
    std::vector<OptimisticProfile> lower;
    for (const Direction direction : {Direction::forward, Direction::reverse}) {
      PessimisticProfile& above =
          upper.emplace_back(PessimisticProfile::Grid{grid.step, grid.highest, grid.least_delta});
      OptimisticProfile& below = lower.emplace_back(grid.step, -1.5, 1.5 * hint->epsilon + 1.0);
      for (const DistinctQuery& query : query_counts.distinct) {
        const auto tables = neighbours_of(test, query.statistic, query_counts.teachers, direction);
        above.compose_query(DiscretizedPairs(tables, grid.step), 0, tables.size(), query.count);
        below.append(tables.front(), query.count);
      }
    }
    const double delta = entry.delta;
    entry = profile_entry(
        Bound::exact, delta,
        std::min(max_or_nan(upper[0].epsilon(delta), upper[1].epsilon(delta)), hint->epsilon),
        std::max(lower[0].epsilon(delta), lower[1].epsilon(delta)));
    note_interval(entry, account.notices);
    account.profile =
        profile_curve(grid.step, settings.profile.deltas, kTestedEpsilons, upper, lower);
  }
  insert_entries(std::span(&entry, 1), account);
  account.notices.push_back(exact_private());
}

}  // namespace pate
