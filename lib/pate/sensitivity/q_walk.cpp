#include "pate/sensitivity/q_walk.hpp"

#include <algorithm>
#include <cmath>

namespace pate {

namespace {

// Below this a sum of probabilities may lose digits to underflow: add logarithms instead.
constexpr double kSmallestProbability = 1e-250;
constexpr double kOutwards = 1e-12;

}  // namespace

QWalk::QWalk(const UnionBoundTable& table, std::span<const std::int32_t> sorted)
    : table_(&table),
      cap_(std::log1p(-1.0 / static_cast<double>(sorted.size()))),
      top_(sorted[0]),
      second_(sorted[1]),
      low_top_(top_),
      level_(second_),
      at_level_(0.0) {
  std::vector<Group> groups;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (groups.empty() || groups.back().votes != sorted[i]) groups.push_back({sorted[i], 0.0});
    groups.back().classes += 1.0;
  }
  rest_ = groups;
  others_ = groups;
  others_.front().classes -= 1.0;
  if (others_.front().classes == 0.0) others_.erase(others_.begin());
  at_level_ = rest_[0].classes;
  next_ = 1;
  if (next_ < rest_.size() && rest_[next_].votes == level_ - 1) below_ = rest_[next_++].classes;
  update_low();
  update_high();
}

double QWalk::log_sum() const {
  double sum = 0.0;
  const std::int64_t nearest = terms_.front().first;
  if (table_->probability(nearest) > kSmallestProbability) {
    for (const auto& [gap, classes] : terms_) sum += classes * table_->probability(gap);
    return std::min(std::log(sum), cap_);
  }
  const double largest = table_->log_term(nearest);
  for (const auto& [gap, classes] : terms_) {
    sum += classes * std::exp(table_->log_term(gap) - largest);
  }
  return std::min(largest + std::log(sum), cap_);
}

void QWalk::update_low() {
  terms_.clear();
  if (at_level_ > 0.0) terms_.emplace_back(low_top_ - level_, at_level_);
  if (below_ > 0.0) terms_.emplace_back(low_top_ - level_ + 1, below_);
  for (std::size_t i = next_; i < rest_.size(); ++i) {
    terms_.emplace_back(low_top_ - rest_[i].votes, rest_[i].classes);
  }
  const double log_q = log_sum();
  low_ = log_q - kOutwards * static_cast<double>(distance_ + 1) * std::max(1.0, -log_q);
}

void QWalk::update_high() {
  if (top_ <= second_ && distance_ > 0) high_capped_ = true;
  if (high_capped_) {
    high_ = cap_;
    return;
  }
  terms_.clear();
  terms_.emplace_back(top_ - second_, 1.0);
  for (const Group& group : others_) terms_.emplace_back(top_ - group.votes, group.classes);
  const double log_q = log_sum();
  high_ = std::min(log_q + kOutwards * static_cast<double>(distance_ + 1) * std::max(1.0, -log_q),
                   cap_);
}

void QWalk::step() {
  ++distance_;
  --top_;
  ++second_;
  update_high();
  if (level_ > 0) {
    ++low_top_;
    at_level_ -= 1.0;
    below_ += 1.0;
    if (at_level_ == 0.0) {
      --level_;
      at_level_ = below_;
      below_ = 0.0;
      if (next_ < rest_.size() && rest_[next_].votes == level_ - 1) below_ = rest_[next_++].classes;
    }
  }
  update_low();
}

}  // namespace pate
