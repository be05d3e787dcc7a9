#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>

#include "pate/divergence/bounds/tilted_cost.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/release/curve/cost_units.hpp"

namespace pate {

/// Of costs by key, relative, outwards.
inline constexpr double kKeyMargin = 1e-9;
/// No histogram has such counts.
inline constexpr CostUnits kNoKey = -1;

/// The classes behind the top one, but for those that take part: some by name, then `slots` of
/// those that share what is left, as unevenly as it can be: `full` of the largest count allowed,
/// one of the remainder, none for the rest.
struct RemainingVotes {
  std::int64_t v;
  std::int64_t cap;
  std::int64_t full;
  std::int64_t remainder;

  RemainingVotes(std::int64_t top, std::int64_t largest, std::int64_t votes)
      : v(top),
        cap(largest),
        full(largest > 0 ? votes / largest : 0),
        remainder(votes - full * largest) {}
};

/// Who wins before and after the moves of a key, in the sequence in which they are asked for: the
/// same at every order, so that it is computed at the first.
class KeptWins {
 public:
  /// `of`: the moment that computes them, whatever its order.
  explicit KeptWins(const TiltedMoment& of) : of_(&of) {}
  /// From the first on again.
  void rewind() { next_ = 0; }
  [[nodiscard]] const TiltedMoment::Wins& before(const TiltedMoment::Behind& behind) {
    return next([&] { return of_->wins(behind); });
  }
  [[nodiscard]] const TiltedMoment::Wins& after(const TiltedMoment::Behind& behind) {
    return next([&] { return of_->wins_after(behind); });
  }

 private:
  // Those of 13 moves, and of three scenes before them.
  static constexpr std::size_t kMost = 16;
  template <class Compute>
  const TiltedMoment::Wins& next(const Compute& compute) {
    if (next_ == size_) wins_[size_++] = compute();
    return wins_[next_++];
  }

  const TiltedMoment* of_;
  std::size_t next_ = 0, size_ = 0;
  std::array<TiltedMoment::Wins, kMost> wins_{};
};

/// The excess of every move that is looked at, in an order that depends on which counts are zero or
/// the same alone.
class MoveExcesses {
 public:
  static constexpr std::size_t kMost = 13;

  MoveExcesses() = default;
  // `known`: how many of the classes of every scene have the counts that they are given: they may
  // be cells, and what the top count is after a move follows from them. Others may have fewer
  // votes. `kept`: who wins, of the same key; null: as the moment of the cost says.
  MoveExcesses(const TiltedCost& cost, std::int64_t v, const RemainingVotes& rest,
               std::size_t known, KeptWins* kept = nullptr)
      : cost_(&cost), v_(v), rest_(rest), known_(std::min(known, cost.cells())), kept_(kept) {
    if (kept_ != nullptr) kept_->rewind();
  }

  // The classes that may take part in a move, by their counts; all others share the rest. They come
  // together because their moves have the same probabilities before them.
  struct Scene {
    std::initializer_list<std::int64_t> classes;
    std::int64_t slots = 0;
  };

  // With whom a class from number `first` on takes part in a move: the top one, any other class
  // that is named, or only those from `first` on.
  enum class With { top, top_and_named, alike };
  // Every such move.
  void consider(const Scene& scene, std::size_t first, With with);

  [[nodiscard]] std::size_t size() const { return size_; }
  // By how much the top count grows, at least.
  [[nodiscard]] int rise(std::size_t i) const { return rises_[i].least; }
  [[nodiscard]] double excess(std::size_t i) const { return excesses_[i]; }
  [[nodiscard]] double joint(std::size_t i) const {
    const double least = cost_->joint_excess(v_, rises_[i].least, excesses_[i]);
    if (rises_[i].most <= std::max(rises_[i].least, 0)) return least;
    return max_or_nan(least, cost_->joint_excess(v_, rises_[i].most, excesses_[i]));
  }
  [[nodiscard]] double largest_joint() const {
    double largest = -kInfinity;
    for (std::size_t i = 0; i < size_; ++i) largest = max_or_nan(largest, joint(i));
    return largest;
  }
  [[nodiscard]] bool same_moves(const MoveExcesses& other) const {
    return size_ == other.size_ &&
           std::equal(rises_.begin(), rises_.begin() + static_cast<std::ptrdiff_t>(size_),
                      other.rises_.begin(), [](const Rise& a, const Rise& b) {
                        return a.least == b.least && a.most == b.most;
                      });
  }

 private:
  static constexpr std::size_t kNoClass = static_cast<std::size_t>(-1);
  // By how much the gaps of two classes of a scene change, and those of all others.
  struct Change {
    std::size_t a = kNoClass;
    int by_a = 0;
    std::size_t b = kNoClass;
    int by_b = 0;
    int rest = 0;
  };

  [[nodiscard]] bool is_cell(const Scene& scene, std::size_t i) const {
    return i < known_ && cost_->moment().can_be_cell(v_ - scene.classes.begin()[i]);
  }
  class Groups;
  [[nodiscard]] Groups moved(const Scene& scene, const Change& change) const;
  using Rise = TiltedCost::Rise;
  // By how much the top count grows, of which the top class has `by_top`, where class `to` gets
  // votes. Where one vote moves, what is not known may be more: it is then no larger than v, and a
  // smaller one costs more.
  [[nodiscard]] Rise rise(const Scene& scene, int by_top, std::size_t to) const;
  void add(const Rise& rise, const TiltedMoment::Wins& before, const Groups& groups);

  const TiltedCost* cost_ = nullptr;
  std::int64_t v_ = 0;
  RemainingVotes rest_{0, 0, 0};
  std::size_t known_ = 0;
  KeptWins* kept_ = nullptr;
  std::size_t size_ = 0;
  std::array<Rise, kMost> rises_{};
  std::array<double, kMost> excesses_{};
};

/// The cost where all classes are at least `gap` behind, if that says all there is to say; else
/// `kNoKey`.
[[nodiscard]] CostUnits units_far_behind(const TiltedCost& cost, std::int64_t v, std::int64_t gap);

/// The least gap at which it does, whatever the top count: one more than there are teachers where
/// none is.
[[nodiscard]] std::int64_t least_far_gap(const TiltedCost& cost);

[[nodiscard]] CostUnits units_of_excess(const TiltedCost& cost, double joint_excess);

/// The moves behind H(v, x2, x3) of `KeyCosts`, each by sums of its own: what tables are compared
/// with.
[[nodiscard]] MoveExcesses three_key_moves(const TiltedCost& cost, std::int64_t v, std::int64_t x2,
                                           std::int64_t x3);

/// Those behind H(v, x2), whatever the third count, where the classes behind have so many votes.
/// Where x2 may be fewer, rounded up, it is no cell. `kept`: null, or of this key, whatever the
/// order.
[[nodiscard]] MoveExcesses two_key_moves(const TiltedCost& cost, std::int64_t v, std::int64_t x2,
                                         std::int64_t votes, bool rounded,
                                         KeptWins* kept = nullptr);

}  // namespace pate
