#include "pate/exact/exact_cost.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "pate/bounds/margin.hpp"
#include "pate/bounds/tradeoff.hpp"
#include "pate/math/log_space.hpp"

namespace pate {

namespace {

// Below this an excess is held by a double with room for the sums it takes part in.
constexpr double kHuge = 1e290;
// Where q is above this the trade-off bound is not worth trying: the noisy maximum costs something.
constexpr double kLogNegligible = -30.0;
// How much the trade-off bound may add to the cost when it takes the place of the exact one.
constexpr double kNegligible = 1e-11;

// A neighbour is passed over when it is surely not the largest, whatever rounding did.
constexpr double kSurely = 1.0 - 1e-9;

// At least x >= 0, and hardly more.
float float_above(double x) {
  const double rounded = x * (1.0 + 1e-6);
  if (!(rounded < static_cast<double>(std::numeric_limits<float>::max()))) {
    return std::numeric_limits<float>::infinity();
  }
  return std::max(static_cast<float>(rounded), std::numeric_limits<float>::min());
}

double log_q_of(const Aggregator& aggregator, const GroupedVotes& votes) {
  std::vector<std::int32_t> counts;
  for (const VoteGroup& group : votes.groups) {
    counts.insert(counts.end(), static_cast<std::size_t>(group.classes), group.count);
  }
  return std::visit([&](const auto& mechanism) { return log_q(mechanism, counts); },
                    aggregator.noisy_max);
}

}  // namespace

ExactCost::ExactCost(const ExactMechanism& mechanism, GroupedVotes votes)
    : mechanism_(mechanism),
      votes_(std::move(votes)),
      log_q_(log_q_of(mechanism.aggregator(), votes_)) {
  const std::size_t groups = votes_.groups.size();
  lines_of_.reserve(groups * groups);
  for (std::size_t a = 0; a < groups; ++a) {
    for (std::size_t b = 0; b < groups; ++b) {
      lines_of_.push_back(static_cast<std::uint8_t>(1 + statistic_change(votes_, a, b)));
    }
  }
  if (!mechanism.aggregator().selection) return;
  std::int64_t neighbour = votes_.statistic - 1;
  for (LogBernoulliPair& pair : answers_) {
    pair = answer_pair(*mechanism.aggregator().selection, votes_.statistic, neighbour++);
  }
}

const NeighbourOutcomes* ExactCost::outcomes() {
  if (!tried_) outcomes_ = mechanism_.outcomes(votes_);
  tried_ = true;
  return outcomes_ ? &*outcomes_ : nullptr;
}

std::size_t ExactCost::bytes() const {
  std::size_t sum = outcomes_ ? outcomes_->bytes() : 0;
  for (const Known& known : known_) sum += known.excess.size() * sizeof(known.excess.front());
  return sum;
}

void ExactCost::forget() {
  outcomes_.reset();
  known_.clear();
  tried_ = false;
}

ExactCost::Lines ExactCost::lines(double order) const {
  Lines result;
  if (!mechanism_.aggregator().selection) return result;
  const auto make = [order](const LogBernoulliPair& pair) {
    Line line;
    line.log_selection = log_bernoulli_excess(pair, order);
    line.log_answered = pair.log_p_neighbour + order * pair.log_ratio;
    line.selection = std::exp(line.log_selection);
    line.answered = std::exp(line.log_answered);
    return line;
  };
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    result.forward[i] = make(answers_[i]);
    result.reverse[i] = make(reversed(answers_[i]));
  }
  return result;
}

double ExactCost::cost(double log_excess, double order, double margin) const {
  return std::min(with_margin(log1pexp(log_excess) / (order - 1.0), margin),
                  data_independent_cost(mechanism_.aggregator(), order).total());
}

BothDirections ExactCost::tradeoff_log_excess(double order) const {
  if (log_q_ == -kInfinity) return {-kInfinity, -kInfinity};
  if (const auto* gaussian = std::get_if<GaussianNoisyMax>(&mechanism_.aggregator().noisy_max)) {
    return gaussian_tradeoff_log_excess(log_q_, std::numbers::sqrt2 / gaussian->sigma, order);
  }
  return laplace_tradeoff_log_excess(
      log_q_, std::get<LaplaceNoisyMax>(mechanism_.aggregator().noisy_max).gamma(), order);
}

BothDirections ExactCost::joint_log_excess(const Lines& lines, std::size_t line,
                                           const BothDirections& log_excess) {
  const Line& forward = lines.forward[line];
  const Line& reverse = lines.reverse[line];
  return {log_add(forward.log_selection, forward.log_answered + log_excess.forward),
          log_add(reverse.log_selection, reverse.log_answered + log_excess.reverse)};
}

bool ExactCost::tradeoff_will_do(const Lines& lines, const BothDirections& log_excess) const {
  const double log_negligible = std::log(kNegligible);
  for (std::size_t a = 0; a < votes_.groups.size(); ++a) {
    BothDirections selection{-kInfinity, -kInfinity};
    BothDirections added{-kInfinity, -kInfinity};
    for (std::size_t b = 0; b < votes_.groups.size(); ++b) {
      if (!can_move(votes_, a, b)) continue;
      const auto i = line_of(a, b);
      selection.forward = std::max(selection.forward, lines.forward[i].log_selection);
      selection.reverse = std::max(selection.reverse, lines.reverse[i].log_selection);
      added.forward = std::max(added.forward, lines.forward[i].log_answered + log_excess.forward);
      added.reverse = std::max(added.reverse, lines.reverse[i].log_answered + log_excess.reverse);
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
  for (std::size_t a = 0; a < votes_.groups.size(); ++a) {
    BothDirections largest{-kInfinity, -kInfinity};
    bool moves = false;
    for (std::size_t b = 0; b < votes_.groups.size(); ++b) {
      if (!can_move(votes_, a, b)) continue;
      const BothDirections joint = joint_log_excess(lines, line_of(a, b), log_excess);
      largest = {std::max(largest.forward, joint.forward),
                 std::max(largest.reverse, joint.reverse)};
      moves = true;
    }
    if (!moves) continue;
    costs[a] = {cost(largest.forward, order, margin), cost(largest.reverse, order, margin)};
  }
}

BothDirections ExactCost::Chord::at(std::size_t k) const {
  if (high == nullptr) return {kInfinity, kInfinity};
  const auto& above = high->excess[k];
  BothDirections result{high_weight * static_cast<double>(above[0]),
                        high_weight * static_cast<double>(above[1])};
  if (low != nullptr) {
    result.forward += low_weight * static_cast<double>(low->excess[k][0]);
    result.reverse += low_weight * static_cast<double>(low->excess[k][1]);
  }
  return result;
}

ExactCost::Chord ExactCost::chord(double order) const {
  Chord result;
  for (const Known& known : known_) {
    if (known.order <= order) result.low = &known;
    if (known.order >= order && result.high == nullptr) result.high = &known;
  }
  if (result.high == nullptr) return result;
  // At order 1 every excess is 0.
  const double begin = result.low == nullptr ? 1.0 : result.low->order;
  const double width = result.high->order - begin;
  result.high_weight = width > 0.0 ? (order - begin) / width : 1.0;
  result.low_weight = 1.0 - result.high_weight;
  return result;
}

void ExactCost::keep(Known known) {
  const auto at =
      std::lower_bound(known_.begin(), known_.end(), known.order,
                       [](const Known& other, double order) { return other.order < order; });
  if (at != known_.end() && at->order == known.order) return;
  known_.insert(at, std::move(known));
}

void ExactCost::by_group(double order, std::vector<BothDirections>& costs) {
  evaluate(order, true, costs);
}

void ExactCost::evaluate(double order, bool by_group, std::vector<BothDirections>& costs) {
  costs.assign(votes_.groups.size(), {});
  const Lines at = lines(order);
  const bool maybe_negligible = mechanism_.aggregator().selection && log_q_ < kLogNegligible;
  if (maybe_negligible || outcomes() == nullptr) {
    const BothDirections bound = tradeoff_log_excess(order);
    const bool will_do = maybe_negligible && tradeoff_will_do(at, bound);
    if (will_do || outcomes() == nullptr) {
      bound_by_tradeoff(order, at, bound, will_do ? kExactCostMargin : kCostMargin, costs);
      return;
    }
  }
  const auto& neighbours = outcomes_->neighbours();
  const Chord bound = chord(order);
  Known known{order, std::vector<std::array<float, 2>>(neighbours.size())};
  // The largest so far: as it is, and as a logarithm where it leaves the doubles.
  BothDirections largest;
  BothDirections log_largest{-kInfinity, -kInfinity};
  const auto joint_of = [&](std::size_t k, const BothDirections& excess) {
    const auto i = line_of(neighbours[k].from, neighbours[k].to);
    return BothDirections{at.forward[i].selection + at.forward[i].answered * excess.forward,
                          at.reverse[i].selection + at.reverse[i].answered * excess.reverse};
  };
  const auto take = [&](std::size_t k) {
    const BothDirections excess = outcomes_->excess(k, order);
    known.excess[k] = {float_above(excess.forward), float_above(excess.reverse)};
    const BothDirections joint = joint_of(k, excess);
    if (joint.larger() < kHuge && excess.larger() < kHuge) {
      largest = {std::max(largest.forward, joint.forward),
                 std::max(largest.reverse, joint.reverse)};
      return;
    }
    const BothDirections log_joint = joint_log_excess(
        at, line_of(neighbours[k].from, neighbours[k].to), outcomes_->log_excess(k, order));
    log_largest = {std::max(log_largest.forward, log_joint.forward),
                   std::max(log_largest.reverse, log_joint.reverse)};
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
      if (joint.forward <= largest.forward * kSurely &&
          joint.reverse <= largest.reverse * kSurely) {
        known.excess[k] = {float_above(most.forward), float_above(most.reverse)};
      } else {
        take(k);
      }
    }
    costs[a] = {
        cost(std::max(std::log(largest.forward), log_largest.forward), order, kExactCostMargin),
        cost(std::max(std::log(largest.reverse), log_largest.reverse), order, kExactCostMargin)};
    begin = end;
  }
  keep(std::move(known));
}

BothDirections ExactCost::largest(double order) {
  std::vector<BothDirections> costs;
  evaluate(order, false, costs);
  BothDirections result;
  for (const BothDirections& cost : costs) {
    result = {std::max(result.forward, cost.forward), std::max(result.reverse, cost.reverse)};
  }
  return result;
}

std::optional<NeighbourOutcomes::Neighbour> ExactCost::attained_by(double order) {
  if (outcomes() == nullptr) return std::nullopt;
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
