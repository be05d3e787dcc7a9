#include "pate/sensitivity/check_sensitivity.hpp"

#include <cmath>
#include <limits>

#include "pate/bounds/data_independent.hpp"
#include "pate/bounds/tradeoff.hpp"
#include "pate/error.hpp"
#include "pate/mechanisms/answer_ladder.hpp"

namespace pate {

namespace {

constexpr double kCostError = 2e-9;
constexpr double kLogLongDouble = 11000.0;

double change(double after, double before) {
  return std::max(after * (1.0 + kCostError) - before, 0.0);
}

}  // namespace

CheckSensitivity::CheckSensitivity(const ThresholdCheck& check, std::int64_t teachers,
                                   double order) {
  const AnswerLadder ladder(check, 0, teachers, teachers);
  const double cap = threshold_data_independent(check.sigma1, order);
  for (std::int64_t v = 0; v <= teachers; ++v) {
    double largest = -std::numeric_limits<double>::infinity();
    if (v < teachers) largest = log_bernoulli_excess(ladder.step(v), order);
    if (v > 0) {
      largest = std::max(largest, log_bernoulli_excess(reversed(ladder.step(v - 1)), order));
    }
    costs_.push_back(cost_of_log_excess(largest, order, cap));
  }
  steps_.resize(costs_.size());
  for (std::size_t v = 0; v < costs_.size(); ++v) {
    for (const std::size_t w : {v - 1, v, v + 1}) {  // v - 1 wraps around at 0
      if (w >= costs_.size()) continue;
      steps_[v].up = std::max(steps_[v].up, change(costs_[w], costs_[v]));
      steps_[v].down = std::max(steps_[v].down, change(costs_[v], costs_[w]));
    }
  }
}

void CheckSensitivity::around(std::int64_t v, std::vector<CheckStep>& steps) const {
  const auto last = static_cast<std::int64_t>(steps_.size()) - 1;
  CheckStep largest;
  for (std::size_t d = 0; d < steps.size(); ++d) {
    const auto distance = static_cast<std::int64_t>(d);
    for (const std::int64_t w : {v - distance, v + distance}) {
      if (w < 0 || w > last) continue;
      const CheckStep& step = steps_[static_cast<std::size_t>(w)];
      largest = {std::max(largest.up, step.up), std::max(largest.down, step.down)};
    }
    steps[d] = largest;
  }
}

NoisyMaxSensitivity::NoisyMaxSensitivity(const QGrid& grid, double order, double log_cap) {
  if (!(log_cap < kLogLongDouble)) {
    throw validity_error(
        "the order is too large for so little noise: the moments of one query are beyond every "
        "floating point number; choose a smaller --order");
  }
  const auto cost = [order](long double excess) {
    return static_cast<double>(std::log1p(excess)) / (order - 1.0);
  };
  const auto largest = [&](const ExcessStep& step) {
    return std::max(change(cost(step.low + step.rise), cost(step.low)),
                    change(cost(step.high + step.rise), cost(step.high)));
  };
  for (std::size_t k = 0; k < grid.size(); ++k) {
    up.push_back(largest(grid.upwards(k)));
    down.push_back(largest(grid.downwards(k)));
  }
}

}  // namespace pate
