#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

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

// Where a stretch of so many keys is evaluated, Chebyshev's nodes rounded to keys, and what share
// each has in a key between them. Keys are counted from the first of the stretch.
class StretchNodes {
 public:
  StretchNodes(std::int64_t length, std::size_t size) : size_(size) {
    const double half = 0.5 * static_cast<double>(length - 1);
    std::array<double, kMaxNodes> at{};
    std::array<double, kMaxNodes> weights{};
    for (std::size_t k = 0; k < size; ++k) {
      const double angle =
          std::numbers::pi * (static_cast<double>(k) + 0.5) / static_cast<double>(size);
      at[k] = std::round(half - half * std::cos(angle));
      at_[k] = static_cast<std::int64_t>(at[k]);
    }
    for (std::size_t k = 0; k < size; ++k) {
      double product = 1.0;
      for (std::size_t j = 0; j < size; ++j) {
        if (j != k) product *= (at[k] - at[j]) * (2.0 / half);
      }
      weights[k] = 1.0 / product;
    }
    for (std::int64_t i = 0; i < length; ++i) {
      const auto x = static_cast<double>(i);
      double* const to = shares_.emplace_back().data();
      double sum = 0.0;
      bool is_node = false;
      for (std::size_t k = 0; k < size && !is_node; ++k) {
        is_node = x == at[k];
        if (is_node) {
          shares_.back().fill(0.0);
          to[k] = sum = 1.0;
        } else {
          to[k] = weights[k] / (x - at[k]);
          sum += to[k];
        }
      }
      for (std::size_t k = 0; k < size; ++k) to[k] /= sum;
    }
  }

  using Shares = std::array<double, kMaxNodes>;
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::int64_t at(std::size_t k) const { return at_[k]; }
  [[nodiscard]] const Shares& shares(std::int64_t i) const {
    return shares_[static_cast<std::size_t>(i)];
  }

 private:
  std::size_t size_;
  std::array<std::int64_t, kMaxNodes> at_{};
  std::vector<Shares> shares_;
};

class MoveInterpolation {
 public:
  // `at(i)` for i = first, .. of the stretch. `nodes` must outlive it.
  template <class At>
  MoveInterpolation(const StretchNodes& nodes, std::int64_t first, const At& at)
      : nodes_(&nodes), first_(first) {
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const MoveExcesses moves = at(first + nodes.at(k));
      if (k == 0) moves_ = moves;
      usable_ = usable_ && moves.same_moves(moves_);
      take(moves);
      for (std::size_t i = 0; i < moves_.size(); ++i) logs_[k][i] = std::log(moves.excess(i));
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
      const Logs logs = logs_at(i, moves_.size());
      for (std::size_t k = 0; k < moves_.size(); ++k) {
        const double off = std::abs(logs[k] - std::log(moves.excess(k)));
        // NaN and infinities fail too.
        if (!(off <= (matters_[k] ? kInterpolated : kRoughly))) return false;
      }
    }
    keep_what_matters();
    return true;
  }

  // The largest joint excess, at top count v.
  [[nodiscard]] double largest_joint(const TiltedCost& cost, std::int64_t v, std::int64_t i) const {
    const Logs logs = logs_at(i, kept_);
    std::array<double, 3> largest{-kInfinity, -kInfinity, -kInfinity};
    for (std::size_t k = 0; k < kept_; ++k) {
      double& of_kind = largest[static_cast<std::size_t>(std::int64_t{rises_[k]} + 1)];
      of_kind = max_or_nan(of_kind, logs[k]);
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
  static constexpr std::size_t kTogether = 4;  // moves that are added up side by side
  using Logs = std::array<double, (MoveExcesses::kMost + kTogether - 1) / kTogether * kTogether>;

  void take(const MoveExcesses& moves) {
    const double half = 0.5 * moves.largest_joint();
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (!(moves.joint(i) <= half)) matters_[i] = true;
    }
  }

  // A move that is at most half of the largest at all nodes and where they were tested, and smooth,
  // is nowhere the largest.
  void keep_what_matters() {
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      if (!matters_[i]) continue;
      rises_[kept_] = moves_.rise(i);
      for (Logs& logs : logs_) logs[kept_] = logs[i];
      ++kept_;
    }
  }

  // Of the first `size` moves.
  [[nodiscard]] Logs logs_at(std::int64_t i, std::size_t size) const {
    const StretchNodes::Shares& shares = nodes_->shares(i - first_);
    Logs result{};
    for (std::size_t from = 0; from < size; from += kTogether) {
      std::array<double, kTogether> sums{};
      for (std::size_t k = 0; k < nodes_->size(); ++k) {
        for (std::size_t j = 0; j < kTogether; ++j) sums[j] += shares[k] * logs_[k][from + j];
      }
      for (std::size_t j = 0; j < kTogether; ++j) result[from + j] = sums[j];
    }
    return result;
  }

  const StretchNodes* nodes_;
  std::int64_t first_;
  bool usable_ = true;
  MoveExcesses moves_;
  std::array<bool, MoveExcesses::kMost> matters_{};
  // Those that matter, first of all once they agree.
  std::size_t kept_ = 0;
  std::array<int, MoveExcesses::kMost> rises_{};
  std::array<Logs, kMaxNodes> logs_{};
};

// A line of keys: number i has the top count v(i), at real size, and the moves at(i); from one to
// the next counts change by `step` times the noise, and kind(i) where that is not smooth. The nodes
// of a stretch follow from its length, and are kept for other orders.
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
  MoveInterpolation between(line.nodes(length, size), first, line.at);
  const std::array<std::pair<std::int64_t, MoveExcesses>, 3> tests{
      {{first, line.at(first)}, {middle, line.at(middle)}, {last, line.at(last)}}};
  if (!between.agrees(tests)) return halve();
  for (std::int64_t i = first; i <= last; ++i) {
    set(i, between.largest_joint(cost, line.v(i), i));
  }
}
// NOLINTEND(misc-no-recursion)

class KeptNodes {
 public:
  [[nodiscard]] const StretchNodes& operator()(std::int64_t length, std::size_t size) {
    return kept_.try_emplace(length, length, size).first->second;
  }

 private:
  std::map<std::int64_t, StretchNodes> kept_;
};

template <class V, class Kind, class At>
struct Line {
  Line(double step_in_noise, KeptNodes& kept_nodes, V v_at, Kind kind_at, At moves_at)
      : step(step_in_noise), nodes(kept_nodes), v(v_at), kind(kind_at), at(moves_at) {}
  double step;
  KeptNodes& nodes;
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
