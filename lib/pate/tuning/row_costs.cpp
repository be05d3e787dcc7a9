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
    return std::max(pair.forward.at(group.forward * x), pair.reverse.at(group.reverse * x));
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

RowCosts::RowCosts(double sigma1, std::span<const double> thresholds,
                   std::span<const CostInputs::Statistic> statistics, CostKind kind,
                   const TuningOrders& orders)
    : sigma1_(sigma1), kind_(kind), orders_(orders), places_(thresholds.size()) {
  if (statistics.empty()) return;
  const std::int64_t lowest = statistics.front().value;
  const std::int64_t highest = statistics.back().value;
  std::vector<double> fractions;
  std::vector<std::int64_t> wholes;
  for (const double threshold : thresholds) {
    // A threshold beyond all doubles' whole votes is as good as the next one.
    const double whole = std::floor(std::clamp(threshold, -1e15, 1e15));
    wholes.push_back(static_cast<std::int64_t>(whole));
    fractions.push_back(std::clamp(threshold, -1e15, 1e15) - whole);
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
              sorted.begin() + static_cast<std::ptrdiff_t>(end));
    const double fraction = fractions[sorted[begin]];
    while (begin < end) {
      std::size_t last = begin;
      while (last + 1 < end &&
             wholes[sorted[last + 1]] - wholes[sorted[last]] <= highest - lowest + 1) {
        ++last;
      }
      const std::int64_t first = lowest - wholes[sorted[last]];
      for (std::size_t k = begin; k <= last; ++k) {
        places_[sorted[k]] = {chains_.size(), wholes[sorted[k]] + first};
      }
      chains_.push_back(
          {AnswerLeads(sigma1, fraction, first, highest - wholes[sorted[begin]]), {}});
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
  const Place& place = places_[threshold];
  return kind_.reading == Reading::joint ? joint(sums, place, order) : expected(sums, place, order);
}

const LeadCosts& RowCosts::costs(const Place& place, std::size_t order) {
  Chain& chain = chains_[place.chain];
  auto& made = chain.by_order[order];
  if (!made) {
    made = std::make_unique<LeadCosts>(chain.leads, orders_[order], kind_.bound, kind_.reading);
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
    const std::size_t here = place.lead(v);
    const bool has_lower = v > 0;
    const bool has_higher = v < sums.teachers();
    const auto log_excess = [&](double log_x) {
      return leads.log_excess(here, has_lower, has_higher, log_x);
    };
    sum += has_lower && has_higher
               ? log_moments(leads.lines(here), at, at.costs[i], cap, log_excess)
               : log_moments(leads.lines(here, has_lower, has_higher), at, at.costs[i], cap,
                             log_excess);
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
    const std::size_t here = place.lead(v);
    const bool edge = v == 0 || v == sums.teachers();
    const double check =
        edge ? leads.selection_cost(here, v > 0, v < sums.teachers()) : leads.selection_cost(here);
    sum += queries * check + answered(place, v) * at.costs[i].noisy_max;
  }
  return sum * (1.0 + kSumMargin);
}

}  // namespace pate
