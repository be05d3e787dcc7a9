#include "pate/aggregators/joint_cost.hpp"

#include <algorithm>
#include <cmath>

#include "pate/bounds/data_independent.hpp"
#include "pate/bounds/margin.hpp"
#include "pate/bounds/tradeoff.hpp"
#include "pate/math/bernoulli.hpp"
#include "pate/math/log_space.hpp"

namespace pate {

namespace {

// Between these an excess is held by a double with all its digits.
constexpr double kTiny = 1e-290;
constexpr double kHuge = 1e290;

}  // namespace

JointCost::JointCost(const AnswerLadder& ladder, double order, double noisy_max_cap)
    : first_(ladder.first()),
      order_(order),
      selection_cap_(threshold_data_independent(ladder.check().sigma1, order)),
      cap_(selection_cap_ + noisy_max_cap) {
  const auto make_line = [order](const LogBernoulliPair& pair) {
    const double log_selection = log_bernoulli_excess(pair, order);
    const double log_answered = pair.log_p_neighbour + order * pair.log_ratio;
    const double selection = std::exp(log_selection);
    const double answered = std::exp(log_answered);
    // A line that no double holds shows up as infinite; it is then decided by logarithms.
    if (!(selection < kHuge && answered < kHuge)) {
      return Line{kInfinity, 0.0, log_selection, log_answered};
    }
    return Line{selection, answered, log_selection, log_answered};
  };
  const auto size = static_cast<std::size_t>(ladder.last() - ladder.first() + 1);
  same_.reserve(size);
  up_.reserve(size);
  down_.reserve(size);
  for (std::int64_t v = ladder.first(); v <= ladder.last(); ++v) {
    const double log_p = ladder.log_answered(v);
    same_.push_back({0.0, std::exp(log_p), -kInfinity, log_p});
    if (v == ladder.last()) break;
    up_.push_back(make_line(ladder.step(v)));
    down_.push_back(make_line(reversed(ladder.step(v))));
  }
}

JointCost::Lines JointCost::lines(std::int64_t v, Direction direction) const {
  const bool forward = direction == Direction::forward;
  const auto i = static_cast<std::size_t>(v - first_);
  Lines result{{&same_[i], nullptr, nullptr}, 1};
  // D(v || v+1) is forward for the votes at v and reverse for those at v+1.
  if (i < up_.size()) result.line[result.count++] = forward ? &up_[i] : &down_[i];
  if (i > 0) result.line[result.count++] = forward ? &down_[i - 1] : &up_[i - 1];
  return result;
}

double JointCost::largest_excess(std::int64_t v, Direction direction, double excess) const {
  const Lines at = lines(v, direction);
  double largest = 0.0;
  for (std::size_t k = 0; k < at.count; ++k) {
    largest = std::max(largest, at.line[k]->selection + at.line[k]->answered * excess);
  }
  return largest;
}

double JointCost::largest_log_excess(std::int64_t v, Direction direction, double log_excess) const {
  const Lines at = lines(v, direction);
  double largest = -kInfinity;
  for (std::size_t k = 0; k < at.count; ++k) {
    largest = std::max(largest,
                       log_add(at.line[k]->log_selection, at.line[k]->log_answered + log_excess));
  }
  return largest;
}

double JointCost::cost(std::int64_t v, const BothDirections& log_excess) const {
  return cost(v, log_excess, {std::exp(log_excess.forward), std::exp(log_excess.reverse)});
}

double JointCost::cost(std::int64_t v, const BothDirections& log_excess,
                       const BothDirections& excess) const {
  if (!(excess.larger() < kHuge)) return costs(v, log_excess).larger();
  const double larger = std::max(largest_excess(v, Direction::forward, excess.forward),
                                 largest_excess(v, Direction::reverse, excess.reverse));
  if (larger > kTiny && larger < kHuge) {
    return std::min(with_margin(std::log1p(larger) / (order_ - 1.0)), cap_);
  }
  return costs(v, log_excess).larger();
}

BothDirections JointCost::costs(std::int64_t v, const BothDirections& log_excess) const {
  const auto cost = [&](Direction direction) {
    return cost_of_log_excess(largest_log_excess(v, direction, log_excess.of(direction)), order_,
                              cap_);
  };
  return {cost(Direction::forward), cost(Direction::reverse)};
}

double JointCost::selection_cost(std::int64_t v) const {
  const double largest = std::max(largest_log_excess(v, Direction::forward, -kInfinity),
                                  largest_log_excess(v, Direction::reverse, -kInfinity));
  return cost_of_log_excess(largest, order_, selection_cap_);
}

}  // namespace pate
