#include "pate/release/release_cost.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "pate/aggregators/joint_cost.hpp"
#include "pate/bounds/step_cost.hpp"
#include "pate/error.hpp"
#include "pate/math/margin.hpp"
#include "pate/math/sums.hpp"
#include "pate/sensitivity/sensitivity_table.hpp"
#include "pate/sensitivity/two_class_cost.hpp"

namespace pate {

namespace {

// More than the rounding of a compensated sum, as a share of the largest sum there can be.
constexpr double kSumError = 4e-15;

double largest_rdp(const VoteProfile& votes, ReleasedCost cost, double order) {
  const QueryCost step = data_independent_cost(votes.aggregator, order);
  const auto queries = static_cast<double>(votes.queries);
  const auto answered = cost == ReleasedCost::joint ? queries : static_cast<double>(votes.answered);
  return (queries * step.selection + answered * step.noisy_max) * (1.0 + kSumError);
}

double joint_rdp(const VoteProfile& votes, const ExcessCurve& curve) {
  const double cap = data_independent_cost(votes.aggregator, curve.order()).noisy_max;
  std::optional<JointCost> joint;
  if (votes.aggregator.selection) {
    const AnswerLadder ladder(*votes.aggregator.selection, 0, votes.teachers, votes.teachers);
    joint.emplace(ladder, curve.order(), cap);
  }
  CompensatedSum sum;
  for (const VoteProfile::Query& query : votes.distinct) {
    const double excess = curve.log_excess(query.log_q);
    const double cost = joint ? joint->costs(query.statistic, {excess, excess}).forward
                              : cost_of_log_excess(excess, curve.order(), cap);
    sum.add(static_cast<double>(query.count) * cost);
  }
  return sum.value();
}

double realized_rdp(const VoteProfile& votes, const ExcessCurve& curve) {
  const double cap = data_independent_cost(votes.aggregator, curve.order()).noisy_max;
  const CheckSensitivity checks(*votes.aggregator.selection, votes.teachers, curve.order());
  CompensatedSum sum;
  for (const VoteProfile::Query& query : votes.distinct) {
    sum.add(static_cast<double>(query.count) * checks.cost(query.statistic));
    if (query.answered == 0) continue;
    sum.add(static_cast<double>(query.answered) *
            cost_of_log_excess(curve.log_excess(query.log_q), curve.order(), cap));
  }
  return sum.value();
}

double exact_rdp(const VoteProfile& votes, const TwoClassCost& cost) {
  CompensatedSum sum;
  for (std::size_t i = 0; i < votes.distinct.size(); ++i) {
    sum.add(static_cast<double>(votes.distinct[i].count) * cost.cost(votes.histogram(i)[0]));
  }
  return sum.value();
}

}  // namespace

CostAtOrder cost_at_order(const VoteProfile& votes, double order, const CostChoice& choice) {
  if (!(order > 1.0) || !std::isfinite(order)) {
    throw parameter_error(fmt::format("the order must be > 1 and finite, got {}", order));
  }
  const bool realized = choice.cost == ReleasedCost::realized;
  if (realized && !(votes.has_decisions && votes.aggregator.selection)) {
    throw parameter_error("the realized cost needs a threshold and the decisions of the run");
  }
  CostAtOrder result;
  result.order = order;
  result.largest_rdp = largest_rdp(votes, choice.cost, order);
  if (choice.bound == ReleasedBound::exact) {
    if (realized) {
      throw parameter_error(
          "the exact cost has no realized reading; release the joint one, or the trade-off bound");
    }
    const TwoClassCost cost(votes.aggregator, votes.teachers, votes.classes, order);
    result.rdp = exact_rdp(votes, cost);
    result.local = cost.local_sensitivity(votes);
  } else {
    const ExcessCurve curve(votes.aggregator.noisy_max, votes.teachers, votes.classes, order,
                            choice.threads);
    result.rdp = realized ? realized_rdp(votes, curve) : joint_rdp(votes, curve);
    result.local = tradeoff_local_sensitivity(votes, curve, choice.cost, choice.resolution,
                                              choice.most_votes, choice.threads);
  }
  const double rounding = kSumError * result.largest_rdp;
  for (double& value : result.local.at) value += rounding;
  result.local.beyond += rounding;
  return result;
}

double largest_beta(double order) {
  return -0.5 * std::log1p(-1.0 / order);
}

double release_cost(double order, double beta, double sigma, double k) {
  const double less = (order - 1.0) * std::expm1(2.0 * beta);  // 1 - v
  if (!(less < 1.0)) return std::numeric_limits<double>::infinity();
  const double shift = 1.0 / sigma + k * std::expm1(beta);
  const double mean = 0.5 * order * shift * shift / (1.0 - less);
  const double variance = -0.5 * std::log1p(-less) / (order - 1.0) - beta;
  return with_margin(mean + variance);
}

}  // namespace pate
