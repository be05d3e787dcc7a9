#include "pate/divergence/exact/exact_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "pate/base/error.hpp"
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
// More lines than these no query has whose weights are not very many.
constexpr std::size_t kMaxLines = 1000;

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
  votes_.moved = mechanism.weight();
  if (is_ball()) {
    make_ball();
  } else {
    place_lines();
  }
}

void ExactCost::place_lines() {
  const std::size_t groups = votes_.groups.size();
  const auto& check = mechanism_.aggregator().selection;
  std::vector<std::int64_t> changes{0};
  if (check) {
    for (std::size_t a = 0; a < groups; ++a) {
      for (std::size_t b = 0; b < groups; ++b) {
        if (can_move(votes_, a, b)) changes.push_back(statistic_change(votes_, a, b));
      }
    }
    std::ranges::sort(changes);
    changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
  }
  if (changes.size() > kMaxLines) {
    throw parameter_error(
        fmt::format("an exact cost knows at most {} changes of what the threshold is compared "
                    "with, and a query has {}: round the weights, or leave out the threshold",
                    kMaxLines, changes.size()));
  }
  zero_line_ = static_cast<std::size_t>(std::ranges::lower_bound(changes, 0) - changes.begin());
  lines_of_.assign(groups * groups, 0);
  line_sets_.assign(1, {});
  for (std::size_t a = 0; a < groups; ++a) {
    LineSet lines;
    for (std::size_t b = 0; b < groups; ++b) {
      if (!can_move(votes_, a, b)) continue;
      const std::int64_t change = check ? statistic_change(votes_, a, b) : 0;
      const auto line =
          static_cast<std::uint16_t>(std::ranges::lower_bound(changes, change) - changes.begin());
      lines_of_[a * groups + b] = line;
      lines.push_back(line);
    }
    std::ranges::sort(lines);
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    const auto known = std::ranges::find(line_sets_, lines);
    lines_from_.push_back(static_cast<std::uint16_t>(known - line_sets_.begin()));
    if (known == line_sets_.end()) line_sets_.push_back(std::move(lines));
  }
  for (const std::int64_t change : changes) {
    answers_.push_back(check ? answer_pair(*check, votes_.statistic, votes_.statistic + change)
                             : LogBernoulliPair{});
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
  if (!mechanism_.aggregator().selection) {
    result.forward.resize(answers_.size());
    result.reverse.resize(answers_.size());
    return result;
  }
  const auto make = [order](const LogBernoulliPair& pair) {
    const LogAnswerLine line = log_answer_line(pair, order);
    return Line{line.in<double>(), line};
  };
  for (const LogBernoulliPair& pair : answers_) {
    result.forward.push_back(make(pair));
    result.reverse.push_back(make(reversed(pair)));
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
  for (const LineSet& set : line_sets_) {
    BothDirections selection{-kInfinity, -kInfinity};
    BothDirections added{-kInfinity, -kInfinity};
    for (const std::size_t i : set) {
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
  std::vector<BothDirections> known(line_sets_.size());
  for (std::size_t s = 0; s < known.size(); ++s) {
    if (line_sets_[s].empty()) continue;
    BothDirections largest{-kInfinity, -kInfinity};
    for (const std::size_t i : line_sets_[s]) {
      largest = larger_of(largest, joint_log_excess(lines, i, log_excess));
    }
    known[s] = this->costs(largest, order, margin);
  }
  for (std::size_t a = 0; a < costs.size(); ++a) costs[a] = known[lines_from_[a]];
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
