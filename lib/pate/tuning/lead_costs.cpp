#include "pate/tuning/lead_costs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/numerics/log_space.hpp"

namespace pate {

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
  return {std::min(most, v), std::min(most, neighbours.highest_top(teachers) - v)};
}

Leads::Leads(const ThresholdCheck& the_check, const Neighbours& the_neighbours,
             std::vector<std::int64_t> the_values, Bound bound)
    : check(the_check), neighbours(the_neighbours), values(std::move(the_values)) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::int64_t v = values[k];
    log_answered.push_back(pate::log_answered(check, v));
    if (bound == Bound::published) {
      published.emplace_back(log_q(check, v),
                             threshold_as_noisy_max(neighbours.per_move(check.sigma1)).sigma);
      continue;
    }
    const std::int64_t reach = neighbours.teachers;
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
              ? data_independent_cost(
                    threshold_as_noisy_max(leads.neighbours.per_move(leads.check.sigma1)), order)
              : threshold_data_independent(leads.neighbours.per_move(leads.check.sigma1), order)) {
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

}  // namespace pate
