#include "pate/release/smooth/release_cost.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "pate/accounting/circumstances.hpp"
#include "pate/accounting/count_distinct.hpp"
#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/numerics/sums.hpp"
#include "pate/release/sensitivity/local_sensitivity.hpp"
#include "pate/release/sensitivity/sensitivity_table.hpp"
#include "pate/release/sensitivity/two_class_cost.hpp"

namespace pate {

namespace {

// More than the rounding of a compensated sum, as a share of the largest sum there can be.
constexpr double kSumError = 4e-15;

double largest_rdp(const VoteProfile& votes, ReleasedCost cost, double order) {
  const QueryCost step = data_independent_cost(votes.aggregator, votes.neighbours, order);
  const auto queries = static_cast<double>(votes.queries);
  const auto answered = cost == ReleasedCost::joint ? queries : static_cast<double>(votes.answered);
  return (queries * step.selection + answered * step.noisy_max) * (1.0 + kSumError);
}

double joint_rdp(const VoteProfile& votes, const ExcessCurve& curve) {
  const double cap =
      data_independent_cost(votes.aggregator, votes.neighbours, curve.order()).noisy_max;
  std::optional<JointCost> joint;
  if (votes.aggregator.selection) {
    const AnswerTable ladder(*votes.aggregator.selection, votes.neighbours, 0, votes.teachers,
                             votes.teachers);
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
  const double cap =
      data_independent_cost(votes.aggregator, votes.neighbours, curve.order()).noisy_max;
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
    sum.add(static_cast<double>(votes.distinct[i].count) * cost.cost(votes.voted(i)[0]));
  }
  return sum.value();
}

template <class Function>
double minimize(Function&& f, double low, double high, int bits) {
  std::uintmax_t evaluations = 60;
  return boost::math::tools::brent_find_minima(f, low, high, bits, evaluations).first;
}

// The weight of a standard deviation in the objective.
double weight(const ReleaseGoal& goal) {
  return goal.k > 0.0 ? goal.k : 2.0;
}

double best_log_sigma(double order, double beta, double sensitivity, const ReleaseGoal& goal) {
  // Without shift sigma^3 = order / (v weight S); a shift wants less noise.
  const double v = 1.0 - (order - 1.0) * std::expm1(2.0 * beta);
  const double middle = std::log(order / (v * weight(goal) * std::max(sensitivity, 1e-300))) / 3.0;
  return minimize(
      [&](double log_sigma) {
        const double sigma = std::exp(log_sigma);
        return release_cost(order, beta, sigma, goal.k) + weight(goal) * sensitivity * sigma;
      },
      middle - 6.0, middle + 3.0, 20);
}

// Up to this many distinct queries are looked at when parameters are looked for.
constexpr std::size_t kManyQueries = 500;

// Every n-th distinct query, n times as often: about the same costs and sensitivities.
VoteProfile thinned(const VoteProfile& votes) {
  const std::size_t n = votes.distinct.size() / kManyQueries + 1;
  if (n == 1) return votes;
  VoteProfile result = votes.without_queries();
  for (std::size_t i = n / 2; i < votes.distinct.size(); i += n) {
    VoteProfile::Query query = votes.distinct[i];
    query.count *= static_cast<std::int64_t>(n);
    query.answered *= static_cast<std::int64_t>(n);
    result.add(query, votes.voted(i));
  }
  return result;
}

}  // namespace

VoteProfile collect_votes(const Run& run, unsigned threads) {
  require(Asked::release, circumstances_of(run));
  VoteProfile votes;
  votes.aggregator = run.aggregator.noisy();
  votes.neighbours = run.neighbours;
  votes.teachers = run.votes.teachers();
  votes.classes = run.votes.classes();
  votes.queries = run.rows.size();
  votes.has_decisions = run.decisions.has_value();
  require(votes.classes >= 2, "a release needs votes over at least two classes, got one");
  const DistinctQueries counted = count_distinct(run, sorted_histogram(), {.threads = threads});
  const UnionBoundTable table(pair_term(votes.aggregator.noisy_max), votes.teachers);
  constexpr std::size_t kPiece = 256;
  const auto voted = [&](std::size_t i) { return counted.keys[i].subspan(1); };
  std::vector<double> log_q(counted.keys.size());
  parallel_for((log_q.size() + kPiece - 1) / kPiece, threads, [&](std::size_t piece) {
    const std::size_t end = std::min((piece + 1) * kPiece, log_q.size());
    for (std::size_t i = piece * kPiece; i < end; ++i) {
      const auto classes = static_cast<std::size_t>(votes.classes);
      log_q[i] = table.log_q(voted(i), classes - voted(i).size());
    }
  });
  for (std::size_t i = 0; i < counted.keys.size(); ++i) {
    const DistinctQueries::Times times = counted.times(i);
    votes.add({counted.keys[i].front(), log_q[i], times.count, times.answered}, voted(i));
    votes.answered += times.answered;
  }
  return votes;
}

CostAtOrder cost_at_order(const VoteProfile& votes, double order, const CostChoice& choice) {
  require(order > 1.0 && std::isfinite(order), "the order must be > 1 and finite, got {}", order);
  require(Asked::smooth_release, votes.neighbours);
  const bool realized = choice.cost == ReleasedCost::realized;
  require(!realized || (votes.has_decisions && votes.aggregator.selection),
          "the realized cost needs a threshold and the decisions of the run");
  CostAtOrder result;
  result.order = order;
  result.largest_rdp = largest_rdp(votes, choice.cost, order);
  if (choice.bound == ReleasedBound::exact) {
    require(Asked::exact_smooth, Circumstances(Neighbours{}).with(Given::realized, realized));
    const TwoClassCost cost(votes.aggregator, votes.neighbours, votes.teachers, votes.classes,
                            order);
    result.rdp = exact_rdp(votes, cost);
    result.local = cost.local_sensitivity(votes);
  } else {
    if (!votes.distinct.empty()) {
      require_moments(log_excess_cap(votes.aggregator.step(votes.neighbours), order));
    }
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

void validate(const ReleaseParameters& parameters) {
  require(parameters.order >= kLowestOrder && parameters.order <= kHighestOrder,
          "the order of a release must be from 1 + 1e-9 to 1e9, got {}", parameters.order);
  require(parameters.beta > 0.0 &&
              parameters.beta * (1.0 + kReleaseMargin) < largest_beta(parameters.order),
          "beta must be > 0 and < 1/2 log(order / (order - 1)) = {:.6g} at order {}, got {}",
          largest_beta(parameters.order), parameters.order, parameters.beta);
  require(parameters.sigma > 0.0 && std::isfinite(parameters.sigma),
          "sigma-ss must be > 0 and finite, got {}", parameters.sigma);
}

ReleaseNumbers release_numbers(const CostAtOrder& cost, const ReleaseParameters& parameters,
                               const ReleaseGoal& goal) {
  const SmoothSensitivity smooth = smooth_sensitivity(cost.local, parameters.beta);
  ReleaseNumbers result;
  result.epsilon_before = epsilon_from_rdp(Conversion::improved, cost.rdp, cost.order, goal.delta);
  result.smooth_sensitivity = smooth.value * (1.0 + kReleaseMargin);
  result.release_cost = release_cost(parameters.order, parameters.beta * (1.0 + kReleaseMargin),
                                     parameters.sigma, goal.k);
  result.noise_sd = result.smooth_sensitivity * parameters.sigma;
  result.mean_released = result.epsilon_before + result.release_cost + goal.k * result.noise_sd;
  result.at_end = smooth.at_end;
  return result;
}

ReleaseParameters best_noise(const CostAtOrder& cost, const ReleaseGoal& goal, bool known_only) {
  const double most = largest_beta(cost.order);
  const auto at = [&](double beta) {
    const double sensitivity = smooth_sensitivity(cost.local, beta).value;
    return ReleaseParameters{cost.order, beta,
                             std::exp(best_log_sigma(cost.order, beta, sensitivity, goal))};
  };
  const auto objective = [&](double share) {
    const ReleaseNumbers numbers = release_numbers(cost, at(share * most), goal);
    return known_only && numbers.at_end ? kInfinity : numbers.objective(goal.k);
  };
  constexpr int kScan = 40;
  double best = 1.0 / kScan;
  double smallest = kInfinity;
  for (int i = 1; i < kScan; ++i) {
    const double share = static_cast<double>(i) / kScan;
    const double value = objective(share);
    if (value < smallest) {
      smallest = value;
      best = share;
    }
  }
  const double share =
      minimize(objective, best - 0.999 / kScan, std::min(best + 0.999 / kScan, 0.9999), 20);
  return at((objective(share) < smallest ? share : best) * most);
}

ReleaseParameters best_parameters(const VoteProfile& all_votes, const ReleaseGoal& goal,
                                  const CostChoice& choice) {
  const VoteProfile votes = thinned(all_votes);
  const auto cost_on = [&](const GridResolution& resolution, double log_order) {
    const double order = 1.0 + std::exp(log_order);
    CostChoice of = choice;
    of.resolution = resolution;
    of.most_votes = std::min(votes.teachers, static_cast<std::int64_t>(40.0 * order) + 200);
    return cost_at_order(votes, order, of);
  };
  const auto objective_on = [&](const GridResolution& resolution) {
    return [&, resolution, known = std::map<double, double>()](double log_order) mutable {
      const auto found = known.find(log_order);
      if (found != known.end()) return found->second;
      double value = kInfinity;
      try {
        const CostAtOrder cost = cost_on(resolution, log_order);
        value = release_numbers(cost, best_noise(cost, goal), goal).objective(goal.k);
      } catch (const validity_error&) {  // an order that is too large
      }
      return known.emplace(log_order, value).first->second;
    };
  };
  // Downhill from order 9 in steps of a factor in order - 1, then between the neighbours on a finer
  // grid, until less than 0.1% can be won.
  auto rough = objective_on(GridResolution::rough());
  double best = std::log(8.0);
  for (const double step : {0.5, -0.5, 0.25, -0.25}) {
    while (best > -4.0 && best < 9.0 && rough(best + step) < rough(best)) best += step;
  }
  auto fine = objective_on(GridResolution::coarse());
  const double found =
      boost::math::tools::brent_find_minima(std::ref(fine), best - 0.3, best + 0.3, 6).first;
  best = fine(found) < fine(best) ? found : best;
  return best_noise(cost_on(GridResolution::coarse(), best), goal);
}

}  // namespace pate
