#include "pate/accounting/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "pate/accounting/rdp_entry.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/rdp/gaussian_dp.hpp"
#include "pate/rdp/pure_dp.hpp"

namespace pate {

namespace {

std::vector<double> answered_by_checkpoint(const Tally& tally, const Aggregator& aggregator,
                                           Reading reading) {
  std::vector<double> answered(tally.checkpoints.size(), 0.0);
  for (std::size_t i = 0; i < tally.distinct.size(); ++i) {
    double p = 1.0;
    if (aggregator.selection && reading != Reading::worst_case) {
      p = std::exp(log_answered(*aggregator.selection, tally.distinct[i].statistic));
    }
    for (const Tally::Occurrence& o : tally.occurrences_of(i)) {
      answered[o.checkpoint] += reading == Reading::realized ? o.answered : p * o.count;
    }
  }
  for (std::size_t k = 1; k < answered.size(); ++k) answered[k] += answered[k - 1];
  return answered;
}

// Epsilon and order on the grid for RDP by order; what the trajectory tells between its ends.
TrajectoryPoint best_on_grid(std::span<const double> orders, std::span<const double> rdp,
                             Conversion conversion, double delta) {
  TrajectoryPoint point;
  point.epsilon = std::numeric_limits<double>::infinity();
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
  const auto n = static_cast<double>(queries);
  switch (headline.conversion) {
    case ReportedConversion::gdp:
      return {0, 0.0,
              gaussian_dp_epsilon(std::sqrt(n * squared_gaussian_sensitivity(account.aggregator)),
                                  account.delta),
              0.0};
    case ReportedConversion::pure:
    case ReportedConversion::kov: {
      const double step = 2.0 * std::get<LaplaceNoisyMax>(account.aggregator.noisy_max).gamma();
      return {0, 0.0, composed_pure_dp_epsilon(step, queries, headline.delta), 0.0};
    }
    default:
      break;
  }
  std::vector<double> rdp;
  for (const double order : account.orders) {
    rdp.push_back(n * data_independent_cost(account.aggregator, order).total());
  }
  return best_on_grid(account.orders, rdp, rdp_conversion(headline.conversion), account.delta);
}

}  // namespace

std::vector<TrajectoryPoint> trajectory(const Tally& tally, const Account& account,
                                        const std::vector<std::vector<double>>& by_checkpoint) {
  const CostEntry& headline = account.costs[account.headline];
  const auto answered = answered_by_checkpoint(tally, account.aggregator, headline.reading);
  std::vector<TrajectoryPoint> points;
  points.reserve(tally.checkpoints.size());
  for (std::size_t k = 0; k < tally.checkpoints.size(); ++k) {
    TrajectoryPoint point;
    if (k + 1 == tally.checkpoints.size()) {
      point.epsilon = headline.epsilon;
      point.order = headline.order.value_or(0.0);
    } else if (headline.bound == Bound::data_independent) {
      point = data_independent_point(account, headline, tally.checkpoints[k]);
    } else {
      std::vector<double> rdp;
      for (const auto& run : by_checkpoint) rdp.push_back(run[k]);
      point = best_on_grid(account.orders, rdp, rdp_conversion(headline.conversion), account.delta);
    }
    point.queries = tally.checkpoints[k];
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
