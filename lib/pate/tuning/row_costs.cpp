#include "pate/tuning/row_costs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// Jensen's inequality may give away this much of a term before queries are taken in groups.
constexpr double kJensen = 5e-4;
// Width in sigma1 of the thresholds over which costs are interpolated.
constexpr double kPanel = 2.0;
// Of the values between the lowest and the highest statistic one in so many may occur for all to be
// leads that thresholds share.
constexpr std::size_t kGaps = 4;
// Leads of costs that are kept, at all orders (some 100 MB).
constexpr std::size_t kMaxKept = 400'000;

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

RowCosts::RowCosts(const ThresholdCheck& check, const Neighbours& neighbours,
                   std::span<const double> thresholds,
                   std::span<const CostInputs::Statistic> statistics, CostKind kind,
                   const TuningOrders& orders, bool interpolate)
    : check_(check), neighbours_(neighbours), kind_(kind), orders_(orders) {
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

void RowCosts::add_panels(std::vector<double>& thresholds) {
  const std::size_t size = thresholds.size();
  for (std::size_t begin = 0; begin < size;) {
    std::size_t end = begin;
    while (end < size && thresholds[end] - thresholds[begin] <= kPanel * check_.sigma1) ++end;
    if (end - begin > ThresholdPanel::kNodes) {
      panels_.push_back({ThresholdPanel(begin, end, thresholds), {}});
    }
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
      return panel.thresholds.at(threshold, known.at_nodes) * *known.raised;
    }
  }
  return rdp(sums, places_[threshold], order);
}

double RowCosts::rdp_nearby(const VoteSums& sums, std::size_t threshold, std::size_t order) {
  Panel& panel = panels_[panel_of(threshold)];
  std::optional<double>& result = panel.by_order[{&sums, order}].nearby;
  if (!result) result = rdp(sums, places_[panel.thresholds.node(ThresholdPanel::kMiddle)], order);
  return *result;
}

std::size_t RowCosts::panel_of(std::size_t threshold) const {
  const auto after = std::ranges::upper_bound(
      panels_, threshold, {}, [](const Panel& panel) { return panel.thresholds.begin(); });
  if (after == panels_.begin() || threshold >= std::prev(after)->thresholds.end())
    return panels_.size();
  return static_cast<std::size_t>(std::prev(after) - panels_.begin());
}

const RowCosts::Panel::Costs& RowCosts::costs(Panel& panel, const VoteSums& sums,
                                              std::size_t order) {
  Panel::Costs& result = panel.by_order[{&sums, order}];
  if (result.raised) return result;
  for (std::size_t k = 0; k < ThresholdPanel::kNodes; ++k) {
    result.at_nodes[k] = k == ThresholdPanel::kMiddle && result.nearby
                             ? *result.nearby
                             : rdp(sums, places_[panel.thresholds.node(k)], order);
  }
  result.raised = panel.thresholds.raising(result.at_nodes);
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
  if (!chain.leads) chain.leads.emplace(chain.check, neighbours_, chain.values, kind_.bound);
  return *(known[order] = std::make_unique<LeadCosts>(*chain.leads, orders_[order], kind_));
}

double RowCosts::joint(const VoteSums& sums, const Place& place, std::size_t order) {
  const VoteSums::AtOrder& at = sums.at(order);
  const LeadCosts& leads = costs(place, order);
  const double distance = orders_[order] - 1.0;
  const double check_cap =
      threshold_data_independent(neighbours_.per_move(check_.sigma1), orders_[order]);
  const double cap = (at.noisy_max_cap + check_cap) * distance;
  const Sides all{neighbours_.teachers, neighbours_.teachers};
  double sum = 0.0;
  for (std::size_t i = 0; i < at.costs.size(); ++i) {
    const std::int64_t v = sums.statistics()[i].value;
    const std::size_t lead = this->lead(place, v);
    const Sides sides = sides_of(neighbours_, v, sums.teachers());
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
  const Sides all{neighbours_.teachers, neighbours_.teachers};
  double sum = 0.0;
  for (std::size_t i = 0; i < at.costs.size(); ++i) {
    const auto& [v, queries] = sums.statistics()[i];
    const std::size_t lead = this->lead(place, v);
    const Sides sides = sides_of(neighbours_, v, sums.teachers());
    const double check =
        sides == all ? leads.selection_cost(lead) : leads.selection_cost(lead, sides);
    sum += queries * check + answered(place, v) * at.costs[i].noisy_max;
  }
  return sum * (1.0 + kSumMargin);
}

}  // namespace pate
