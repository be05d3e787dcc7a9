#include "pate/divergence/bounds/joint_cost.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/numerics/kernels/kernels.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

double LogAnswerLine::at(double log_x) const {
  return log_add(selection, answered + log_x);
}

LogAnswerLine log_answer_line(const LogBernoulliPair& pair, double order) {
  return {log_bernoulli_excess(pair, order), pair.log_p_neighbour + order * pair.log_ratio};
}

StatisticPlaces::StatisticPlaces(const AnswerTable& ladder, std::vector<std::int64_t> statistics)
    : first_(ladder.first()),
      statistics_(std::move(statistics)),
      places_(static_cast<std::size_t>(ladder.last() - ladder.first() + 1), -1) {
  for (std::size_t i = 0; i < statistics_.size(); ++i) {
    places_.at(static_cast<std::size_t>(statistics_[i] - first_)) = static_cast<std::int32_t>(i);
  }
}

JointCost::JointCost(const AnswerTable& ladder, double order, double noisy_max_cap,
                     const StatisticPlaces* only)
    : first_(ladder.first()),
      only_(only),
      order_(order),
      selection_cap_(threshold_data_independent(ladder.rule(), ladder.neighbours(), order)),
      cap_(selection_cap_ + noisy_max_cap) {
  const auto size = only == nullptr ? static_cast<std::size_t>(ladder.last() - ladder.first() + 1)
                                    : only->statistics().size();
  lines_.resize(size);
  log_lines_.resize(size);
  const auto add = [this](std::size_t i, const LogAnswerLine& forward,
                          const LogAnswerLine& reverse) {
    lines_[i].forward.add(forward.in_doubles());
    lines_[i].reverse.add(reverse.in_doubles());
    log_lines_[i].forward.add(forward);
    log_lines_[i].reverse.add(reverse);
  };
  // The comparison of v with v + S, if it was the last: where S = 1, v + 1 needs it too.
  std::int64_t compared = ladder.first() - ladder.reach();
  LogAnswerLine up;
  LogAnswerLine down;
  const auto compare = [&](std::int64_t v) {
    if (v == compared) return;
    compared = v;
    up = log_answer_line(ladder.step(v), order);
    down = log_answer_line(reversed(ladder.step(v)), order);
  };
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t v =
        only == nullptr ? first_ + static_cast<std::int64_t>(i) : only->statistics()[i];
    // D(v - S || v) is forward for the votes at v - S and reverse for those at v.
    if (v > ladder.first()) {
      compare(v - ladder.reach());
      add(i, down, up);
    }
    const LogAnswerLine same{LogAnswerLine::kLeast, ladder.log_answered(v)};
    add(i, same, same);
    if (v < ladder.last()) {
      compare(v);
      add(i, up, down);
    }
  }
}

double JointCost::cost(std::int64_t v, const BothDirections& log_excess) const {
  return cost(v, log_excess, {std::exp(log_excess.forward), std::exp(log_excess.reverse)});
}

double JointCost::cost(std::int64_t v, const BothDirections& log_excess,
                       const BothDirections& excess) const {
  if (!(excess.larger() < kMaxLinearExcess)) return costs(v, log_excess).larger();
  const auto& lines = lines_[index(v)];
  const double larger =
      max_or_nan(lines.forward.at(excess.forward), lines.reverse.at(excess.reverse));
  return fits_double(larger) ? cost_of_excess(larger, order_, cap_) : costs(v, log_excess).larger();
}

void JointCost::cost(std::int64_t v, std::span<const Node> nodes, double* costs) const {
  const auto& lines = lines_[index(v)];
  bool held = true;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const BothDirections& excess = nodes[k].excess;
    costs[k] = max_or_nan(lines.forward.at(excess.forward), lines.reverse.at(excess.reverse));
    held = held && excess.larger() < kMaxLinearExcess && fits_double(costs[k]);
  }
  if (!held) {
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      costs[k] = cost(v, nodes[k].log_excess, nodes[k].excess);
    }
    return;
  }
  kernels().log1p_positive(costs, nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const double cost = with_margin(costs[k] / (order_ - 1.0));
    costs[k] = cost < cap_ ? cost : cap_;
  }
}

BothDirections JointCost::costs(std::int64_t v, const BothDirections& log_excess) const {
  const auto& lines = log_lines_[index(v)];
  return {cost_of_log_excess(lines.forward.at(log_excess.forward), order_, cap_),
          cost_of_log_excess(lines.reverse.at(log_excess.reverse), order_, cap_)};
}

double JointCost::selection_cost(std::int64_t v) const {
  const auto& lines = log_lines_[index(v)];
  const double largest =
      max_or_nan(lines.forward.at(LogAnswerLine::kLeast), lines.reverse.at(LogAnswerLine::kLeast));
  return cost_of_log_excess(largest, order_, selection_cap_);
}

}  // namespace pate
