#include "pate/release/curve/move_excesses.hpp"

#include "pate/numerics/bisect.hpp"

namespace pate {

namespace {

// An excess below is nothing beside the smallest unit.
constexpr double kNegligibleExcess = 1e-14;

}  // namespace

// All classes behind the top one, with what a move changes.
class MoveExcesses::Groups {
 public:
  void add_cell(std::int64_t gap, int change) { cells_[cells_size_++] = {gap, 1, change}; }
  void add(std::int64_t gap, std::int64_t classes, int change) {
    if (classes == 0) return;
    for (std::size_t i = 0; i < size_; ++i) {
      if (groups_[i].gap != gap || groups_[i].change != change) continue;
      groups_[i].classes += classes;
      return;
    }
    groups_[size_++] = {gap, classes, change};
  }
  void fill(const RemainingVotes& rest, std::int64_t slots, int change) {
    const std::int64_t full = std::min(rest.full, slots);
    const std::int64_t partial = std::min<std::int64_t>(slots - full, rest.remainder > 0 ? 1 : 0);
    add(rest.v - rest.cap, full, change);
    add(rest.v - rest.remainder, partial, change);
    add(rest.v, slots - full - partial, change);
  }
  [[nodiscard]] TiltedMoment::Behind behind() const {
    return {{cells_.data(), cells_size_}, {groups_.data(), size_}};
  }

 private:
  std::array<TiltedMoment::Group, TiltedMoment::kMostCells> cells_;
  std::array<TiltedMoment::Group, 8> groups_;
  std::size_t cells_size_ = 0;
  std::size_t size_ = 0;
};

void MoveExcesses::consider(const Scene& scene, std::size_t first, With with) {
  const auto* const counts = scene.classes.begin();
  const std::size_t size = scene.classes.size();
  const Groups unmoved = moved(scene, {});
  const TiltedMoment::Wins before =
      kept_ != nullptr ? kept_->before(unmoved.behind()) : cost_->moment().wins(unmoved.behind());
  const auto all = static_cast<int>(cost_->moved());
  for (std::size_t a = 0; a < size; ++a) {
    if (with != With::alike && a >= first) {
      if (counts[a] > 0 && v_ < cost_->teachers()) {
        add({all, all}, before, moved(scene, {a, 2, kNoClass, 0, 1}));
      }
      add(rise(scene, -all, a), before, moved(scene, {a, -2, kNoClass, 0, -1}));
    }
    if (with == With::top) continue;
    for (std::size_t b = 0; b < size && counts[a] > 0; ++b) {
      const bool alike = counts[a] == counts[b] && is_cell(scene, a) == is_cell(scene, b);
      if (b == a || (b < a && alike) || (a < first && b < first) ||
          (with == With::alike && (a < first || b < first)))
        continue;
      add(rise(scene, 0, b), before, moved(scene, {a, 1, b, -1, 0}));
    }
  }
}

MoveExcesses::Groups MoveExcesses::moved(const Scene& scene, const Change& change) const {
  Groups groups;
  for (std::size_t i = 0; i < scene.classes.size(); ++i) {
    const std::int64_t gap = v_ - scene.classes.begin()[i];
    const int by = i == change.a ? change.by_a : i == change.b ? change.by_b : change.rest;
    if (is_cell(scene, i)) {
      groups.add_cell(gap, by);
    } else {
      groups.add(gap, 1, by);
    }
  }
  groups.fill(rest_, scene.slots, change.rest);
  return groups;
}

MoveExcesses::Rise MoveExcesses::rise(const Scene& scene, int by_top, std::size_t to) const {
  const auto* const counts = scene.classes.begin();
  if (cost_->moved() > 1) return TiltedCost::rise(by_top, counts[to] + cost_->moved() - v_);
  std::int64_t least = v_ + by_top;
  for (std::size_t i = 0; i < std::min(known_, scene.classes.size()); ++i) {
    least = std::max(least, counts[i] + (i == to ? 1 : 0));
  }
  const auto one = static_cast<int>(least - v_);
  return {one, one};
}

void MoveExcesses::add(const Rise& rise, const TiltedMoment::Wins& before, const Groups& groups) {
  const TiltedMoment::Behind behind = groups.behind();
  rises_[size_] = rise;
  excesses_[size_++] = kept_ != nullptr
                           ? cost_->moment().excess(before, kept_->after(behind), behind)
                           : cost_->moment().excess(before, behind);
}

CostUnits units_far_behind(const TiltedCost& cost, std::int64_t v, std::int64_t gap) {
  if (cost.moment().is_hopeless()) return units_of(cost.cap(), kKeyMargin);
  const double excess = cost.moment().excess_far_behind(gap);
  if (!(excess <= kNegligibleExcess)) return kNoKey;
  double largest = 0.0;
  const auto all = static_cast<int>(cost.moved());
  for (const int rise : {-all, 0, all}) {
    if (rise > 0 && v == cost.teachers()) continue;
    largest = max_or_nan(largest, cost.joint_excess(v, rise, excess));
  }
  return units_of(cost.cost_of(largest, kKeyMargin), 0.0);
}

std::int64_t least_far_gap(const TiltedCost& cost) {
  if (cost.moment().is_hopeless()) return 0;
  return bisect(cost.teachers() + 1, std::int64_t{-1}, [&](std::int64_t gap) {
    return cost.moment().excess_far_behind(gap) <= kNegligibleExcess;
  });
}

CostUnits units_of_excess(const TiltedCost& cost, double joint_excess) {
  return units_of(cost.cost_of(joint_excess, kKeyMargin), 0.0);
}

MoveExcesses three_key_moves(const TiltedCost& cost, std::int64_t v, std::int64_t x2,
                             std::int64_t x3) {
  using With = MoveExcesses::With;
  const std::int64_t m = cost.classes();
  const std::int64_t votes = cost.teachers() - v - x2 - x3;
  MoveExcesses moves(cost, v, RemainingVotes(v, x3, votes), 2);
  const std::int64_t y = std::min(x3, votes);
  if (m == 2) {
    moves.consider({{x2}, 0}, 0, With::top_and_named);
  } else {
    moves.consider({{x2, x3}, m - 3}, 0, With::top_and_named);
  }
  // Of four classes the fourth is known: with as many votes as the third its moves are the same.
  const bool alike = m == 4 && y == x3;
  if (m >= 4 && !alike) moves.consider({{x2, x3, y}, m - 4}, 2, With::top_and_named);
  // Between two classes of y: the two of the scene that have more look on.
  if (m >= 5 && y > 0) moves.consider({{x2, x3, y, y}, m - 5}, 2, With::alike);
  return moves;
}

MoveExcesses two_key_moves(const TiltedCost& cost, std::int64_t v, std::int64_t x2,
                           std::int64_t votes, bool rounded, KeptWins* kept) {
  using With = MoveExcesses::With;
  const std::int64_t m = cost.classes();
  MoveExcesses moves(cost, v, RemainingVotes(v, x2, votes), rounded ? 0 : 1, kept);
  const std::int64_t y = std::min(x2, votes);
  // Where the second class is no cell and another one has as many votes, what it does in a scene
  // that other does in the next, which has one class of that count more in the place of one with
  // fewer votes: all moves of the next cost at least as much.
  const bool is_repeated = rounded && m >= 3 && y == x2 && y > 0;
  if (!is_repeated) moves.consider({{x2}, m - 2}, 0, With::top_and_named);
  if (m >= 3) {
    moves.consider({{x2, y}, m - 3}, 1, is_repeated && m >= 4 ? With::top : With::top_and_named);
  }
  if (m >= 4 && y > 0) moves.consider({{x2, y, y}, m - 4}, 1, With::alike);
  return moves;
}

}  // namespace pate
