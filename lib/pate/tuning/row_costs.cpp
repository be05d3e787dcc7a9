#include "pate/tuning/row_costs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "pate/bounds/step_cost.hpp"
#include "pate/math/log_space.hpp"
#include "pate/math/margin.hpp"
#include "pate/math/sums.hpp"

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
constexpr double kMostRaised = 5e-4;
constexpr std::size_t kMiddle = QCells::kNodes / 2;

// log(1 + x) from above: within 4e-6 relative below 0.05, exact beyond.
double log1p_above(double x) {
  return x < 0.05 ? x * (6.0 + x) / (6.0 + 4.0 * x) : std::log1p(x);
}

double log_moment(double excess, double cap) {
  return excess < kHugeExcess ? std::min(log1p_above(excess), cap) : cap;
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
  if (!(all.highest < kHugeExcess)) {
    double sum = 0.0;
    for (std::uint32_t k = cost.first; k < cost.last; ++k) {
      const VoteSums::Group& group = at.groups[k];
      const double moment = group.highest < kHugeExcess
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

LeadCosts::LeadCosts(const Leads& leads, double order, CostKind kind)
    : leads_(leads),
      order_(order),
      kind_(kind),
      // The same number twice, but for rounding: that of the bound.
      selection_cap_(
          kind.bound == Bound::published
              ? data_independent_cost(threshold_as_noisy_max(leads.ladder.check().sigma1), order)
              : threshold_data_independent(leads.ladder.check().sigma1, order)) {
  const AnswerLadder& ladder = leads.ladder;
  for (std::int64_t v = ladder.first(); kind.bound == Bound::tradeoff && v < ladder.last(); ++v) {
    up_.push_back(log_answer_line(ladder.step(v), order));
    down_.push_back(log_answer_line(reversed(ladder.step(v)), order));
  }
  for (std::int64_t v = ladder.first() + 1; v < ladder.last(); ++v) {
    if (kind.reading == Reading::joint) {
      lines_.push_back(lines(v, {}));
    } else {
      selection_.push_back(selection_cost(v, {}));
    }
  }
}

template <class Add>
void LeadCosts::each_line(std::int64_t lead, Sides sides, const Add& add) const {
  const std::size_t i = index(lead);
  // The step up to a lead, seen from there, is downwards.
  if (sides.lower) add(down_[i - 1], up_[i - 1]);
  if (sides.higher) add(up_[i], down_[i]);
}

LinePair LeadCosts::lines(std::int64_t lead, Sides sides) const {
  const LineEnvelope same(std::exp(leads_.ladder.log_answered(lead)));
  LinePair result{same, same};
  each_line(lead, sides, [&](const LogAnswerLine& forward, const LogAnswerLine& reverse) {
    result.forward.add(forward.in_doubles());
    result.reverse.add(reverse.in_doubles());
  });
  result.forward.finish();
  result.reverse.finish();
  return result;
}

double LeadCosts::log_excess(std::int64_t lead, Sides sides, double log_x) const {
  double largest = leads_.ladder.log_answered(lead) + log_x;
  each_line(lead, sides, [&](const LogAnswerLine& forward, const LogAnswerLine& reverse) {
    largest = max_or_nan(largest, max_or_nan(forward.at(log_x), reverse.at(log_x)));
  });
  return largest;
}

double LeadCosts::selection_cost(std::int64_t lead, Sides sides) const {
  if (kind_.bound == Bound::published) {
    return leads_.published[index(lead)].cost(order_, selection_cap_);
  }
  double largest = -kInfinity;
  each_line(lead, sides, [&](const LogAnswerLine& forward, const LogAnswerLine& reverse) {
    largest = max_or_nan(largest, max_or_nan(forward.selection, reverse.selection));
  });
  return cost_of_log_excess(largest, order_, selection_cap_);
}

RowCosts::RowCosts(double sigma1, std::span<const double> thresholds,
                   std::span<const CostInputs::Statistic> statistics, CostKind kind,
                   const TuningOrders& orders, bool interpolate)
    : sigma1_(sigma1), kind_(kind), orders_(orders) {
  if (statistics.empty()) {
    places_.resize(thresholds.size());
    return;
  }
  std::vector<double> all;
  // Beyond all doubles' whole votes a threshold is as good as the next one.
  for (const double threshold : thresholds) all.push_back(std::clamp(threshold, -1e15, 1e15));
  // Theorem 6 holds where a condition on q does: its costs jump.
  if (interpolate && kind.bound == Bound::tradeoff) add_panels(all);
  add_chains(all, statistics.front().value, statistics.back().value);
}

void RowCosts::add_panels(std::vector<double>& thresholds) {
  const std::size_t size = thresholds.size();
  for (std::size_t begin = 0; begin < size;) {
    std::size_t end = begin;
    while (end < size && thresholds[end] - thresholds[begin] <= kPanel * sigma1_) ++end;
    if (end - begin > QCells::kNodes) {
      Panel panel{begin, end, thresholds.size(), {}, {}};
      const double middle = 0.5 * (thresholds[begin] + thresholds[end - 1]);
      const double half = 0.5 * (thresholds[end - 1] - thresholds[begin]);
      for (std::size_t k = 0; k < QCells::kNodes; ++k) {
        thresholds.push_back(middle + half * QCells::node(k));
      }
      for (std::size_t i = begin; i < end; ++i) {
        QCells::Nodes moments{};
        QCells::add(1.0, (thresholds[i] - middle) / half, moments);
        panel.weights.push_back(QCells::weights(moments));
      }
      panels_.push_back(std::move(panel));
    }
    begin = end;
  }
}

void RowCosts::add_chains(std::span<const double> thresholds, std::int64_t lowest,
                          std::int64_t highest) {
  places_.resize(thresholds.size());
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
      while (last + 1 < end &&
             wholes[sorted[last + 1]] - wholes[sorted[last]] <= highest - lowest + 1) {
        ++last;
      }
      for (std::size_t k = begin; k <= last; ++k) {
        places_[sorted[k]] = {chains_.size(), wholes[sorted[k]]};
      }
      Chain chain{{fraction, sigma1_},
                  lowest - wholes[sorted[last]] - 1,
                  highest - wholes[sorted[begin]] + 1,
                  {},
                  std::nullopt,
                  {}};
      for (std::int64_t lead = chain.first; lead <= chain.last; ++lead) {
        chain.answered.push_back(std::exp(log_answered(chain.check, lead)));
      }
      chains_.push_back(std::move(chain));
      begin = last + 1;
    }
  }
}

double RowCosts::answered(const VoteSums& sums, std::size_t threshold) const {
  const Place& place = places_[threshold];
  CompensatedSum sum;
  for (const auto& [v, queries] : sums.statistics()) {
    sum.add(queries * answered(place, v));
  }
  return sum.value();
}

double RowCosts::right(const VoteSums& sums, std::size_t threshold) const {
  const Place& place = places_[threshold];
  CompensatedSum sum;
  for (std::size_t i = 0; i < sums.right().size(); ++i) {
    sum.add(sums.right()[i] * answered(place, sums.statistics()[i].value));
  }
  return sum.value();
}

double RowCosts::rdp(const VoteSums& sums, std::size_t threshold, std::size_t order) {
  if (sums.statistics().empty()) return 0.0;
  if (const std::size_t number = panel_of(threshold); number < panels_.size()) {
    Panel& panel = panels_[number];
    const Panel::Costs& known = costs(panel, sums, order);
    if (*known.raised > 0.0) {
      return QCells::dot(panel.weights[threshold - panel.begin], known.at_nodes) * *known.raised;
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
  for (std::size_t k = 0; k < QCells::kNodes; ++k) {
    result.at_nodes[k] = k == kMiddle && result.nearby
                             ? *result.nearby
                             : rdp(sums, places_[panel.first_node + k], order);
    least = std::min(least, result.at_nodes[k]);
  }
  const double raised = kTails * QCells::tail(result.at_nodes) / least;
  result.raised = raised <= kMostRaised ? 1.0 + raised : 0.0;
  return result;
}

double RowCosts::rdp(const VoteSums& sums, const Place& place, std::size_t order) {
  return kind_.reading == Reading::joint ? joint(sums, place, order) : expected(sums, place, order);
}

LeadCosts::Leads RowCosts::leads(const Chain& chain) const {
  LeadCosts::Leads result{AnswerLadder(chain.check, chain.first, chain.last), {}};
  for (std::int64_t v = chain.first; kind_.bound == Bound::published && v <= chain.last; ++v) {
    result.published.emplace_back(
        std::min(result.ladder.log_answered(v), result.ladder.log_refused(v)),
        threshold_as_noisy_max(sigma1_).sigma);
  }
  return result;
}

const LeadCosts& RowCosts::costs(const Place& place, std::size_t order) {
  Chain& chain = chains_[place.chain];
  auto& made = chain.by_order[order];
  if (!made) {
    if (!chain.leads) chain.leads = leads(chain);
    made = std::make_unique<LeadCosts>(*chain.leads, orders_[order], kind_);
  }
  return *made;
}

double RowCosts::joint(const VoteSums& sums, const Place& place, std::size_t order) {
  const VoteSums::AtOrder& at = sums.at(order);
  const LeadCosts& leads = costs(place, order);
  const double distance = orders_[order] - 1.0;
  const double cap =
      (at.noisy_max_cap + threshold_data_independent(sigma1_, orders_[order])) * distance;
  double sum = 0.0;
  for (std::size_t i = 0; i < at.costs.size(); ++i) {
    const std::int64_t v = sums.statistics()[i].value;
    const std::int64_t lead = v - place.whole;
    const Sides sides{v > 0, v < sums.teachers()};
    const auto log_excess = [&](double log_x) { return leads.log_excess(lead, sides, log_x); };
    sum += sides.lower && sides.higher
               ? log_moments(leads.lines(lead), at, at.costs[i], cap, log_excess)
               : log_moments(leads.lines(lead, sides), at, at.costs[i], cap, log_excess);
  }
  // Costs that underflow are at their floor, each of them.
  return with_margin(sum * (1.0 + kSumMargin) / distance) +
         static_cast<double>(sums.tally().queries) * kSmallestCost;
}

double RowCosts::expected(const VoteSums& sums, const Place& place, std::size_t order) {
  const VoteSums::AtOrder& at = sums.at(order);
  const LeadCosts& leads = costs(place, order);
  double sum = 0.0;
  for (std::size_t i = 0; i < at.costs.size(); ++i) {
    const auto& [v, queries] = sums.statistics()[i];
    const std::int64_t lead = v - place.whole;
    const Sides sides{v > 0, v < sums.teachers()};
    const double check = sides.lower && sides.higher ? leads.selection_cost(lead)
                                                     : leads.selection_cost(lead, sides);
    sum += queries * check + answered(place, v) * at.costs[i].noisy_max;
  }
  return sum * (1.0 + kSumMargin);
}

}  // namespace pate
