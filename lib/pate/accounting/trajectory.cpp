#include "pate/accounting/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "pate/accounting/cost_entries.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

std::vector<double> answered_by_checkpoint(const QueryCounts& query_counts,
                                           const Mechanism& aggregator, GuaranteeKind reading) {
  std::vector<double> answered(query_counts.checkpoints.size(), 0.0);
  AnswerProbabilities probabilities(aggregator);
  for (std::size_t i = 0; i < query_counts.distinct.size(); ++i) {
    // What PTR answers changes no cost of it, the worst case included.
    const double p = reading == GuaranteeKind::worst_case && aggregator.ptr() == nullptr
                         ? 1.0
                         : probabilities.of(query_counts.distinct[i].statistic).answered;
    for (const Occurrence& o : query_counts.occurrences_of(i)) {
      answered[o.checkpoint] += reading == GuaranteeKind::realized ? o.answered : p * o.count;
    }
  }
  for (std::size_t k = 1; k < answered.size(); ++k) answered[k] += answered[k - 1];
  return answered;
}

// Epsilon and order on the grid for RDP by order; what the trajectory tells between its ends.
TrajectoryPoint best_on_grid(std::span<const double> orders, std::span<const double> rdp,
                             Conversion conversion, double delta) {
  TrajectoryPoint point;
  point.epsilon = kInfinity;
  for (std::size_t j = 0; j < orders.size(); ++j) {
    const double epsilon = epsilon_from_rdp(conversion, rdp[j], orders[j], delta);
    if (epsilon < point.epsilon) {
      point.epsilon = std::max(epsilon, 0.0);
      point.order = orders[j];
    }
  }
  return point;
}

// Epsilon of the first `queries` queries under a data-independent cost.
TrajectoryPoint data_independent_point(const Account& account, const CostEntry& headline,
                                       std::int64_t queries) {
  if (const StabilityTest* const sparse = account.aggregator.sparse()) {
    queries = std::min(queries, sparse->max_refusals());
  }
  const auto n = static_cast<double>(queries);
  const double delta = OrderSearch{account.delta, false, account.query_delta}.conversion_delta();
  switch (headline.conversion) {
    case EpsilonMethod::gdp:
      return {0, 0.0,
              gaussian_dp_epsilon(std::sqrt(n * squared_gaussian_sensitivity(
                                                    account.aggregator, account.steps.neighbours)),
                                  delta),
              0.0};
    case EpsilonMethod::pure:
    case EpsilonMethod::kov: {
      const double step = *pure_epsilon(account.aggregator, account.steps.neighbours);
      const bool is_kov = headline.conversion == EpsilonMethod::kov;
      return {0, 0.0, composed_pure_dp_epsilon(step, queries, is_kov ? delta : 0.0), 0.0};
    }
    default:
      break;
  }
  std::vector<double> rdp;
  for (const double order : account.orders) {
    rdp.push_back(
        n * data_independent_cost(account.aggregator, account.steps.neighbours, order).total());
  }
  return best_on_grid(account.orders, rdp, rdp_conversion(headline.conversion), delta);
}

}  // namespace

std::vector<TrajectoryPoint> trajectory(const QueryCounts& query_counts, const Account& account,
                                        const std::vector<std::vector<double>>& by_checkpoint) {
  const CostEntry& headline = account.costs[account.headline];
  const auto answered = answered_by_checkpoint(query_counts, account.aggregator, headline.reading);
  std::vector<TrajectoryPoint> points;
  points.reserve(query_counts.checkpoints.size());
  for (std::size_t k = 0; k < query_counts.checkpoints.size(); ++k) {
    TrajectoryPoint point;
    if (k + 1 == query_counts.checkpoints.size()) {
      point.epsilon = headline.epsilon;
      point.order = headline.order.value_or(0.0);
    } else if (headline.bound == Bound::data_independent) {
      point = data_independent_point(account, headline, query_counts.checkpoints[k]);
    } else {
      const Conversion conversion = rdp_conversion(headline.conversion);
      const double delta =
          OrderSearch{account.delta, false, account.query_delta}.conversion_delta();
      std::vector<double> rdp;
      for (const auto& run : by_checkpoint) rdp.push_back(run[k]);
      point = best_on_grid(account.orders, rdp, conversion, delta);
    }
    point.queries = query_counts.checkpoints[k];
    point.answered = answered[k];
    points.push_back(point);
  }
  // More queries never cost less: what holds after more of them holds before.
  for (std::size_t k = points.size(); k-- > 1;) {
    if (points[k - 1].epsilon <= points[k].epsilon) continue;
    points[k - 1].epsilon = points[k].epsilon;
    points[k - 1].order = points[k].order;
  }
  return points;
}

}  // namespace pate
