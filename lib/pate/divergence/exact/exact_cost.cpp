#include "pate/divergence/exact/exact_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

// A neighbour is passed over when it is surely not the largest, whatever rounding did.
constexpr double kMaxRatioToSkip = 1.0 - 1e-9;

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
  if (noisy_max.is_ptr()) return log_q(noisy_max, std::vector<std::int32_t>(1, 0));
  return log_union_bound(counts, zeros, pair_term(noisy_max));
}

// log of an upper bound on the probability that the noisy maximum is one of the classes of a group,
// but for the plurality, on the votes and on every neighbour: a moved vote brings no class nearer
// to the plurality than by two. 0 or more where that says nothing.
double log_wins_of(const NoisyMax& noisy_max, const GroupedVotes& votes, std::size_t g) {
  const double others = votes.groups[g].classes - (g == 0 ? 1 : 0);
  if (others == 0.0) return -kInfinity;
  const std::int64_t gap = std::int64_t{votes.groups.front().count} - votes.groups[g].count - 2;
  if (gap < 0 || noisy_max.is_ptr()) return kInfinity;
  return std::log(others) +
         noisy_max.visit([&](const auto& noise) { return log_pair_probability(noise, gap); });
}

// The same for anything but the plurality; at most 0.
double log_beaten_of(const NoisyMax& noisy_max, const GroupedVotes& votes) {
  double sum = -kInfinity;
  for (std::size_t g = 0; g < votes.groups.size() && sum < 0.0; ++g) {
    sum = log_add(sum, log_wins_of(noisy_max, votes, g));
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

BothDirections larger_of(const BothDirections& a, const BothDirections& b) {
  return {max_or_nan(a.forward, b.forward), max_or_nan(a.reverse, b.reverse)};
}

}  // namespace

ExactMechanism::ExactMechanism(const Aggregator& aggregator, std::int64_t teachers)
    : aggregator_(aggregator), teachers_(teachers) {
  validate(aggregator);
  require_noisy_maximum(aggregator, "an exact cost");
  rule_ = noise_rule(aggregator.noisy_max, teachers);
}

std::optional<NeighbourOutcomes> ExactMechanism::outcomes(
    const GroupedVotes& votes, std::span<const std::uint32_t> only) const {
  if (rule_ == nullptr) return std::nullopt;
  thread_local NoiseAtNodes noise;
  rule_->at(votes, noise);
  if (noise.rows.empty()) return std::nullopt;
  NeighbourOutcomes result(votes, noise, only);
  if (!result.is_complete()) return std::nullopt;
  return result;
}

GroupedVotes ExactMechanism::group(std::span<const std::int32_t> histogram,
                                   std::span<const double> scores, std::size_t zeros) const {
  if (!aggregator_.selection) return group_votes(histogram, zeros);
  return aggregator_.interactive ? group_interactive_votes(histogram, scores, teachers_)
                                 : group_confident_votes(histogram, zeros);
}

ExactCost::ExactCost(const ExactMechanism& mechanism, GroupedVotes votes)
    : mechanism_(mechanism),
      votes_(std::move(votes)),
      log_q_(log_q_of(mechanism.aggregator().noisy_max, votes_)) {
  const std::size_t groups = votes_.groups.size();
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

// Two neighbours with the same counts of all near classes have, with the same noise, the same
// winner, unless a far class wins on one of them. With d at most the probability of that, their
// sums of (P - gamma Q)+ differ by at most (1 + gamma) d. Beyond gamma = G no sum is above
// delta(G), what the noise guarantees on any votes: for Gaussian noise Phi(-log(G) / mu + mu / 2),
// less something.
std::size_t ExactCost::contending_groups(double limit) const {
  const NoisyMax& noisy_max = mechanism_.aggregator().noisy_max;
  double log_most = noisy_max.pure_epsilon().value_or(0.0);
  if (const auto squared = noisy_max.squared_mu(); squared && *squared > 0.0) {
    // Phi(-z) <= e^(-z^2/2) / 2, here half the limit.
    log_most = 0.5 * *squared + std::sqrt(*squared * -2.0 * std::log(limit));
  }
  const double log_limit = std::log(0.5 * limit) - log_add(0.0, log_most);
  std::size_t near = votes_.groups.size();
  double log_far = -kInfinity;
  while (near > 1) {
    log_far = log_add(log_far, log_wins_of(noisy_max, votes_, near - 1));
    if (!(outward(log_far) <= log_limit)) break;
    --near;
  }
  return near;
}

std::vector<std::uint32_t> ExactCost::representatives(std::size_t near) const {
  constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  const std::size_t groups = votes_.groups.size();
  std::vector<std::array<std::uint32_t, 3>> first((near + 1) * (near + 1), {kNone, kNone, kNone});
  std::vector<std::uint32_t> result;
  for (std::size_t a = 0; a < groups; ++a) {
    for (std::size_t b = 0; b < groups; ++b) {
      if (!can_move(votes_, a, b)) continue;
      std::uint32_t& its = first[std::min(a, near) * (near + 1) + std::min(b, near)][line_of(a, b)];
      if (its == kNone) its = static_cast<std::uint32_t>(result.size());
      result.push_back(its);
    }
  }
  return result;
}

std::optional<std::vector<DistributionPair>> ExactCost::tables(
    std::span<const std::uint32_t> only) {
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
  std::array<std::vector<double>, 3> probabilities;
  std::array<std::vector<double>, 3> on_neighbour;
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
  unsigned changes = 0;
  for (std::size_t a = 0; a < lines_from_.size(); ++a) {
    if (!from || a == *from) changes |= lines_from_[a];
  }
  // Where nothing changes every sum is (1 - gamma)+, the least there is.
  if ((changes & 5U) != 0) changes &= 5U;
  std::vector<DistributionPair> result;
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if ((changes >> i & 1U) == 0) continue;
    const LogBernoulliPair& pair = answers_[i];
    result.push_back(
        {refused(pair), {std::exp(pair.log_p), std::exp(pair.log_p_neighbour), pair.log_ratio}});
  }
  return result;
}

std::size_t ExactCost::bytes() const {
  std::size_t sum = outcomes_ ? outcomes_->bytes() : 0;
  for (const Known& known : known_) {
    sum += known.excess.size() * (sizeof(known.excess.front()) + sizeof(char));
  }
  return sum;
}

ExactCost::Candidates ExactCost::candidates() const {
  if (!holds_outcomes() || known_.size() < 2) return candidates_;
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
  is_reduced_ = false;
  known_.clear();
  tried_ = false;
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

double ExactCost::log_other_outcomes() const {
  const double beaten = log_beaten_of(mechanism_.aggregator().noisy_max, votes_);
  const auto& selection = mechanism_.aggregator().selection;
  double result = beaten;
  if (selection) {
    result = std::min(log_answered(*selection, votes_.statistic + 1),
                      log_add(beaten, log_refused(*selection, votes_.statistic - 1)));
  }
  return outward(result);
}

double ExactCost::log_q_any_neighbour() const {
  return outward(log_beaten_of(mechanism_.aggregator().noisy_max, votes_));
}

BothDirections ExactCost::bound(double order, const BothDirections& tradeoff) const {
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

void ExactCost::by_group(double order, const BothDirections& tradeoff,
                         std::vector<BothDirections>& costs) {
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
  std::vector<BothDirections> costs;
  evaluate(order, tradeoff, false, costs);
  BothDirections result;
  for (const BothDirections& cost : costs) result = larger_of(result, cost);
  return result;
}

std::optional<NeighbourOutcomes::Neighbour> ExactCost::worst_neighbour_at(double order) {
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
