#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

// The exact cost where a neighbour is any within several teachers: all are listed.

namespace {

// What a change of the statistic costs in both directions, by the statistic of the neighbour.
class CheckLines {
 public:
  CheckLines(const Aggregator& aggregator, std::int64_t statistic, double order)
      : check_(aggregator.selection), statistic_(statistic), order_(order) {}

  [[nodiscard]] BothDirections joint(std::int64_t neighbour, const BothDirections& log_excess) {
    if (!check_) return log_excess;
    const auto [found, is_new] = known_.try_emplace(neighbour);
    if (is_new) {
      const LogBernoulliPair pair = answer_pair(*check_, statistic_, neighbour);
      found->second = {log_answer_line(pair, order_), log_answer_line(reversed(pair), order_)};
    }
    return {found->second.first.at(log_excess.forward),
            found->second.second.at(log_excess.reverse)};
  }

 private:
  const std::optional<ThresholdCheck>& check_;
  std::int64_t statistic_;
  double order_;
  std::map<std::int64_t, std::pair<LogAnswerLine, LogAnswerLine>> known_;
};

BothDirections larger_cost_of(const BothDirections& a, const BothDirections& b) {
  return {max_or_nan(a.forward, b.forward), max_or_nan(a.reverse, b.reverse)};
}

}  // namespace

void ExactCost::make_ball() {
  const Neighbours& neighbours = mechanism_.aggregator().neighbours();
  ball_size_ = pate::ball_size(votes_, neighbours);
  if (ball_size_ > kMaxBall) {
    throw parameter_error(fmt::format(
        "an exact cost lists all neighbours, and a query with {} different counts has more than {} "
        "of {}: the bound tradeoff (pate analyze without --exact) holds for them all the same",
        votes_.groups.size(), kMaxBall, in_words(neighbours)));
  }
  const auto& check = mechanism_.aggregator().selection;
  if (!check) {
    answers_.resize(1);
    return;
  }
  zero_line_ = 1;
  const std::int64_t v = votes_.statistic;
  const std::int64_t more = neighbours.adds_or_removes() ? neighbours.teachers : 0;
  const std::int64_t most = mechanism_.teachers() + more;
  answers_ = {answer_pair(*check, v, std::max<std::int64_t>(v - neighbours.teachers, 0)),
              answer_pair(*check, v, v),
              answer_pair(*check, v, std::min(v + neighbours.teachers, most))};
}

const BallOutcomes* ExactCost::ball() {
  if (!tried_) ball_ = mechanism_.ball(votes_);
  tried_ = true;
  return ball_ ? &*ball_ : nullptr;
}

std::vector<std::size_t> ExactCost::kinds_in_ball() const {
  const Neighbours& neighbours = mechanism_.aggregator().neighbours();
  std::vector<std::size_t> result;
  const auto all = neighbours_in_ball(votes_, neighbours);
  for (const BallNeighbour& one : all.value()) {
    result.push_back(kind_of(one, neighbours.teachers));
  }
  return result;
}

BothDirections ExactCost::bound_of_ball(double order, const BothDirections& tradeoff) const {
  const Lines at = lines(order);
  BothDirections largest{-kInfinity, -kInfinity};
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    largest = larger_cost_of(largest, joint_log_excess(at, i, tradeoff));
  }
  return costs(largest, order, kCostMargin);
}

BothDirections ExactCost::largest_in_ball(double order, const BothDirections& tradeoff) {
  const BothDirections bound = bound_of_ball(order, tradeoff);
  const BallOutcomes* const outcomes = ball();
  if (outcomes == nullptr) return bound;
  CheckLines lines(mechanism_.aggregator(), votes_.statistic, order);
  BothDirections largest{-kInfinity, -kInfinity};
  for (const BallOutcomes::OfNeighbour& one : outcomes->neighbours()) {
    largest = larger_cost_of(largest, lines.joint(one.statistic, one.log_excess(order)));
  }
  BothDirections result = costs(largest, order, kExactCostMargin);
  if (result.forward > bound.forward) result.forward = bound.forward;
  if (result.reverse > bound.reverse) result.reverse = bound.reverse;
  return result;
}

std::optional<BallNeighbour> ExactCost::worst_in_ball(double order) {
  if (!is_ball() || ball() == nullptr) return std::nullopt;
  CheckLines lines(mechanism_.aggregator(), votes_.statistic, order);
  std::optional<std::size_t> worst;
  double largest = -kInfinity;
  const auto& all = ball_->neighbours();
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double joint = lines.joint(all[k].statistic, all[k].log_excess(order)).larger();
    if (worst && !(joint > largest)) continue;
    worst = k;
    largest = joint;
  }
  if (!worst) return std::nullopt;
  return neighbours_in_ball(votes_, mechanism_.aggregator().neighbours()).value()[*worst];
}

std::vector<DistributionPair> ExactCost::tables_of(const BallOutcomes& outcomes) const {
  const auto& check = mechanism_.aggregator().selection;
  std::vector<DistributionPair> result;
  result.reserve(outcomes.neighbours().size());
  for (const BallOutcomes::OfNeighbour& one : outcomes.neighbours()) {
    DistributionPair table;
    LogBernoulliPair pair{};  // without a selection every query is answered
    if (check) {
      pair = answer_pair(*check, votes_.statistic, one.statistic);
      table.push_back(
          {std::exp(pair.log_not_p), std::exp(pair.log_not_p_neighbour), pair.log_not_ratio});
    }
    for (const BallOutcomes::Element& e : one.elements) {
      table.push_back({e.classes * std::exp(e.log_p + pair.log_p),
                       e.classes * std::exp(e.log_p + e.log_ratio + pair.log_p_neighbour),
                       pair.log_ratio - e.log_ratio});
    }
    result.push_back(std::move(table));
  }
  return result;
}

}  // namespace pate
