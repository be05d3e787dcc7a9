#include "pate/aggregators/joint_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "pate/bounds/data_independent.hpp"
#include "pate/bounds/margin.hpp"
#include "pate/bounds/tradeoff.hpp"
#include "pate/math/bernoulli.hpp"
#include "pate/math/log_space.hpp"

namespace pate {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Between these an excess is held by a double with all its digits.
constexpr double kTiny = 1e-290;
constexpr double kHuge = 1e290;

template <class Line>
double largest_excess(std::span<const Line> lines, double excess) {
  double largest = 0.0;
  for (const Line& line : lines) {
    largest = std::max(largest, line.selection + line.answered * excess);
  }
  return largest;
}

template <class Line>
bool is_finite(const Line& line) {
  return line.selection < kHuge && line.answered < kHuge;
}

template <class Line>
double largest_log_excess(std::span<const Line> lines, double log_excess) {
  double largest = -kInfinity;
  for (const Line& line : lines) {
    largest = std::max(largest, log_add(line.log_selection, line.log_answered + log_excess));
  }
  return largest;
}

}  // namespace

JointCost::JointCost(const AnswerLadder& ladder, double order, double noisy_max_cap)
    : first_(ladder.first()),
      order_(order),
      selection_cap_(threshold_data_independent(ladder.check().sigma1, order)),
      cap_(selection_cap_ + noisy_max_cap),
      lines_(static_cast<std::size_t>(ladder.last() - ladder.first() + 1)) {
  const auto make_line = [order](const LogBernoulliPair& pair) {
    const double log_selection = log_bernoulli_excess(pair, order);
    const double log_answered = pair.log_p_neighbour + order * pair.log_ratio;
    return Line{std::exp(log_selection), std::exp(log_answered), log_selection, log_answered};
  };
  for (std::int64_t v = ladder.first(); v <= ladder.last(); ++v) {
    Lines& here = lines_[static_cast<std::size_t>(v - first_)];
    const double log_p = ladder.log_answered(v);
    here.forward.push_back({0.0, std::exp(log_p), -kInfinity, log_p});
    here.reverse.push_back(here.forward.back());
    if (v == ladder.last()) break;
    Lines& above = lines_[static_cast<std::size_t>(v + 1 - first_)];
    // D(v || v+1) is forward for the votes at v and reverse for those at v+1.
    const Line up = make_line(ladder.step(v));
    const Line down = make_line(reversed(ladder.step(v)));
    here.forward.push_back(up);
    here.reverse.push_back(down);
    above.forward.push_back(down);
    above.reverse.push_back(up);
    if (!is_finite(up) || !is_finite(down)) here.finite = above.finite = false;
  }
}

double JointCost::cost(std::int64_t v, const BothDirections& log_excess) const {
  return cost(v, log_excess, {std::exp(log_excess.forward), std::exp(log_excess.reverse)});
}

double JointCost::cost(std::int64_t v, const BothDirections& log_excess,
                       const BothDirections& excess) const {
  const Lines& at = lines(v);
  if (!at.finite || !(excess.larger() < kHuge)) return costs(v, log_excess).larger();
  const double larger = std::max(largest_excess<Line>(at.forward, excess.forward),
                                 largest_excess<Line>(at.reverse, excess.reverse));
  if (larger > kTiny && larger < kHuge) {
    return std::min(with_margin(std::log1p(larger) / (order_ - 1.0)), cap_);
  }
  return costs(v, log_excess).larger();
}

BothDirections JointCost::costs(std::int64_t v, const BothDirections& log_excess) const {
  const Lines& at = lines(v);
  return {
      cost_of_log_excess(largest_log_excess<Line>(at.forward, log_excess.forward), order_, cap_),
      cost_of_log_excess(largest_log_excess<Line>(at.reverse, log_excess.reverse), order_, cap_)};
}

double JointCost::selection_cost(std::int64_t v) const {
  const Lines& at = lines(v);
  const double largest = std::max(largest_log_excess<Line>(at.forward, -kInfinity),
                                  largest_log_excess<Line>(at.reverse, -kInfinity));
  return cost_of_log_excess(largest, order_, selection_cap_);
}

}  // namespace pate
