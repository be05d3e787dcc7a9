#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "pate/divergence/exact/exact_cost.hpp"

namespace pate {

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

}  // namespace pate
