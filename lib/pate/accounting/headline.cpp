#include "pate/accounting/headline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "pate/accounting/cost_entries.hpp"
#include "pate/error.hpp"
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
    for (const Occurrence& o : tally.occurrences_of(i)) {
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
      const double step = *account.aggregator.noisy_max.pure_epsilon();
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

std::size_t headline_of(std::span<const CostEntry> costs, const HeadlineChoice& choice) {
  const bool any_private = std::any_of(costs.begin(), costs.end(),
                                       [](const CostEntry& cost) { return cost.data_dependent; });
  const CostEntry* best = nullptr;
  for (const CostEntry& cost : costs) {
    if (choice.reading ? cost.reading != *choice.reading : cost.reading == Reading::realized) {
      continue;
    }
    if (choice.conversion ? cost.conversion != *choice.conversion
                          : any_private && cost.conversion != ReportedConversion::improved) {
      continue;
    }
    // Entries with votes come best first.
    if (best == nullptr || (!any_private && cost.epsilon < best->epsilon)) best = &cost;
  }
  if (best != nullptr) return static_cast<std::size_t>(best - costs.data());
  std::string computed;
  for (const CostEntry& cost : costs) computed += (computed.empty() ? "" : ", ") + label(cost);
  throw parameter_error(fmt::format(
      "no cost has{}{}{}{}; computed are {}", choice.reading ? " reading " : "",
      choice.reading ? name(*choice.reading) : "", choice.conversion ? " conversion " : "",
      choice.conversion ? name(*choice.conversion) : "", computed));
}

void add_headline_notices(std::span<const CostEntry> costs, std::size_t headline_index,
                          std::vector<Notice>& notices) {
  const CostEntry& headline = costs[headline_index];
  const auto add = [&](const char* code, std::string message) {
    notices.push_back({code, std::move(message)});
  };
  if (headline.data_dependent) {
    add("private_number",
        "the headline depends on the votes: it is for the owner of the data and must not be "
        "published as it is");
  }
  const CostEntry& public_cost =
      *std::min_element(costs.begin(), costs.end(), [](const CostEntry& a, const CostEntry& b) {
        return a.releasable != b.releasable ? a.releasable : a.epsilon < b.epsilon;
      });
  if (headline.data_dependent && public_cost.releasable &&
      public_cost.epsilon <= headline.epsilon * (1.0 + 1e-6)) {
    add("data_independent_no_larger", fmt::format("{} is no larger, {}, and may be published",
                                                  label(public_cost), public_cost.epsilon));
  }
  if (headline.reading == Reading::expected && headline.sd) {
    add("expectation",
        "the headline is an expectation over the selection noise, not a guarantee for a run");
  }
  if (headline.reading == Reading::realized) {
    add("realized_order",
        "a realized cost is a guarantee only at an order that was fixed before the run");
  }
  if (headline.bound == Bound::published) {
    add("forward_only",
        "the published bounds cover one of the two directions that (epsilon, delta) speaks of");
  }
}

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
