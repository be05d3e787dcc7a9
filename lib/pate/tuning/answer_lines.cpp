#include "pate/tuning/answer_lines.hpp"

#include <algorithm>
#include <cmath>

#include "pate/bounds/step_cost.hpp"
#include "pate/math/log_space.hpp"

namespace pate {

namespace {}  // namespace

AnswerLeads::AnswerLeads(double sigma1, double shift, std::int64_t first, std::int64_t last)
    : sigma1_(sigma1), first_(first) {
  const ThresholdCheck check{shift, sigma1};
  for (std::int64_t v = first - 1; v <= last + 1; ++v) {
    const double log_p = pate::log_answered(check, v);
    log_answered_.push_back(log_p);
    answered_.push_back(std::exp(log_p));
    log_q_.push_back(std::min(log_p, log_refused(check, v)));
    if (v <= last) steps_.push_back(answer_pair(check, v, v + 1));
  }
}

void LineEnvelope::finish() {
  low_ = high_ = lines_[0];
  for (std::size_t k = 1; k < count_; ++k) {
    const Line& line = lines_[k];
    if (line.selection > low_.selection ||
        (line.selection == low_.selection && line.answered > low_.answered)) {
      low_ = line;
    }
    if (line.answered > high_.answered ||
        (line.answered == high_.answered && line.selection > high_.selection)) {
      high_ = line;
    }
  }
  low_until_ = kInfinity;
  high_from_ = 0.0;
  if (low_.selection == kInfinity) {
    high_ = low_;
    return;
  }
  for (std::size_t k = 0; k < count_; ++k) {
    const Line& line = lines_[k];
    if (line.answered > low_.answered) {
      low_until_ =
          std::min(low_until_, (low_.selection - line.selection) / (line.answered - low_.answered));
    }
    if (line.answered < high_.answered) {
      high_from_ = std::max(high_from_,
                            (line.selection - high_.selection) / (high_.answered - line.answered));
    }
  }
}

double LineEnvelope::at(double x) const {
  double largest = 0.0;
  for (std::size_t k = 0; k < count_; ++k) {
    const double value = lines_[k].at(x);
    if (!(value < kHugeExcess)) return kInfinity;
    largest = std::max(largest, value);
  }
  return largest;
}

LeadCosts::LeadCosts(const AnswerLeads& leads, double order, Bound bound, Reading reading)
    : leads_(leads),
      order_(order),
      bound_(bound),
      selection_cap_(threshold_data_independent(leads.sigma1(), order)) {
  if (bound == Bound::tradeoff) {
    for (std::size_t i = 0; i <= leads.size(); ++i) {
      const LogAnswerLine up = log_answer_line(leads.step(i), order);
      const LogAnswerLine down = log_answer_line(reversed(leads.step(i)), order);
      up_log_.push_back(up.selection);
      down_log_.push_back(down.selection);
      if (reading != Reading::joint) continue;
      up_.push_back(up.in_doubles());
      down_.push_back(down.in_doubles());
    }
  }
  for (std::size_t i = 0; i < leads.size(); ++i) {
    if (reading == Reading::joint) {
      lines_.push_back(lines(i, true, true));
    } else {
      selection_.push_back(selection_cost(i, true, true));
    }
  }
}

LinePair LeadCosts::lines(std::size_t i, bool has_lower, bool has_higher) const {
  LinePair result{LineEnvelope(leads_.answered(i)), LineEnvelope(leads_.answered(i))};
  // The step up to lead i, seen from i, is downwards.
  if (has_lower) {
    result.forward.add(down_[i]);
    result.reverse.add(up_[i]);
  }
  if (has_higher) {
    result.forward.add(up_[i + 1]);
    result.reverse.add(down_[i + 1]);
  }
  result.forward.finish();
  result.reverse.finish();
  return result;
}

double LeadCosts::log_excess(std::size_t i, bool has_lower, bool has_higher, double log_x) const {
  double largest = leads_.log_answered(i) + log_x;
  const auto add = [&](const LogBernoulliPair& pair) {
    largest = std::max(largest, log_answer_line(pair, order_).at(log_x));
  };
  if (has_lower) {
    add(leads_.step(i));
    add(reversed(leads_.step(i)));
  }
  if (has_higher) {
    add(leads_.step(i + 1));
    add(reversed(leads_.step(i + 1)));
  }
  return largest;
}

double LeadCosts::selection_cost(std::size_t i, bool has_lower, bool has_higher) const {
  if (bound_ == Bound::published) {
    return threshold_published(leads_.log_q(i), leads_.sigma1(), order_);
  }
  double largest = -kInfinity;
  if (has_lower) largest = std::max({largest, up_log_[i], down_log_[i]});
  if (has_higher) largest = std::max({largest, up_log_[i + 1], down_log_[i + 1]});
  return cost_of_log_excess(largest, order_, selection_cap_);
}

}  // namespace pate
