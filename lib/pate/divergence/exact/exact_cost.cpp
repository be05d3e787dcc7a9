#include "pate/divergence/exact/exact_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
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

// log of an upper bound on the probability that the noisy maximum is one of the classes of a group,
// but for the plurality, on the votes and on every neighbour: a moved vote brings no class nearer
// to the plurality than by two, S teachers none by more than 2 S. 0 or more where that says
// nothing.
double log_wins_of(const NoisyStep& step, const GroupedVotes& votes, std::size_t g) {
  const double others = votes.groups[g].classes - (g == 0 ? 1 : 0);
  if (others == 0.0) return -kInfinity;
  const std::int64_t gap = std::int64_t{votes.groups.front().count} - votes.groups[g].count -
                           2 * step.neighbours().teachers;
  if (gap < 0) return kInfinity;
  return std::log(others) + step.noisy_max().visit([&](const auto& noise) {
    return log_pair_probability(noise, gap);
  });
}

// The same for anything but the plurality; at most 0.
double log_beaten_of(const NoisyStep& step, const GroupedVotes& votes) {
  double sum = -kInfinity;
  for (std::size_t g = 0; g < votes.groups.size() && sum < 0.0; ++g) {
    sum = log_add(sum, log_wins_of(step, votes, g));
  }
  return std::min(sum, 0.0);
}

// Outward: what rounding does to the logarithm.
double outward(double log_bound) {
  if (log_bound == -kInfinity) return log_bound;
  return std::min(log_bound + 1e-10 * std::abs(log_bound), 0.0);
}

OutcomeMass refused(const LogBernoulliPair& pair) {
  return {std::exp(pair.log_not_p), std::exp(pair.log_not_p_neighbour), pair.log_not_ratio};
}

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
  require(changes.size() <= kMaxLines,
          "an exact cost knows at most {} changes of what the threshold is compared "
          "with, and a query has {}: round the weights, or leave out the threshold",
          kMaxLines, changes.size());
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
  const double cap =
      data_independent_cost(mechanism_.aggregator(), mechanism_.neighbours(), order).total();
  return {cost_of_log_excess(log_excess.forward, order, cap, margin),
          cost_of_log_excess(log_excess.reverse, order, cap, margin)};
}

BothDirections ExactCost::tradeoff_excess(double order) const {
  if (log_q_ == -kInfinity) return {-kInfinity, -kInfinity};
  return tradeoff_log_excess(mechanism_.step(), log_q_, order);
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

// What is known of neighbours at some orders, and says of orders between: excesses are convex.

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

std::size_t ExactCost::bytes() const {
  std::size_t sum = outcomes_ ? outcomes_->bytes() : 0;
  if (ball_) sum += ball_->bytes();
  for (const Known& known : known_) {
    sum += known.excess.size() * (sizeof(known.excess.front()) + sizeof(char));
  }
  return sum;
}

ExactCost::Candidates ExactCost::candidates() const {
  if (is_ball() || !holds_outcomes() || known_.size() < 2) return candidates_;
  Candidates result;
  const auto& neighbours = outcomes_->neighbours();
  // Floats are above by at most this, but for the smallest.
  constexpr double kLess = 1.0 - 3e-6;
  constexpr double kMinFloat = 2.0 * static_cast<double>(std::numeric_limits<float>::min());
  std::vector<char> stays(neighbours.size(), 0);
  // With what the selection tells, by direction: as the query costs.
  using Joint = std::array<double, 2>;
  const auto joint = [&](const Known& known) {
    const Lines at = lines(known.order);
    std::vector<Joint> all;
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      const auto i = line_of(neighbours[k].from, neighbours[k].to);
      all.push_back({at.forward[i].line.at(static_cast<double>(known.excess[k][0])),
                     at.reverse[i].line.at(static_cast<double>(known.excess[k][1]))});
    }
    return all;
  };
  std::vector<Joint> before;
  std::vector<Joint> here = joint(known_.front());
  for (std::size_t i = 0; i + 1 < known_.size(); ++i) {
    std::vector<Joint> next = joint(known_[i + 1]);
    const double begin = known_[i].order;
    const double end = known_[i + 1].order;
    for (std::size_t d = 0; d < 2; ++d) {
      std::optional<std::size_t> most;
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        if (known_[i].is_tight[k] != 0 && (!most || here[k][d] > here[*most][d])) most = k;
      }
      // Convex, and 0 at order 1: beyond a chord a moment is above it. Others, below their chords,
      // are below this one's where both their ends are.
      double least = 0.0;
      double slope = 0.0;
      if (most) stays[*most] = 1;
      if (most && here[*most][d] > kMinFloat) {
        least = here[*most][d] * kLess;
        const bool follows = i > 0 && known_[i - 1].is_tight[*most] != 0;
        slope = follows ? (least - before[*most][d]) / (begin - known_[i - 1].order)
                        : least / (begin - 1.0);
      }
      const double least_at_end = least + slope * (end - begin);
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        const bool passed = here[k][d] <= least * kMaxRatioToSkip &&
                            next[k][d] <= least_at_end * kMaxRatioToSkip &&
                            least_at_end < kMaxLinearExcess;
        if (!passed) stays[k] = 1;
      }
    }
    before = std::move(here);
    here = std::move(next);
  }
  result.first = known_.front().order;
  result.last = known_.back().order;
  // What is known already, where the ranges meet.
  if (!candidates_.neighbours.empty() && candidates_.first <= result.last &&
      result.first <= candidates_.last) {
    result.first = std::min(result.first, candidates_.first);
    result.last = std::max(result.last, candidates_.last);
    for (const std::uint32_t k : candidates_.neighbours) stays[k] = 1;
  }
  for (std::size_t k = 0; k < stays.size(); ++k) {
    if (stays[k] != 0) result.neighbours.push_back(static_cast<std::uint32_t>(k));
  }
  return result;
}

std::vector<std::uint32_t> ExactCost::possible_maxima(double first, double last) const {
  const Candidates known = candidates();
  if (!(known.first <= first && last <= known.last)) return {};
  return known.neighbours;
}

void ExactCost::drop_outcomes() {
  candidates_ = candidates();
  outcomes_.reset();
  ball_.reset();
  is_reduced_ = false;
  known_.clear();
  tried_ = false;
}

// What of the outcomes of a query and its neighbours is nearly certain, or the same for several.

double ExactCost::log_other_outcomes() const {
  const double beaten = log_beaten_of(mechanism_.step(), votes_);
  const auto& selection = mechanism_.aggregator().selection;
  const std::int64_t reach = mechanism_.neighbours().teachers;
  double result = beaten;
  if (selection) {
    result = std::min(log_answered(*selection, votes_.statistic + reach),
                      log_add(beaten, log_refused(*selection, votes_.statistic - reach)));
  }
  return outward(result);
}

double ExactCost::log_q_any_neighbour() const {
  return outward(log_beaten_of(mechanism_.step(), votes_));
}

// Two neighbours with the same counts of all near classes have, with the same noise, the same
// winner, unless a far class wins on one of them. With d at most the probability of that, their
// sums of (P - gamma Q)+ differ by at most (1 + gamma) d. Beyond gamma = G no sum is above
// delta(G), what the noise guarantees on any votes: for Gaussian noise Phi(-log(G) / mu + mu / 2),
// less something.
std::size_t ExactCost::contending_groups(double limit) const {
  if (is_ball()) return votes_.groups.size();
  const NoisyStep step = mechanism_.step();
  double log_most = step.pure_epsilon().value_or(0.0);
  if (const auto squared = step.squared_mu(); squared && *squared > 0.0) {
    // Phi(-z) <= e^(-z^2/2) / 2, here half the limit.
    log_most = 0.5 * *squared + std::sqrt(*squared * -2.0 * std::log(limit));
  }
  const double log_limit = std::log(0.5 * limit) - log_add(0.0, log_most);
  std::size_t near = votes_.groups.size();
  double log_far = -kInfinity;
  while (near > 1) {
    log_far = log_add(log_far, log_wins_of(step, votes_, near - 1));
    if (!(outward(log_far) <= log_limit)) break;
    --near;
  }
  return near;
}

std::vector<std::uint32_t> ExactCost::representatives(std::size_t near) const {
  constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  const std::size_t groups = votes_.groups.size();
  const std::size_t lines = answers_.size();
  std::vector<std::uint32_t> first((near + 1) * (near + 1) * lines, kNone);
  std::vector<std::uint32_t> result;
  for (std::size_t a = 0; a < groups; ++a) {
    for (std::size_t b = 0; b < groups; ++b) {
      if (!can_move(votes_, a, b)) continue;
      std::uint32_t& its =
          first[(std::min(a, near) * (near + 1) + std::min(b, near)) * lines + line_of(a, b)];
      if (its == kNone) its = static_cast<std::uint32_t>(result.size());
      result.push_back(its);
    }
  }
  return result;
}

// The outcomes of a query against those of its neighbours, as privacy losses are made of.

std::optional<std::vector<DistributionPair>> ExactCost::tables(
    std::span<const std::uint32_t> only) {
  if (is_ball()) {
    if (ball() == nullptr) return std::nullopt;
    return tables_of(*ball_);
  }
  if (only.empty() || holds_outcomes()) {
    if (outcomes() == nullptr) return std::nullopt;
    return tables_of(*outcomes_, only);
  }
  const auto few = mechanism_.outcomes(votes_, only);
  if (!few) return std::nullopt;
  return tables_of(*few, {});
}

std::vector<DistributionPair> ExactCost::tables_of(const NeighbourOutcomes& outcomes,
                                                   std::span<const std::uint32_t> only) const {
  const auto& neighbours = outcomes.neighbours();
  const std::size_t elements = votes_.groups.size() + 2;
  // Probabilities on the votes, by change of the statistic and group: the same for most neighbours.
  // And, but for its ratio to that, on the neighbour.
  constexpr double kSmall = 1e-280;
  std::vector<std::vector<double>> probabilities(answers_.size());
  std::vector<std::vector<double>> on_neighbour(answers_.size());
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const LogBernoulliPair pair =
        mechanism_.aggregator().selection ? answers_[i] : LogBernoulliPair{};
    for (const double log_p : outcomes.log_probabilities()) {
      probabilities[i].push_back(std::exp(log_p + pair.log_p));
      on_neighbour[i].push_back(std::exp(log_p + pair.log_p_neighbour));
    }
  }
  std::vector<DistributionPair> result;
  const std::size_t size = only.empty() ? neighbours.size() : only.size();
  result.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t k = only.empty() ? i : only[i];
    const auto [from, to] = neighbours[k];
    const std::size_t line = line_of(from, to);
    DistributionPair table;
    table.reserve(elements + 1);
    LogBernoulliPair pair{};  // without a selection every query is answered
    if (mechanism_.aggregator().selection) {
      pair = answers_[line];
      table.push_back(refused(pair));
    }
    const double* const log_ratios = outcomes.log_ratios(k);
    for (std::size_t e = 0; e < elements; ++e) {
      const double number = outcomes.classes(k, e);
      if (number == 0.0) continue;
      const std::size_t group = e + 2 < elements ? e : e + 2 == elements ? from : to;
      const double log_p = outcomes.log_probabilities()[group];
      const double q = on_neighbour[line][group];
      table.push_back(
          {number * probabilities[line][group],
           number * (q > kSmall ? q * outcomes.ratio(k, e)
                                : std::exp(log_p + log_ratios[e] + pair.log_p_neighbour)),
           pair.log_ratio - log_ratios[e]});
    }
    result.push_back(std::move(table));
  }
  return result;
}

std::vector<DistributionPair> ExactCost::selection_tables(std::optional<std::size_t> from) const {
  // Sums of (P - gamma Q)+ grow with the distance of the statistics: of changes the one that is
  // furthest down and the one furthest up.
  std::size_t lowest = answers_.size();
  std::size_t highest = 0;
  if (is_ball()) {
    lowest = 0;
    highest = answers_.size() - 1;
  }
  for (std::size_t a = 0; a < lines_from_.size(); ++a) {
    const LineSet& lines = line_sets_[lines_from_[a]];
    if ((from && a != *from) || lines.empty()) continue;
    lowest = std::min<std::size_t>(lowest, lines.front());
    highest = std::max<std::size_t>(highest, lines.back());
  }
  // Where nothing changes every sum is (1 - gamma)+, the least there is.
  std::vector<std::size_t> furthest;
  if (lowest < zero_line_) furthest.push_back(lowest);
  if (highest > zero_line_) furthest.push_back(highest);
  if (furthest.empty() && lowest <= highest) furthest.push_back(lowest);
  std::vector<DistributionPair> result;
  for (const std::size_t i : furthest) {
    const LogBernoulliPair& pair = answers_[i];
    result.push_back(
        {refused(pair), {std::exp(pair.log_p), std::exp(pair.log_p_neighbour), pair.log_ratio}});
  }
  return result;
}

// The exact cost where a neighbour is any within several teachers: all are listed.

void ExactCost::make_ball() {
  const Neighbours& neighbours = mechanism_.neighbours();
  ball_size_ = pate::ball_size(votes_, neighbours);
  if (ball_size_ > kMaxBall) {
    throw parameter_error(fmt::format(
        "an exact cost lists all neighbours, and a query with {} different counts has more than {} "
        "of {}: the bound tradeoff holds for them all the same",
        votes_.groups.size(), kMaxBall, in_words(neighbours)));
  }
  const auto& check = mechanism_.aggregator().selection;
  if (!check) {
    answers_.resize(1);
    return;
  }
  zero_line_ = 1;
  const std::int64_t v = votes_.statistic;
  const std::int64_t most = neighbours.highest_top(mechanism_.teachers());
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
  const Neighbours& neighbours = mechanism_.neighbours();
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
    largest = larger_of(largest, joint_log_excess(at, i, tradeoff));
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
    largest = larger_of(largest, lines.joint(one.statistic, one.log_excess(order)));
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
  return neighbours_in_ball(votes_, mechanism_.neighbours()).value()[*worst];
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
