#include "pate/sensitivity/q_walk.hpp"

#include <algorithm>
#include <cmath>

namespace pate {

namespace {

// Below this a sum of probabilities may lose digits to underflow: add logarithms instead.
constexpr double kSmallestProbability = 1e-250;
constexpr double kOutwards = 1e-12;
constexpr double kNegligible = 1e-15;

}  // namespace

QWalk::QWalk(const UnionBoundTable& table, std::span<const std::int32_t> sorted)
    : table_(&table),
      cap_(std::log1p(-1.0 / static_cast<double>(sorted.size()))),
      classes_behind_(static_cast<double>(sorted.size() - 1)) {
  for (const std::int32_t votes : sorted.subspan(1)) {
    if (lowest_.groups.empty() || lowest_.groups.back().votes != votes) {
      lowest_.groups.push_back({votes, 0.0});
    }
    lowest_.groups.back().classes += 1.0;
  }
  highest_.groups = lowest_.groups;
  highest_.groups.front().classes -= 1.0;
  highest_.top = lowest_.top = sorted[0];
  highest_.level = lowest_.level = sorted[1];
  highest_.at_level = 1.0;
  lowest_.at_level = lowest_.groups.front().classes;
  lowest_.next = 1;
  take_in_below();
  update_low();
  update_high();
}

template <class Term>
double QWalk::sum_of(const End& end, const Term& term) const {
  double left = classes_behind_;
  double sum = 0.0;
  const auto add = [&](std::int64_t votes, double classes) {
    if (classes == 0.0) return true;
    const double each = term(end.top - votes);
    sum += classes * each;
    left -= classes;
    return each * left > kNegligible * sum;
  };
  bool more = add(end.level, end.at_level) && add(end.level - 1, end.below);
  for (std::size_t i = end.next; more && i < end.groups.size(); ++i) {
    more = add(end.groups[i].votes, end.groups[i].classes);
  }
  return sum;
}

double QWalk::log_sum(const End& end) const {
  const std::int64_t nearest = end.top - end.level;
  if (table_->probability(nearest) > kSmallestProbability) {
    const double q = sum_of(end, [this](std::int64_t gap) { return table_->probability(gap); });
    return std::min(std::log(q), cap_);
  }
  const double largest = table_->log_term(nearest);
  const double q = sum_of(
      end, [this, largest](std::int64_t gap) { return std::exp(table_->log_term(gap) - largest); });
  return std::min(largest + std::log(q), cap_);
}

double QWalk::slack(double log_q) const {
  return kOutwards * static_cast<double>(distance_ + 1) * std::max(1.0, -log_q);
}

void QWalk::update_low() {
  const double log_q = log_sum(lowest_);
  low_ = log_q - slack(log_q);
}

void QWalk::update_high() {
  if (highest_.top <= highest_.level && distance_ > 0) high_capped_ = true;
  if (high_capped_) {
    high_ = cap_;
    return;
  }
  const double log_q = log_sum(highest_);
  high_ = std::min(log_q + slack(log_q), cap_);
}

void QWalk::take_in_below() {
  End& end = lowest_;
  end.below = 0.0;
  if (end.next < end.groups.size() && end.groups[end.next].votes == end.level - 1) {
    end.below = end.groups[end.next++].classes;
  }
}

void QWalk::step() {
  ++distance_;
  --highest_.top;
  ++highest_.level;
  update_high();
  if (!low_ended()) {
    ++lowest_.top;
    lowest_.at_level -= 1.0;
    lowest_.below += 1.0;
    if (lowest_.at_level == 0.0) {
      --lowest_.level;
      lowest_.at_level = lowest_.below;
      take_in_below();
    }
  }
  update_low();
}

}  // namespace pate
