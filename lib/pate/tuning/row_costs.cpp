#include "pate/tuning/row_costs.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// Fractions of thresholds that are this close are one: what rounding in 60.1, 61.1, ... leaves.
constexpr double kSameFraction = 1e-12;
// Jensen's inequality may give away this much of a term before queries are taken in groups.
constexpr double kJensen = 5e-4;
// Width in sigma1 of the thresholds over which costs are interpolated.
constexpr double kPanel = 2.0;
// An interpolant is raised by this many times its last coefficients, by more than this never.
constexpr double kTails = 10.0;
constexpr double kMaxRaised = 5e-4;
// Of the values between the lowest and the highest statistic one in so many may occur for all to be
// leads that thresholds share.
constexpr std::size_t kGaps = 4;
// Leads of costs that are kept, at all orders (some 100 MB).
constexpr std::size_t kMaxKept = 400'000;
// Half of the width of thresholds, in votes, from which on nodes may be whole votes apart: two of
// them are never the same, and all near those of Chebyshev.
constexpr double kFewVotes = 50.0;
constexpr std::size_t kMiddle = 6;  // of the nodes of a panel

double dot(const std::array<double, 12>& a, const std::array<double, 12>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// log(1 + x) from above: within 4e-6 relative below 0.05, exact beyond.
double log1p_above(double x) {
  return x < 0.05 ? x * (6.0 + x) / (6.0 + 4.0 * x) : std::log1p(x);
}

double log_moment(double excess, double cap) {
  return excess < kMaxLinearExcess ? std::min(log1p_above(excess), cap) : cap;
}

// The line of the direction that costs more on all of a group, in x; nothing where it is not seen
// at once.
std::optional<LineEnvelope::Line> single_line(const LinePair& pair, const VoteSums::Group& group) {
  const auto* forward =
      pair.forward.single(group.forward * group.lowest, group.forward * group.highest);
  const auto* reverse =
      pair.reverse.single(group.reverse * group.lowest, group.reverse * group.highest);
  if (forward == nullptr || reverse == nullptr) return std::nullopt;
  const LineEnvelope::Line f{forward->selection, forward->answered * group.forward};
  const LineEnvelope::Line r{reverse->selection, reverse->answered * group.reverse};
  const double at_lowest = (f.selection - r.selection) + (f.answered - r.answered) * group.lowest;
  const double at_highest = (f.selection - r.selection) + (f.answered - r.answered) * group.highest;
  if (at_lowest >= 0.0 && at_highest >= 0.0) return f;
  if (at_lowest <= 0.0 && at_highest <= 0.0) return r;
  return std::nullopt;
}

// The largest of all lines is convex: below its chord.
double chord(const LinePair& pair, const VoteSums::Group& group) {
  const auto at = [&](double x) {
    return max_or_nan(pair.forward.at(group.forward * x), pair.reverse.at(group.reverse * x));
  };
  const double low = at(group.lowest);
  if (!(group.highest > group.lowest)) return low;
  const double share = (group.mean - group.lowest) / (group.highest - group.lowest);
  return low + share * (at(group.highest) - low);
}

// The sum of log(1 + excess) over the queries of one statistic, from above; `log_excess` gives the
// logarithm of the excess at a log x that no double's exponential holds.
template <class LogExcess>
double log_moments(const LinePair& pair, const VoteSums::AtOrder& at, const VoteSums::Cost& cost,
                   double cap, const LogExcess& log_excess) {
  const VoteSums::Group& all = cost.all;
  if (!(all.highest < kMaxLinearExcess)) {
    double sum = 0.0;
    for (std::uint32_t k = cost.first; k < cost.last; ++k) {
      const VoteSums::Group& group = at.groups[k];
      const double moment = group.highest < kMaxLinearExcess
                                ? log_moment(chord(pair, group), cap)
                                : std::min(log1pexp(log_excess(group.log_highest)), cap);
      sum += group.queries * moment;
    }
    return sum;
  }
  if (const auto line = single_line(pair, all)) {
    const double spread = line->answered * (all.highest - all.lowest);
    const double excess = line->at(all.mean);
    // log is concave: the mean of log(1 + e) falls short of log(1 + mean e) by at most
    // spread^2 / 8.
    if (spread * spread <= 8.0 * kJensen * excess) return all.queries * log_moment(excess, cap);
  }
  double sum = 0.0;
  for (std::uint32_t k = cost.first; k < cost.last; ++k) {
    sum += at.groups[k].queries * log_moment(chord(pair, at.groups[k]), cap);
  }
  return sum;
}

}  // namespace

void LineEnvelope::finish() {
  low_ = high_ = line(0);
  for (std::size_t k = 1; k < size(); ++k) {
    const Line& at = line(k);
    if (std::pair(at.selection, at.answered) > std::pair(low_.selection, low_.answered)) low_ = at;
    if (std::pair(at.answered, at.selection) > std::pair(high_.answered, high_.selection)) {
      high_ = at;
    }
  }
  low_until_ = kInfinity;
  high_from_ = 0.0;
  if (low_.selection == kInfinity) {
    high_ = low_;
    return;
  }
  for (std::size_t k = 0; k < size(); ++k) {
    const Line& at = line(k);
    if (at.answered > low_.answered) {
      low_until_ =
          std::min(low_until_, (low_.selection - at.selection) / (at.answered - low_.answered));
    }
    if (at.answered < high_.answered) {
      high_from_ =
          std::max(high_from_, (at.selection - high_.selection) / (high_.answered - at.answered));
    }
  }
}

Sides sides_of(const Neighbours& neighbours, std::int64_t v, std::int64_t teachers) {
  const std::int64_t most = neighbours.teachers;
  const std::int64_t highest = neighbours.adds_or_removes() ? teachers + most : teachers;
  return {std::min(most, v), std::min(most, highest - v)};
}

Leads::Leads(const ThresholdCheck& the_check, std::vector<std::int64_t> the_values, Bound bound)
    : check(the_check), values(std::move(the_values)) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::int64_t v = values[k];
    log_answered.push_back(pate::log_answered(check, v));
    if (bound == Bound::published) {
      published.emplace_back(log_q(check, v),
                             threshold_as_noisy_max(check.sigma1_per_move()).sigma);
      continue;
    }
    const std::int64_t reach = check.neighbours.teachers;
    const bool next = reach == 1 && k > 0 && values[k - 1] + 1 == v;
    below.push_back(next ? above.back() : answer_pair(check, v - reach, v));
    above.push_back(answer_pair(check, v, v + reach));
  }
}

LeadCosts::LeadCosts(const Leads& leads, double order, CostKind kind)
    : leads_(leads),
      order_(order),
      kind_(kind),
      // The same number twice, but for rounding: that of the bound.
      selection_cap_(
          kind.bound == Bound::published
              ? data_independent_cost(threshold_as_noisy_max(leads.check.sigma1_per_move()), order)
              : threshold_data_independent(leads.check, order)) {
  for (std::size_t k = 0; k < leads.values.size(); ++k) {
    if (kind.bound == Bound::tradeoff) {
      const bool next = reach() == 1 && k > 0 && leads.values[k - 1] + 1 == leads.values[k];
      below_.push_back(next ? above_.back() : lines_of(leads.below[k]));
      above_.push_back(lines_of(leads.above[k]));
    }
    if (kind.reading == GuaranteeKind::joint) {
      lines_.push_back(lines(k, {reach(), reach()}));
    } else {
      selection_.push_back(selection_cost(k, {reach(), reach()}));
    }
  }
}

LeadCosts::StepLines LeadCosts::lines_of(const LogBernoulliPair& step) const {
  return {log_answer_line(step, order_), log_answer_line(reversed(step), order_)};
}

template <class Add>
void LeadCosts::each_line(std::size_t lead, Sides sides, const Add& add) const {
  // The step up to a lead, seen from there, is downwards.
  const std::int64_t v = leads_.values[lead];
  if (sides.lower > 0) {
    const StepLines at = sides.lower == reach() ? below_[lead] : step(v - sides.lower, v);
    add(at.down, at.up);
  }
  if (sides.higher > 0) {
    const StepLines at = sides.higher == reach() ? above_[lead] : step(v, v + sides.higher);
    add(at.up, at.down);
  }
}

LinePair LeadCosts::lines(std::size_t lead, Sides sides) const {
  const LineEnvelope same(std::exp(leads_.log_answered[lead]));
  LinePair result{same, same};
  each_line(lead, sides, [&](const LogAnswerLine& forward, const LogAnswerLine& reverse) {
    result.forward.add(forward.in_doubles());
    result.reverse.add(reverse.in_doubles());
  });
  result.forward.finish();
  result.reverse.finish();
  return result;
}

double LeadCosts::log_excess(std::size_t lead, Sides sides, double log_x) const {
  double largest = leads_.log_answered[lead] + log_x;
  each_line(lead, sides, [&](const LogAnswerLine& forward, const LogAnswerLine& reverse) {
    largest = max_or_nan(largest, max_or_nan(forward.at(log_x), reverse.at(log_x)));
  });
  return largest;
}

double LeadCosts::selection_cost(std::size_t lead, Sides sides) const {
  if (kind_.bound == Bound::published) return leads_.published[lead].cost(order_, selection_cap_);
  double largest = -kInfinity;
  each_line(lead, sides, [&](const LogAnswerLine& forward, const LogAnswerLine& reverse) {
    largest = max_or_nan(largest, max_or_nan(forward.selection, reverse.selection));
  });
  return cost_of_log_excess(largest, order_, selection_cap_);
}

RowCosts::RowCosts(const ThresholdCheck& check, std::span<const double> thresholds,
                   std::span<const CostInputs::Statistic> statistics, CostKind kind,
                   const TuningOrders& orders, bool interpolate)
    : check_(check), kind_(kind), orders_(orders) {
  if (statistics.empty()) {
    places_.resize(thresholds.size());
    return;
  }
  std::vector<double> all;
  // Beyond all doubles' whole votes a threshold is as good as the next one.
  for (const double threshold : thresholds) all.push_back(std::clamp(threshold, -1e15, 1e15));
  // Theorem 6 holds where a condition on q does: its costs jump.
  if (interpolate && kind.bound == Bound::tradeoff) add_panels(all);
  add_chains(all, statistics);
}

RowCosts::Panel::Panel(std::size_t from, std::size_t to, std::vector<double>& thresholds)
    : begin(from), end(to), first_node(thresholds.size()) {
  const double low = thresholds[begin];
  const double half = 0.5 * (thresholds[end - 1] - low);
  const auto is_whole = [low](double t) {
    return std::abs(t - low - std::round(t - low)) <= kSameFraction * std::max(1.0, std::abs(t));
  };
  const std::span its(thresholds.data() + begin, end - begin);
  // Thresholds that share leads do so with the nodes too.
  const bool in_votes = half >= kFewVotes && std::ranges::all_of(its, is_whole);
  Nodes s;  // Chebyshev nodes, or those beside them, from -1 to 1
  for (std::size_t k = 0; k < kNodes; ++k) {
    const double angle = std::numbers::pi * (static_cast<double>(k) + 0.5) / kNodes;
    const double above = half * (1.0 - std::cos(angle));
    const double node = in_votes ? std::round(above) : above;
    s[k] = node / half - 1.0;
    thresholds.push_back(low + node);
  }
  // Lagrange's basis: of a value at node k, the product of (x - s_j) / (s_k - s_j).
  const auto product = [&s](std::size_t k, double x) {
    double result = 1.0;
    for (std::size_t j = 0; j < kNodes; ++j) {
      if (j != k) result *= x - s[j];
    }
    return result;
  };
  const double sum = std::accumulate(s.begin(), s.end(), 0.0);
  for (std::size_t k = 0; k < kNodes; ++k) {
    // T_n has the leading coefficient 2^(n-1), and none beside it.
    last[k] = std::ldexp(1.0 / product(k, s[k]), -static_cast<int>(kNodes) + 2);
    last_but_one[k] = 2.0 * last[k] * (s[k] - sum);
  }
  for (std::size_t i = begin; i < end; ++i) {
    const double x = (thresholds[i] - low) / half - 1.0;
    Nodes& of = weights.emplace_back();
    for (std::size_t k = 0; k < kNodes; ++k) of[k] = product(k, x) / product(k, s[k]);
  }
}

void RowCosts::add_panels(std::vector<double>& thresholds) {
  const std::size_t size = thresholds.size();
  for (std::size_t begin = 0; begin < size;) {
    std::size_t end = begin;
    while (end < size && thresholds[end] - thresholds[begin] <= kPanel * check_.sigma1) ++end;
    if (end - begin > Panel::kNodes) panels_.emplace_back(begin, end, thresholds);
    begin = end;
  }
}

void RowCosts::add_chains(std::span<const double> thresholds,
                          std::span<const CostInputs::Statistic> statistics) {
  places_.resize(thresholds.size());
  const std::int64_t lowest = statistics.front().value;
  const std::int64_t highest = statistics.back().value;
  const bool is_gapless = static_cast<std::size_t>(highest - lowest) < kGaps * statistics.size();
  std::vector<double> fractions;
  std::vector<std::int64_t> wholes;
  for (const double threshold : thresholds) {
    const double whole = std::floor(threshold);
    wholes.push_back(static_cast<std::int64_t>(whole));
    fractions.push_back(threshold - whole);
  }
  std::vector<std::size_t> sorted(thresholds.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  const auto same = [&](std::size_t a, std::size_t b) {
    return std::abs(fractions[a] - fractions[b]) <=
           kSameFraction * std::max(1.0, std::abs(thresholds[a]));
  };
  // By fraction, then by whole votes; a chain is a run of those that share leads.
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
    return fractions[a] != fractions[b] ? fractions[a] < fractions[b] : a < b;
  });
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    while (end < sorted.size() && same(sorted[begin], sorted[end])) ++end;
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
              sorted.begin() + static_cast<std::ptrdiff_t>(end), [&](std::size_t a, std::size_t b) {
                return std::pair(wholes[a], a) < std::pair(wholes[b], b);
              });
    const double fraction = fractions[sorted[begin]];
    while (begin < end) {
      std::size_t last = begin;
      while (is_gapless && last + 1 < end &&
             wholes[sorted[last + 1]] - wholes[sorted[last]] <= highest - lowest + 1) {
        ++last;
      }
      for (std::size_t k = begin; k <= last; ++k) {
        places_[sorted[k]] = {chains_.size(), wholes[sorted[k]]};
      }
      Chain chain{check_, {}, is_gapless, {}, std::nullopt, {}};
      chain.check.threshold = fraction;
      if (is_gapless) {
        for (std::int64_t lead = lowest - wholes[sorted[last]];
             lead <= highest - wholes[sorted[begin]]; ++lead) {
          chain.values.push_back(lead);
        }
      } else {
        for (const auto& statistic : statistics) {
          chain.values.push_back(statistic.value - wholes[sorted[begin]]);
        }
      }
      for (const std::int64_t lead : chain.values) {
        chain.answered.push_back(std::exp(log_answered(chain.check, lead)));
      }
      chains_.push_back(std::move(chain));
      begin = last + 1;
    }
  }
}

std::size_t RowCosts::lead(const Place& place, std::int64_t v) const {
  const Chain& chain = chains_[place.chain];
  const std::int64_t value = v - place.whole;
  if (chain.is_gapless) return static_cast<std::size_t>(value - chain.values.front());
  const auto found = std::ranges::lower_bound(chain.values, value);
  return static_cast<std::size_t>(found - chain.values.begin());
}

double RowCosts::answered(const VoteSums& sums, std::size_t threshold) const {
  CompensatedSum sum;
  for (const auto& [v, queries] : sums.statistics()) {
    sum.add(queries * answered(places_[threshold], v));
  }
  return sum.value();
}

double RowCosts::answered_of(std::span<const double> queries, const VoteSums& sums,
                             std::size_t threshold) const {
  CompensatedSum sum;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    sum.add(queries[i] * answered(places_[threshold], sums.statistics()[i].value));
  }
  return sum.value();
}

double RowCosts::rdp(const VoteSums& sums, std::size_t threshold, std::size_t order) {
  if (sums.statistics().empty()) return 0.0;
  if (const std::size_t number = panel_of(threshold); number < panels_.size()) {
    Panel& panel = panels_[number];
    const Panel::Costs& known = costs(panel, sums, order);
    if (*known.raised > 0.0) {
      return dot(panel.weights[threshold - panel.begin], known.at_nodes) * *known.raised;
    }
  }
  return rdp(sums, places_[threshold], order);
}

double RowCosts::rdp_nearby(const VoteSums& sums, std::size_t threshold, std::size_t order) {
  Panel& panel = panels_[panel_of(threshold)];
  std::optional<double>& result = panel.by_order[{&sums, order}].nearby;
  if (!result) result = rdp(sums, places_[panel.first_node + kMiddle], order);
  return *result;
}

std::size_t RowCosts::panel_of(std::size_t threshold) const {
  const auto after = std::ranges::upper_bound(panels_, threshold, {}, &Panel::begin);
  if (after == panels_.begin() || threshold >= std::prev(after)->end) return panels_.size();
  return static_cast<std::size_t>(std::prev(after) - panels_.begin());
}

const RowCosts::Panel::Costs& RowCosts::costs(Panel& panel, const VoteSums& sums,
                                              std::size_t order) {
  Panel::Costs& result = panel.by_order[{&sums, order}];
  if (result.raised) return result;
  double least = kInfinity;
  for (std::size_t k = 0; k < Panel::kNodes; ++k) {
    result.at_nodes[k] = k == kMiddle && result.nearby
                             ? *result.nearby
                             : rdp(sums, places_[panel.first_node + k], order);
    least = std::min(least, result.at_nodes[k]);
  }
  const double raised = kTails *
                        (std::abs(dot(panel.last, result.at_nodes)) +
                         std::abs(dot(panel.last_but_one, result.at_nodes))) /
                        least;
  result.raised = raised <= kMaxRaised ? 1.0 + raised : 0.0;
  return result;
}

double RowCosts::rdp(const VoteSums& sums, const Place& place, std::size_t order) {
  return kind_.reading == GuaranteeKind::joint ? joint(sums, place, order)
                                               : expected(sums, place, order);
}

const LeadCosts& RowCosts::costs(const Place& place, std::size_t order) {
  auto& known = chains_[place.chain].by_order;
  if (const auto found = known.find(order); found != known.end()) return *found->second;
  Chain& chain = chains_[place.chain];
  if (kept_ + chain.values.size() > kMaxKept) {
    for (Chain& any : chains_) any.by_order.clear();
    kept_ = 0;
  }
  kept_ += chain.values.size();
  if (!chain.leads) chain.leads.emplace(chain.check, chain.values, kind_.bound);
  return *(known[order] = std::make_unique<LeadCosts>(*chain.leads, orders_[order], kind_));
}

double RowCosts::joint(const VoteSums& sums, const Place& place, std::size_t order) {
  const VoteSums::AtOrder& at = sums.at(order);
  const LeadCosts& leads = costs(place, order);
  const double distance = orders_[order] - 1.0;
  const double cap =
      (at.noisy_max_cap + threshold_data_independent(check_, orders_[order])) * distance;
  const Neighbours& neighbours = check_.neighbours;
  const Sides all{neighbours.teachers, neighbours.teachers};
  double sum = 0.0;
  for (std::size_t i = 0; i < at.costs.size(); ++i) {
    const std::int64_t v = sums.statistics()[i].value;
    const std::size_t lead = this->lead(place, v);
    const Sides sides = sides_of(neighbours, v, sums.teachers());
    const auto log_excess = [&](double log_x) { return leads.log_excess(lead, sides, log_x); };
    sum += sides == all ? log_moments(leads.lines(lead), at, at.costs[i], cap, log_excess)
                        : log_moments(leads.lines(lead, sides), at, at.costs[i], cap, log_excess);
  }
  // Costs that underflow are at their floor, each of them.
  return with_margin(sum * (1.0 + kSumMargin) / distance) +
         static_cast<double>(sums.query_counts().queries) * kMinCost;
}

double RowCosts::expected(const VoteSums& sums, const Place& place, std::size_t order) {
  const VoteSums::AtOrder& at = sums.at(order);
  const LeadCosts& leads = costs(place, order);
  const Sides all{check_.neighbours.teachers, check_.neighbours.teachers};
  double sum = 0.0;
  for (std::size_t i = 0; i < at.costs.size(); ++i) {
    const auto& [v, queries] = sums.statistics()[i];
    const std::size_t lead = this->lead(place, v);
    const Sides sides = sides_of(check_.neighbours, v, sums.teachers());
    const double check =
        sides == all ? leads.selection_cost(lead) : leads.selection_cost(lead, sides);
    sum += queries * check + answered(place, v) * at.costs[i].noisy_max;
  }
  return sum * (1.0 + kSumMargin);
}

}  // namespace pate
