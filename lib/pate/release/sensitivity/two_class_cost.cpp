#include "pate/release/sensitivity/two_class_cost.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/mechanisms/supports.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

double two_class_log_excess(const Aggregator& aggregator, std::int64_t teachers, std::int64_t v,
                            std::int64_t w, std::int64_t seen, double order) {
  // The difference of two noisy counts, 2v - M with noise sqrt(2) sigma, is v - M/2 with sigma /
  // sqrt(2): a threshold check.
  const double sigma = aggregator.noisy_max.gaussian().sigma;
  const ThresholdCheck wins{0.5 * static_cast<double>(teachers), sigma / std::numbers::sqrt2};
  const double label = log_bernoulli_excess(answer_pair(wins, v, w), order);
  if (!aggregator.selection) return label;
  return log_answer_line(answer_pair(*aggregator.selection, v, seen), order).at(label);
}

TwoClassCost::TwoClassCost(const Aggregator& aggregator, const Neighbours& neighbours,
                           std::int64_t teachers, std::int64_t classes, double order)
    : least_((teachers + 1) / 2) {
  require(Asked::exact_smooth,
          Circumstances(aggregator, neighbours).with(Given::many_classes, classes != 2));
  const double cap = data_independent_cost(aggregator, neighbours, order).total();
  for (std::int64_t v = least_; v <= teachers; ++v) {
    double largest = -kInfinity;
    for (const std::int64_t w : {v - 1, v + 1}) {
      if (w < 0 || w > teachers) continue;
      largest = max_or_nan(largest, two_class_log_excess(aggregator, teachers, v, w, w, order));
    }
    costs_.push_back(cost_of_log_excess(largest, order, cap));
  }
}

LocalSensitivity TwoClassCost::local_sensitivity(const VoteProfile& votes) const {
  std::vector<double> steps(costs_.size());
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    for (const std::size_t j : {i - 1, i + 1}) {  // i - 1 wraps around at 0
      if (j >= costs_.size()) continue;
      const double larger = max_or_nan(costs_[i], costs_[j]);
      steps[i] = max_or_nan(
          steps[i], larger * (1.0 + kCostDifferenceMargin) - std::min(costs_[i], costs_[j]));
    }
  }
  std::map<std::int64_t, double> queries_by_count;
  for (std::size_t i = 0; i < votes.distinct.size(); ++i) {
    queries_by_count[votes.voted(i)[0]] += static_cast<double>(votes.distinct[i].count);
  }
  LocalSensitivity result;
  result.at.assign(static_cast<std::size_t>(votes.teachers) + 1, 0.0);
  for (const auto& [v, queries] : queries_by_count) {
    double largest = 0.0;
    for (std::size_t d = 0; d < result.at.size(); ++d) {
      const auto distance = static_cast<std::int64_t>(d);
      for (const std::int64_t w : {v - distance, v + distance}) {
        if (w < least_ || w > votes.teachers) continue;
        largest = max_or_nan(largest, steps[static_cast<std::size_t>(w - least_)]);
      }
      result.at[d] += queries * largest;
    }
  }
  for (double& value : result.at) value *= 1.0 + kSensitivitySumMargin;
  if (!result.at.empty()) result.beyond = result.at.back();
  return result;
}

}  // namespace pate
