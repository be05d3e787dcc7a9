#include "pate/events/record_trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/events/cost_alike.hpp"
#include "pate/events/record_answers.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// Longer trajectories are not told: every point would be counted anew.
constexpr std::size_t kMaxTrajectory = 1000;

// RDP of each event by itself at the orders, as the headline counts it; empty where it is of
// another kind.
std::vector<std::vector<double>> curves_behind(const CostEntry& headline, const Record& record,
                                               std::span<const double> orders, unsigned threads) {
  std::vector<std::vector<double>> result;
  std::vector<std::size_t> known;  // of those that cost alike the first
  for (const Event& event : record) {
    const auto alike =
        std::ranges::find_if(known, [&](std::size_t at) { return cost_alike(record[at], event); });
    if (alike != known.end()) {
      result.push_back(result[*alike]);
      continue;
    }
    known.push_back(result.size());
    RecordSums sums({event}, threads);
    std::vector<double> curve;
    if (headline.data_dependent) {
      curve = sums.tradeoff(orders);
    } else {
      for (const double order : orders) curve.push_back(sums.any_votes(order));
    }
    result.push_back(std::move(curve));
  }
  return result;
}

}  // namespace

std::vector<TrajectoryPoint> record_trajectory(const RecordQuestion& asked, const Record& record,
                                               const CostEntry& headline) {
  const bool is_rdp = headline.conversion == EpsilonMethod::optimal ||
                      headline.conversion == EpsilonMethod::improved ||
                      headline.conversion == EpsilonMethod::classic;
  const bool is_gaussian = headline.conversion == EpsilonMethod::gdp;
  const bool is_sum =
      headline.bound == Bound::data_independent ||
      (headline.bound == Bound::tradeoff && headline.reading == GuaranteeKind::joint);
  const bool any_number =
      std::ranges::any_of(record, [](const Event& event) { return event.open.drawn.has_value(); });
  if (record.size() < 2 || record.size() > kMaxTrajectory || !is_sum || any_number ||
      !(is_rdp || is_gaussian) || asked.sums.is_adaptive()) {
    return {};
  }
  const double delta = asked.search().conversion_delta();
  const auto curves = is_rdp ? curves_behind(headline, record, asked.orders, asked.threads)
                             : std::vector<std::vector<double>>(record.size());
  std::vector<double> rdp(asked.orders.size(), 0.0);
  double squared_mu = 0.0;
  Record first;
  std::vector<TrajectoryPoint> result;
  for (std::size_t k = 0; k < record.size(); ++k) {
    first.push_back(record[k]);
    const RecordAnswers counts = answers_of(first);
    TrajectoryPoint point{
        counts.queries, counts.answered_expected.value_or(std::numeric_limits<double>::quiet_NaN()),
        kInfinity, 0.0};
    if (is_gaussian) {
      squared_mu += RecordSums({record[k]}, asked.threads).squared_mu().value();
      point.epsilon = gaussian_dp_epsilon(std::sqrt(squared_mu), delta);
    }
    for (std::size_t j = 0; j < rdp.size() && is_rdp; ++j) {
      rdp[j] = sum_upwards(rdp[j], curves[k][j]);
      const double epsilon = std::max(
          epsilon_from_rdp(rdp_conversion(headline.conversion), rdp[j], asked.orders[j], delta),
          0.0);
      if (epsilon < point.epsilon) {
        point.epsilon = epsilon;
        point.order = asked.orders[j];
      }
    }
    if (k + 1 == record.size()) {
      point.epsilon = headline.epsilon;
      point.order = headline.order.value_or(0.0);
    }
    result.push_back(point);
  }
  // More events never cost less: what holds after more of them holds before.
  for (std::size_t k = result.size(); k-- > 1;) {
    TrajectoryPoint& before = result[k - 1];
    if (before.epsilon <= result[k].epsilon) continue;
    before.epsilon = result[k].epsilon;
    before.order = result[k].order;
  }
  return result;
}

}  // namespace pate
