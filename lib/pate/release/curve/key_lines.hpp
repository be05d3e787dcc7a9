#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>

#include "pate/release/curve/move_excesses.hpp"

namespace pate {

// Along a line of keys the excess of every move is smooth. Its logarithm is interpolated where that
// agrees with it at both ends and in the middle to kInterpolated, and raised by several times that;
// a move that is nowhere more than half of the largest need agree to kRoughly only. Elsewhere it is
// evaluated. In units of the noise no stretch is longer than kLongest, and nodes are as many as
// that takes.
inline constexpr double kInterpolated = 5e-11;
inline constexpr double kInterpolationMargin = 3e-10;
inline constexpr double kRoughly = 1e-2;
inline constexpr double kLongest = 2.5;
inline constexpr std::size_t kMaxNodes = 14;

inline std::size_t nodes_for(double length) {
  return length < 0.3 ? 7 : length < 0.7 ? 9 : length < 1.4 ? 11 : kMaxNodes;
}

class MoveInterpolation {
 public:
  // `at(i)` for i = first..last.
  template <class At>
  MoveInterpolation(std::int64_t first, std::int64_t last, std::size_t size, const At& at)
      : size_(size) {
    const double middle = 0.5 * static_cast<double>(first + last);
    const double half = 0.5 * static_cast<double>(last - first);
    for (std::size_t k = 0; k < size; ++k) {
      const double angle =
          std::numbers::pi * (static_cast<double>(k) + 0.5) / static_cast<double>(size);
      const double node = std::round(middle - half * std::cos(angle));
      at_[k] = node;
      const MoveExcesses moves = at(static_cast<std::int64_t>(node));
      if (k == 0) moves_ = moves;
      usable_ = usable_ && moves.same_moves(moves_);
      take(moves);
      for (std::size_t i = 0; i < moves_.size(); ++i) logs_[i][k] = std::log(moves.excess(i));
    }
    for (std::size_t k = 0; k < size; ++k) {
      double product = 1.0;
      for (std::size_t j = 0; j < size; ++j) {
        if (j != k) product *= (at_[k] - at_[j]) * (2.0 / half);
      }
      weights_[k] = 1.0 / product;
    }
  }

  // Whether it says what was computed at the ends and in the middle.
  [[nodiscard]] bool agrees(std::span<const std::pair<std::int64_t, MoveExcesses>> tests) {
    for (const auto& [i, moves] : tests) {
      usable_ = usable_ && moves.same_moves(moves_);
      take(moves);
    }
    if (!usable_) return false;
    for (const auto& [i, moves] : tests) {
      const Shares shares = shares_at(i);
      for (std::size_t k = 0; k < moves_.size(); ++k) {
        const double off = std::abs(log_excess(k, shares) - std::log(moves.excess(k)));
        // NaN and infinities fail too.
        if (!(off <= (matters_[k] ? kInterpolated : kRoughly))) return false;
      }
    }
    return true;
  }

  // The largest joint excess, at top count v.
  [[nodiscard]] double largest_joint(const TiltedCost& cost, std::int64_t v, std::int64_t i) const {
    const Shares shares = shares_at(i);
    std::array<double, 3> largest{-kInfinity, -kInfinity, -kInfinity};
    for (std::size_t k = 0; k < moves_.size(); ++k) {
      double& of_kind = largest[static_cast<std::size_t>(std::int64_t{moves_.rise(k)} + 1)];
      of_kind = max_or_nan(of_kind, log_excess(k, shares));
    }
    double joint = -kInfinity;
    for (const int rise : {-1, 0, 1}) {
      const double log_excess = largest[static_cast<std::size_t>(std::int64_t{rise} + 1)];
      if (log_excess == -kInfinity) continue;
      joint = max_or_nan(
          joint, cost.joint_excess(v, rise, std::exp(log_excess) * (1.0 + kInterpolationMargin)));
    }
    return joint;
  }

 private:
  using Shares = std::array<double, kMaxNodes>;

  void take(const MoveExcesses& moves) {
    const double half = 0.5 * moves.largest_joint();
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (!(moves.joint(i) <= half)) matters_[i] = true;
    }
  }

  [[nodiscard]] Shares shares_at(std::int64_t i) const {
    const auto x = static_cast<double>(i);
    Shares shares{};
    double sum = 0.0;
    for (std::size_t k = 0; k < size_; ++k) {
      if (x == at_[k]) {
        shares.fill(0.0);
        shares[k] = 1.0;
        return shares;
      }
      shares[k] = weights_[k] / (x - at_[k]);
      sum += shares[k];
    }
    for (std::size_t k = 0; k < size_; ++k) shares[k] /= sum;
    return shares;
  }
  [[nodiscard]] double log_excess(std::size_t move, const Shares& shares) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < size_; ++k) sum += shares[k] * logs_[move][k];
    return sum;
  }

  std::size_t size_;
  bool usable_ = true;
  MoveExcesses moves_;
  std::array<bool, MoveExcesses::kMost> matters_{};
  std::array<double, kMaxNodes> at_{}, weights_{};
  std::array<std::array<double, kMaxNodes>, MoveExcesses::kMost> logs_{};
};

// A line of keys: number i has the top count v(i), at real size, and the moves at(i); from one to
// the next counts change by `step` times the noise, and kind(i) where that is not smooth.
// `set(i, joint excess)` for i = first..last.
// NOLINTBEGIN(misc-no-recursion): as deep as a stretch can be halved.
template <class Line, class Set>
void for_stretch(const TiltedCost& cost, const Line& line, std::int64_t first, std::int64_t last,
                 const Set& set) {
  const std::int64_t length = last - first + 1;
  const double in_noise = static_cast<double>(length) * line.step;
  const std::size_t size = nodes_for(in_noise);
  const std::int64_t middle = first + length / 2;
  const auto halve = [&] {
    for_stretch(cost, line, first, middle - 1, set);
    for_stretch(cost, line, middle, last, set);
  };
  if (length < static_cast<std::int64_t>(size) + 6) {
    for (std::int64_t i = first; i <= last; ++i) set(i, line.at(i).largest_joint());
    return;
  }
  if (in_noise > kLongest) return halve();
  MoveInterpolation between(first, last, size, line.at);
  const std::array<std::pair<std::int64_t, MoveExcesses>, 3> tests{
      {{first, line.at(first)}, {middle, line.at(middle)}, {last, line.at(last)}}};
  if (!between.agrees(tests)) return halve();
  for (std::int64_t i = first; i <= last; ++i) {
    set(i, between.largest_joint(cost, line.v(i), i));
  }
}
// NOLINTEND(misc-no-recursion)

template <class V, class Kind, class At>
struct Line {
  Line(double step_in_noise, V v_at, Kind kind_at, At moves_at)
      : step(step_in_noise), v(v_at), kind(kind_at), at(moves_at) {}
  double step;
  V v;
  Kind kind;
  At at;
};

// The whole line, in stretches of one kind.
template <class V, class Kind, class At, class Set>
void for_line(const TiltedCost& cost, const Line<V, Kind, At>& line, std::int64_t first,
              std::int64_t last, const Set& set) {
  while (first <= last) {
    std::int64_t end = first + 1;
    while (end <= last && line.kind(end) == line.kind(first)) ++end;
    for_stretch(cost, line, first, end - 1, set);
    first = end;
  }
}

}  // namespace pate
