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

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Below this an excess is held by a double with room for the sums it takes part in.
constexpr double kHuge = 1e290;
// Where q is above this the trade-off bound is not worth trying: the noisy maximum costs something.
constexpr double kLogNegligible = -30.0;
// How much the trade-off bound may add to the cost when it takes the place of the exact one.
constexpr double kNegligible = 1e-11;

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
  changes_.reserve(groups * groups);
  for (std::size_t a = 0; a < groups; ++a) {
    for (std::size_t b = 0; b < groups; ++b) {
      changes_.push_back(static_cast<std::int8_t>(statistic_change(votes_, a, b)));
    }
  }
  if (!mechanism.aggregator().selection) return;
  for (const int change : {-1, 0, 1}) {
    answers_[static_cast<std::size_t>(change + 1)] =
        answer_pair(*mechanism.aggregator().selection, votes_.statistic, votes_.statistic + change);
  }
}

int ExactCost::change(std::size_t from, std::size_t to) const {
  return changes_[from * votes_.groups.size() + to];
}

const NeighbourOutcomes* ExactCost::outcomes() {
  if (!tried_) outcomes_ = mechanism_.outcomes(votes_);
  tried_ = true;
  return outcomes_ ? &*outcomes_ : nullptr;
}

void ExactCost::forget() {
  outcomes_.reset();
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

double ExactCost::cost(double log_excess, double order) const {
  return cost_of_log_excess(log_excess, order,
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

BothDirections ExactCost::joint_log_excess(const Lines& lines, int change,
                                           const BothDirections& log_excess) const {
  const auto i = static_cast<std::size_t>(change + 1);
  return {
      log_add(lines.forward[i].log_selection, lines.forward[i].log_answered + log_excess.forward),
      log_add(lines.reverse[i].log_selection, lines.reverse[i].log_answered + log_excess.reverse)};
}

bool ExactCost::tradeoff_will_do(const Lines& lines, const BothDirections& log_excess) const {
  const double log_negligible = std::log(kNegligible);
  for (std::size_t a = 0; a < votes_.groups.size(); ++a) {
    BothDirections selection{-kInfinity, -kInfinity};
    BothDirections added{-kInfinity, -kInfinity};
    for (std::size_t b = 0; b < votes_.groups.size(); ++b) {
      if (!can_move(votes_, a, b)) continue;
      const auto i = static_cast<std::size_t>(change(a, b) + 1);
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
                                  const BothDirections& log_excess,
                                  std::vector<BothDirections>& costs) const {
  for (std::size_t a = 0; a < votes_.groups.size(); ++a) {
    BothDirections largest{-kInfinity, -kInfinity};
    bool moves = false;
    for (std::size_t b = 0; b < votes_.groups.size(); ++b) {
      if (!can_move(votes_, a, b)) continue;
      const BothDirections joint = joint_log_excess(lines, change(a, b), log_excess);
      largest = {std::max(largest.forward, joint.forward),
                 std::max(largest.reverse, joint.reverse)};
      moves = true;
    }
    if (moves) costs[a] = {cost(largest.forward, order), cost(largest.reverse, order)};
  }
}

void ExactCost::by_group(double order, std::vector<BothDirections>& costs) {
  costs.assign(votes_.groups.size(), {});
  const Lines at = lines(order);
  const bool maybe_negligible = mechanism_.aggregator().selection && log_q_ < kLogNegligible;
  if (maybe_negligible || outcomes() == nullptr) {
    const BothDirections bound = tradeoff_log_excess(order);
    if (!maybe_negligible || tradeoff_will_do(at, bound) || outcomes() == nullptr) {
      bound_by_tradeoff(order, at, bound, costs);
      return;
    }
  }
  const auto& neighbours = outcomes_->neighbours();
  for (std::size_t k = 0; k < neighbours.size();) {
    const std::size_t a = neighbours[k].from;
    BothDirections largest;
    BothDirections log_largest{-kInfinity, -kInfinity};
    for (; k < neighbours.size() && neighbours[k].from == a; ++k) {
      const int moved = change(a, neighbours[k].to);
      const auto i = static_cast<std::size_t>(moved + 1);
      const BothDirections excess = outcomes_->excess(k, order);
      const double forward = at.forward[i].selection + at.forward[i].answered * excess.forward;
      const double reverse = at.reverse[i].selection + at.reverse[i].answered * excess.reverse;
      if (forward < kHuge && reverse < kHuge && excess.larger() < kHuge) {
        largest = {std::max(largest.forward, forward), std::max(largest.reverse, reverse)};
        continue;
      }
      const BothDirections joint = joint_log_excess(at, moved, outcomes_->log_excess(k, order));
      log_largest = {std::max(log_largest.forward, joint.forward),
                     std::max(log_largest.reverse, joint.reverse)};
    }
    costs[a] = {cost(std::max(std::log(largest.forward), log_largest.forward), order),
                cost(std::max(std::log(largest.reverse), log_largest.reverse), order)};
  }
}

BothDirections ExactCost::largest(double order) {
  std::vector<BothDirections> costs;
  by_group(order, costs);
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
        joint_log_excess(at, change(neighbour.from, neighbour.to), outcomes_->log_excess(k, order))
            .larger();
    if (best && !(joint > largest)) continue;
    best = neighbour;
    largest = joint;
  }
  return best;
}

}  // namespace pate
