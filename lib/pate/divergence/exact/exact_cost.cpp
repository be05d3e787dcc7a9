#include "pate/divergence/exact/exact_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/mechanisms/union_bound.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

// Where q is above this the trade-off bound is not worth trying: the noisy maximum costs something.
constexpr double kLogNegligible = -30.0;
// How much the trade-off bound may add to the cost when it takes the place of the exact one.
constexpr double kNegligible = 1e-11;

// At least x >= 0, and hardly more.
float float_above(double x) {
  const double rounded = x * (1.0 + 1e-6);
  if (!(rounded < static_cast<double>(std::numeric_limits<float>::max()))) {
    return std::numeric_limits<float>::infinity();
  }
  return std::max(static_cast<float>(rounded), std::numeric_limits<float>::min());
}

double log_q_of(const NoisyMax& noisy_max, const GroupedVotes& votes) {
  std::vector<std::int32_t> counts;
  std::size_t zeros = 0;
  for (const VoteGroup& group : votes.groups) {
    const auto classes = static_cast<std::size_t>(group.classes);
    if (group.count > 0) counts.insert(counts.end(), classes, group.count);
    if (group.count == 0) zeros += classes;
  }
  return log_union_bound(counts, zeros, pair_term(noisy_max));
}

BothDirections larger_of(const BothDirections& a, const BothDirections& b) {
  return {max_or_nan(a.forward, b.forward), max_or_nan(a.reverse, b.reverse)};
}

}  // namespace

ExactCost::ExactCost(const ExactMechanism& mechanism, GroupedVotes votes)
    : mechanism_(mechanism),
      votes_(std::move(votes)),
      log_q_(log_q_of(mechanism.aggregator().noisy_max, votes_)) {
  const std::size_t groups = votes_.groups.size();
  if (is_ball()) {
    make_ball();
    return;
  }
  lines_of_.reserve(groups * groups);
  for (std::size_t a = 0; a < groups; ++a) {
    for (std::size_t b = 0; b < groups; ++b) {
      lines_of_.push_back(static_cast<std::uint8_t>(1 + statistic_change(votes_, a, b)));
    }
  }
  for (std::size_t a = 0; a < groups; ++a) {
    unsigned bits = 0;
    for (std::size_t b = 0; b < groups; ++b) {
      if (can_move(votes_, a, b)) bits |= 1U << line_of(a, b);
    }
    lines_from_.push_back(static_cast<std::uint8_t>(bits));
  }
  if (!mechanism.aggregator().selection) return;
  std::int64_t neighbour = votes_.statistic - 1;
  for (LogBernoulliPair& pair : answers_) {
    pair = answer_pair(*mechanism.aggregator().selection, votes_.statistic, neighbour++);
  }
}

const NeighbourOutcomes* ExactCost::outcomes() {
  if (!tried_ || is_reduced_) {
    known_.clear();
    outcomes_ = mechanism_.outcomes(votes_);
  }
  tried_ = true;
  is_reduced_ = false;
  return outcomes_ ? &*outcomes_ : nullptr;
}

const NeighbourOutcomes* ExactCost::outcomes_for(double order, bool by_group) {
  const bool enough = !by_group && !candidates_.neighbours.empty() && candidates_.first <= order &&
                      order <= candidates_.last;
  if (!enough || holds_outcomes()) return outcomes();
  if (!is_reduced_) {
    outcomes_ = mechanism_.outcomes(votes_, candidates_.neighbours);
    if (!outcomes_) return outcomes();
    is_reduced_ = true;
  }
  return &*outcomes_;
}

ExactCost::Lines ExactCost::lines(double order) const {
  Lines result;
  if (!mechanism_.aggregator().selection) return result;
  const auto make = [order](const LogBernoulliPair& pair) {
    const LogAnswerLine line = log_answer_line(pair, order);
    return Line{line.in<double>(), line};
  };
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    result.forward[i] = make(answers_[i]);
    result.reverse[i] = make(reversed(answers_[i]));
  }
  return result;
}

BothDirections ExactCost::costs(const BothDirections& log_excess, double order,
                                double margin) const {
  const double cap = data_independent_cost(mechanism_.aggregator(), order).total();
  return {cost_of_log_excess(log_excess.forward, order, cap, margin),
          cost_of_log_excess(log_excess.reverse, order, cap, margin)};
}

BothDirections ExactCost::tradeoff_excess(double order) const {
  if (log_q_ == -kInfinity) return {-kInfinity, -kInfinity};
  return tradeoff_log_excess(mechanism_.aggregator().noisy_max, log_q_, order);
}

BothDirections ExactCost::bound(double order, const BothDirections& tradeoff) const {
  if (is_ball()) return bound_of_ball(order, tradeoff);
  std::vector<BothDirections> costs(votes_.groups.size());
  bound_by_tradeoff(order, lines(order), tradeoff, kCostMargin, costs);
  BothDirections result;
  for (const BothDirections& cost : costs) result = larger_of(result, cost);
  return result;
}

BothDirections ExactCost::joint_log_excess(const Lines& lines, std::size_t line,
                                           const BothDirections& log_excess) {
  return {lines.forward[line].log.at(log_excess.forward),
          lines.reverse[line].log.at(log_excess.reverse)};
}

bool ExactCost::tradeoff_suffices(const Lines& lines, const BothDirections& log_excess) const {
  const double log_negligible = std::log(kNegligible);
  for (const std::uint8_t bits : lines_from_) {
    BothDirections selection{-kInfinity, -kInfinity};
    BothDirections added{-kInfinity, -kInfinity};
    for (std::size_t i = 0; i < 3; ++i) {
      if ((bits >> i & 1U) == 0) continue;
      const LogAnswerLine& forward = lines.forward[i].log;
      const LogAnswerLine& reverse = lines.reverse[i].log;
      selection = larger_of(selection, {forward.selection, reverse.selection});
      added = larger_of(
          added, {forward.answered + log_excess.forward, reverse.answered + log_excess.reverse});
    }
    if (added.forward > selection.forward + log_negligible ||
        added.reverse > selection.reverse + log_negligible) {
      return false;
    }
  }
  return true;
}

void ExactCost::bound_by_tradeoff(double order, const Lines& lines,
                                  const BothDirections& log_excess, double margin,
                                  std::vector<BothDirections>& costs) const {
  // By the lines on which a vote may move: a few sets of them.
  std::array<std::optional<BothDirections>, 8> known;
  for (std::size_t a = 0; a < votes_.groups.size(); ++a) {
    const std::uint8_t bits = lines_from_[a];
    if (bits == 0) continue;
    if (!known[bits]) {
      BothDirections largest{-kInfinity, -kInfinity};
      for (std::size_t i = 0; i < 3; ++i) {
        if ((bits >> i & 1U) != 0) {
          largest = larger_of(largest, joint_log_excess(lines, i, log_excess));
        }
      }
      known[bits] = this->costs(largest, order, margin);
    }
    costs[a] = *known[bits];
  }
}

void ExactCost::by_group(double order, const BothDirections& tradeoff,
                         std::vector<BothDirections>& costs) {
  if (is_ball()) throw std::logic_error("costs by group are those of one vote that moves");
  evaluate(order, tradeoff, true, costs);
}

void ExactCost::evaluate(double order, const BothDirections& tradeoff, bool by_group,
                         std::vector<BothDirections>& costs) {
  costs.assign(votes_.groups.size(), {});
  const Lines at = lines(order);
  const bool maybe_negligible = mechanism_.aggregator().selection && log_q_ < kLogNegligible;
  if (maybe_negligible || outcomes_for(order, by_group) == nullptr) {
    const bool will_do = maybe_negligible && tradeoff_suffices(at, tradeoff);
    if (will_do || outcomes_for(order, by_group) == nullptr) {
      bound_by_tradeoff(order, at, tradeoff, will_do ? kExactCostMargin : kCostMargin, costs);
      return;
    }
  }
  const auto& neighbours = outcomes_->neighbours();
  const Chord bound = chord(order);
  Known known{order, std::vector<std::array<float, 2>>(neighbours.size()),
              std::vector<char>(neighbours.size(), 1)};
  // The largest so far: as it is, and as a logarithm where it leaves the doubles.
  BothDirections largest;
  BothDirections log_largest{-kInfinity, -kInfinity};
  const auto joint_of = [&](std::size_t k, const BothDirections& excess) {
    const auto i = line_of(neighbours[k].from, neighbours[k].to);
    return BothDirections{at.forward[i].line.at(excess.forward),
                          at.reverse[i].line.at(excess.reverse)};
  };
  const auto take = [&](std::size_t k) {
    const BothDirections excess = outcomes_->excess(k, order);
    known.excess[k] = {float_above(excess.forward), float_above(excess.reverse)};
    const BothDirections joint = joint_of(k, excess);
    if (joint.larger() < kMaxLinearExcess && excess.larger() < kMaxLinearExcess) {
      largest = larger_of(largest, joint);
      return;
    }
    log_largest =
        larger_of(log_largest, joint_log_excess(at, line_of(neighbours[k].from, neighbours[k].to),
                                                outcomes_->log_excess(k, order)));
  };
  for (std::size_t begin = 0; begin < neighbours.size();) {
    const std::size_t a = neighbours[begin].from;
    std::size_t end = by_group ? begin : neighbours.size();
    while (end < neighbours.size() && neighbours[end].from == a) ++end;
    largest = {};
    log_largest = {-kInfinity, -kInfinity};
    // First what looks like the largest, then whatever may be larger.
    std::size_t first = begin;
    double highest = -1.0;
    for (std::size_t k = begin; k < end && bound.high != nullptr; ++k) {
      const double joint = joint_of(k, bound.at(k)).larger();
      if (!(joint <= highest)) {
        highest = joint;
        first = k;
      }
    }
    take(first);
    for (std::size_t k = begin; k < end; ++k) {
      if (k == first) continue;
      const BothDirections most = bound.at(k);
      const BothDirections joint = joint_of(k, most);
      if (joint.forward <= largest.forward * kMaxRatioToSkip &&
          joint.reverse <= largest.reverse * kMaxRatioToSkip) {
        known.excess[k] = {float_above(most.forward), float_above(most.reverse)};
        known.is_tight[k] = 0;
      } else {
        take(k);
      }
    }
    costs[a] =
        this->costs(larger_of({std::log(largest.forward), std::log(largest.reverse)}, log_largest),
                    order, kExactCostMargin);
    begin = end;
  }
  keep(std::move(known));
  cap_at_tradeoff(order, at, tradeoff, by_group, costs);
}

void ExactCost::cap_at_tradeoff(double order, const Lines& lines, const BothDirections& tradeoff,
                                bool by_group, std::vector<BothDirections>& costs) const {
  std::vector<BothDirections> bounds(costs.size());
  bound_by_tradeoff(order, lines, tradeoff, kCostMargin, bounds);
  BothDirections largest;
  for (const BothDirections& bound : bounds) largest = larger_of(largest, bound);
  for (std::size_t a = 0; a < costs.size(); ++a) {
    const BothDirections& bound = by_group ? bounds[a] : largest;
    if (costs[a].forward > bound.forward) costs[a].forward = bound.forward;
    if (costs[a].reverse > bound.reverse) costs[a].reverse = bound.reverse;
  }
}

BothDirections ExactCost::largest(double order, const BothDirections& tradeoff) {
  if (is_ball()) return largest_in_ball(order, tradeoff);
  std::vector<BothDirections> costs;
  evaluate(order, tradeoff, false, costs);
  BothDirections result;
  for (const BothDirections& cost : costs) result = larger_of(result, cost);
  return result;
}

std::optional<NeighbourOutcomes::Neighbour> ExactCost::worst_neighbour_at(double order) {
  if (is_ball() || outcomes() == nullptr) return std::nullopt;
  const Lines at = lines(order);
  std::optional<NeighbourOutcomes::Neighbour> best;
  double largest = -kInfinity;
  for (std::size_t k = 0; k < outcomes_->neighbours().size(); ++k) {
    const auto neighbour = outcomes_->neighbours()[k];
    const double joint =
        joint_log_excess(at, line_of(neighbour.from, neighbour.to), outcomes_->log_excess(k, order))
            .larger();
    if (best && !(joint > largest)) continue;
    best = neighbour;
    largest = joint;
  }
  return best;
}

}  // namespace pate
