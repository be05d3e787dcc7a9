#include "pate/release/curve/top_count_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numbers>

#include "pate/base/error.hpp"

namespace pate {

namespace {

using Group = TiltedMoment::Group;

constexpr double kKeyMargin = 1e-9;
constexpr CostUnits kNoKey = -1;  // no histogram has such counts
// An excess below is nothing beside the smallest unit.
constexpr double kNegligibleExcess = 1e-14;
constexpr std::int64_t kBlock = 16;
constexpr std::size_t kMaxMoves = 13;

// The classes behind the top one, but for those that take part: some by name, then `slots` of those
// that share what is left, as unevenly as it can be: `full` of the largest count allowed, one of
// the remainder, none for the rest.
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

// All classes behind the top one, with what a move changes.
class Groups {
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
  std::array<Group, TiltedMoment::kMostCells> cells_;
  std::array<Group, 8> groups_;
  std::size_t cells_size_ = 0;
  std::size_t size_ = 0;
};

// The excess of every move that is looked at, in an order that depends on which counts are zero or
// the same alone.
class MoveExcesses {
 public:
  MoveExcesses() = default;
  // `known`: how many of the classes of every scene have the counts that they are given: they may
  // be cells, and what the top count is after a move follows from them. Others may have fewer
  // votes.
  MoveExcesses(const TiltedCost& cost, std::int64_t v, const RemainingVotes& rest,
               std::size_t known)
      : cost_(&cost), v_(v), rest_(rest), known_(std::min(known, cost.cells())) {}

  // The classes that may take part in a move, by their counts; all others share the rest. They come
  // together because their moves have the same probabilities before them.
  struct Scene {
    std::initializer_list<std::int64_t> classes;
    std::int64_t slots = 0;
  };

  // Every move in which a class from number `first` on takes part: with the top one and with each
  // other, or, unless `with_top`, between two such only.
  void consider(const Scene& scene, std::size_t first, bool with_top) {
    const auto* const counts = scene.classes.begin();
    const std::size_t size = scene.classes.size();
    const TiltedMoment::Wins before = cost_->moment().wins(moved(scene, {}).behind());
    for (std::size_t a = 0; a < size; ++a) {
      if (with_top && a >= first) {
        if (counts[a] > 0 && v_ < cost_->teachers()) {
          add(1, before, moved(scene, {a, 2, kNoClass, 0, 1}));
        }
        add(rise(scene, v_ - 1, a), before, moved(scene, {a, -2, kNoClass, 0, -1}));
      }
      for (std::size_t b = 0; b < size && counts[a] > 0; ++b) {
        const bool alike = counts[a] == counts[b] && is_cell(scene, a) == is_cell(scene, b);
        if (b == a || (b < a && alike) || (a < first && b < first) ||
            (!with_top && (a < first || b < first)))
          continue;
        add(rise(scene, v_, b), before, moved(scene, {a, 1, b, -1, 0}));
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  // By how much the top count grows.
  [[nodiscard]] int rise(std::size_t i) const { return rises_[i]; }
  [[nodiscard]] double excess(std::size_t i) const { return excesses_[i]; }
  [[nodiscard]] double joint(std::size_t i) const {
    return cost_->joint_excess(v_, rises_[i], excesses_[i]);
  }
  [[nodiscard]] double largest_joint() const {
    double largest = -kInfinity;
    for (std::size_t i = 0; i < size_; ++i) largest = max_or_nan(largest, joint(i));
    return largest;
  }
  [[nodiscard]] bool same_moves(const MoveExcesses& other) const {
    return size_ == other.size_ &&
           std::equal(rises_.begin(), rises_.begin() + static_cast<std::ptrdiff_t>(size_),
                      other.rises_.begin());
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
  [[nodiscard]] Groups moved(const Scene& scene, const Change& change) const {
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
  // By how much the top count grows to what is at least `least`, where class `to` gets a vote. What
  // is not known may be more: it is then no larger than v, and a smaller one costs more.
  [[nodiscard]] int rise(const Scene& scene, std::int64_t least, std::size_t to) const {
    for (std::size_t i = 0; i < std::min(known_, scene.classes.size()); ++i) {
      least = std::max(least, scene.classes.begin()[i] + (i == to ? 1 : 0));
    }
    return static_cast<int>(least - v_);
  }

  void add(int rise, const TiltedMoment::Wins& before, const Groups& groups) {
    rises_[size_] = rise;
    excesses_[size_++] = cost_->moment().excess(before, groups.behind());
  }

  const TiltedCost* cost_ = nullptr;
  std::int64_t v_ = 0;
  RemainingVotes rest_{0, 0, 0};
  std::size_t known_ = 0;
  std::size_t size_ = 0;
  std::array<int, kMaxMoves> rises_{};
  std::array<double, kMaxMoves> excesses_{};
};

// The cost where all classes are at least `gap` behind, if that says all there is to say.
CostUnits units_far_behind(const TiltedCost& cost, std::int64_t v, std::int64_t gap) {
  if (cost.moment().is_hopeless()) return units_of(cost.cap(), kKeyMargin);
  const double excess = cost.moment().excess_far_behind(gap);
  if (!(excess <= kNegligibleExcess)) return kNoKey;
  double largest = 0.0;
  for (const int rise : {-1, 0, 1}) {
    if (rise > 0 && v == cost.teachers()) continue;
    largest = max_or_nan(largest, cost.joint_excess(v, rise, excess));
  }
  return units_of(cost.cost_of(largest, kKeyMargin), 0.0);
}

CostUnits units_of_excess(const TiltedCost& cost, double joint_excess) {
  return units_of(cost.cost_of(joint_excess, kKeyMargin), 0.0);
}

// The moves behind H(v, x2, x3).
MoveExcesses three_key_moves(const TiltedCost& cost, std::int64_t v, std::int64_t x2,
                             std::int64_t x3) {
  const std::int64_t m = cost.classes();
  const std::int64_t votes = cost.teachers() - v - x2 - x3;
  MoveExcesses moves(cost, v, RemainingVotes(v, x3, votes), 2);
  const std::int64_t y = std::min(x3, votes);
  if (m == 2) {
    moves.consider({{x2}, 0}, 0, true);
  } else {
    moves.consider({{x2, x3}, m - 3}, 0, true);
  }
  // Of four classes the fourth is known: with as many votes as the third its moves are the same.
  const bool alike = m == 4 && y == x3;
  if (m >= 4 && !alike) moves.consider({{x2, x3, y}, m - 4}, 2, true);
  // Between two classes of y: the two of the scene that have more look on.
  if (m >= 5 && y > 0) moves.consider({{x2, x3, y, y}, m - 5}, 2, false);
  return moves;
}

// Those behind H(v, x2), whatever the third count, where the classes behind have so many votes.
// Where x2 may be fewer, rounded up, it is no cell.
MoveExcesses two_key_moves(const TiltedCost& cost, std::int64_t v, std::int64_t x2,
                           std::int64_t votes, bool rounded) {
  const std::int64_t m = cost.classes();
  MoveExcesses moves(cost, v, RemainingVotes(v, x2, votes), rounded ? 0 : 1);
  const std::int64_t y = std::min(x2, votes);
  moves.consider({{x2}, m - 2}, 0, true);
  if (m >= 3) moves.consider({{x2, y}, m - 3}, 1, true);
  if (m >= 4 && y > 0) moves.consider({{x2, y, y}, m - 4}, 1, false);
  return moves;
}

// What a class of so many votes has to do with whether its moves are smooth along a line of keys: a
// cell or not, and what the top count is after it got a vote.
constexpr std::int64_t kCellKinds = 6;
std::int64_t cell_kind(const TiltedCost& cost, std::int64_t v, std::int64_t count) {
  return std::min<std::int64_t>(v - count, 2) + (cost.moment().can_be_cell(v - count) ? 3 : 0);
}

// Along a line of keys the excess of every move is smooth. Its logarithm is interpolated where that
// agrees with it at both ends and in the middle to kInterpolated, and raised by several times that;
// a move that is nowhere more than half of the largest need agree to kRoughly only. Elsewhere it is
// evaluated. In units of the noise no stretch is longer than kLongest, and nodes are as many as
// that takes.
constexpr double kInterpolated = 5e-11;
constexpr double kInterpolationMargin = 3e-10;
constexpr double kRoughly = 1e-2;
constexpr double kLongest = 2.5;
constexpr std::size_t kMaxNodes = 14;

std::size_t nodes_for(double length) {
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
  std::array<bool, kMaxMoves> matters_{};
  std::array<double, kMaxNodes> at_{}, weights_{};
  std::array<std::array<double, kMaxNodes>, kMaxMoves> logs_{};
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

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// An integer of least..most; the least where that is empty.
std::int64_t picked(std::mt19937_64& random, std::int64_t least, std::int64_t most) {
  if (most <= least) return least;
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

// So that there are at most so many cells of (v, x2): about M^2/4 divided by it.
constexpr std::int64_t kMaxTwoKeys = 4'000'000;
std::int64_t cell_for(std::int64_t teachers) {
  return std::max<std::int64_t>(1, ceil_divide(teachers * teachers / 4, kMaxTwoKeys));
}

}  // namespace

CostUnits units_of(double cost, double margin) {
  const double units = std::ceil(std::ldexp(cost * (1.0 + margin), -kUnitExponent));
  if (!(units < 0x1p62)) throw validity_error("a query costs more than a release can count");
  return std::max<CostUnits>(1, static_cast<CostUnits>(units));
}

double cost_of_units(CostUnits units) {
  const double cost = std::ldexp(static_cast<double>(units), kUnitExponent);
  // Beyond 2^53 units the conversion may have rounded down.
  return units < (std::int64_t{1} << 53) ? cost : std::nextafter(cost, kInfinity);
}

void require_no_less(CostUnits stored, CostUnits computed) {
  // Far beyond what libraries of mathematics differ by, and below what is worth a lie.
  constexpr double kRoom = 1e-7;
  const double least = static_cast<double>(computed) * (1.0 - kRoom) - 2.0;
  if (static_cast<double>(stored) >= least) return;
  throw parameter_error(fmt::format(
      "a stored cost, picked at random, is {} units, and computed now it is {}", stored, computed));
}

std::span<const CostUnits> StoredUnits::take(std::int64_t count) {
  if (count < 0 || count > static_cast<std::int64_t>(left_.size())) {
    throw parameter_error("there are fewer stored numbers than the costs need");
  }
  const auto taken = left_.first(static_cast<std::size_t>(count));
  left_ = left_.subspan(taken.size());
  return taken;
}

RowMaxima::RowMaxima(std::int64_t width, std::vector<CostUnits> values)
    : width_(width), values_(std::move(values)) {
  const auto rows = static_cast<std::int64_t>(values_.size()) / width;
  const auto maxima = [&](const std::vector<CostUnits>& of, std::int64_t of_width) {
    const std::int64_t per_row = ceil_divide(of_width, kBlock);
    std::vector<CostUnits> blocks(static_cast<std::size_t>(rows * per_row), kNoKey);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < of_width; ++i) {
        CostUnits& block = blocks[static_cast<std::size_t>(row * per_row + i / kBlock)];
        block = std::max(block, of[static_cast<std::size_t>(row * of_width + i)]);
      }
    }
    return blocks;
  };
  blocks_ = maxima(values_, width_);
  large_blocks_ = maxima(blocks_, ceil_divide(width_, kBlock));
}

CostUnits RowMaxima::largest(std::int64_t row, std::int64_t from, std::int64_t to) const {
  const std::int64_t per_row = ceil_divide(width_, kBlock);
  const CostUnits* const values = values_.data() + row * width_;
  const CostUnits* const blocks = blocks_.data() + row * per_row;
  const CostUnits* const large_blocks = large_blocks_.data() + row * ceil_divide(per_row, kBlock);
  CostUnits result = kNoKey;
  if (from > to) return result;
  // Blocks that have nothing larger are passed over.
  constexpr std::int64_t kLarge = kBlock * kBlock;
  for (std::int64_t i = from / kLarge; i <= to / kLarge; ++i) {
    if (large_blocks[i] <= result) continue;
    for (std::int64_t j = std::max(i * kBlock, from / kBlock);
         j <= std::min(i * kBlock + kBlock - 1, to / kBlock); ++j) {
      if (blocks[j] <= result) continue;
      for (std::int64_t k = std::max(j * kBlock, from); k <= std::min(j * kBlock + kBlock - 1, to);
           ++k) {
        result = std::max(result, values[k]);
      }
    }
  }
  return result;
}

KeyCosts::KeyCosts(const TiltedCost& cost, Keys keys, unsigned threads,
                   const ProgressCallback& progress, std::int64_t step, std::int64_t cell)
    : teachers_(cost.teachers() / step),
      least_(ceil_divide(teachers_, cost.classes())),
      step_(step),
      three_(keys == Keys::three ||
             (keys == Keys::automatic && cost.teachers() <= kMaxTeachersOfThreeKeys)),
      cell_(three_     ? 1
            : cell > 0 ? cell
                       : cell_for(teachers_)) {
  for (std::int64_t v = least_; v <= teachers_; ++v) {
    Table& table = tables_.emplace_back(empty_table(v));
    table.values.assign(static_cast<std::size_t>(table.rows * table.columns), kNoKey);
  }
  const double step_in_noise = static_cast<double>(step) / cost.moment().sigma();
  if (three_) {
    compute_three_keys(cost, step_in_noise, threads, progress);
  } else {
    compute_two_keys(cost, step_in_noise, threads, progress);
  }
  index();
}

KeyCosts::KeyCosts(std::int64_t teachers, std::int64_t classes, StoredUnits& from)
    : teachers_(teachers),
      least_(ceil_divide(teachers, classes)),
      step_(1),
      three_(teachers <= kMaxTeachersOfThreeKeys),
      cell_(three_ ? 1 : cell_for(teachers)) {
  for (std::int64_t v = least_; v <= teachers_; ++v) {
    Table& table = tables_.emplace_back(empty_table(v));
    const auto values = from.take(table.rows * table.columns);
    table.values.assign(values.begin(), values.end());
  }
  index();
}

void KeyCosts::check(const TiltedCost& cost, std::mt19937_64& random, int entries) const {
  check_rising();
  for (int i = 0; i < entries; ++i) {
    if (three_) {
      check_three_keys(cost, random);
    } else {
      check_two_keys(cost, random);
    }
  }
}

void KeyCosts::check_rising() const {
  const auto require = [](bool rises) {
    if (!rises) throw parameter_error("stored costs fall where the counts behind the top one grow");
  };
  for (const Table& table : tables_) {
    for (std::int64_t s = 0; s < table.rows; ++s) {
      for (std::int64_t x = 0; x < table.columns; ++x) {
        const CostUnits here = table.at(s, x);
        require(here >= kNoKey && (s == 0 || here >= table.at(s - 1, x)) &&
                (x == 0 || here >= table.at(s, x - 1)));
      }
    }
  }
}

void KeyCosts::check_three_keys(const TiltedCost& cost, std::mt19937_64& random) const {
  const std::int64_t m = cost.classes();
  const std::int64_t v = picked(random, least_, teachers_);
  const std::int64_t behind = teachers_ - v;
  const std::int64_t x2 = picked(random, ceil_divide(behind, m - 1), std::min(v, behind));
  const std::int64_t rest = behind - x2;
  const std::int64_t x3 = m == 2 ? 0 : picked(random, ceil_divide(rest, m - 2), std::min(x2, rest));
  CostUnits computed = units_far_behind(cost, v, v - x2);
  if (computed == kNoKey) {
    computed = units_of_excess(cost, three_key_moves(cost, v, x2, x3).largest_joint());
  }
  require_no_less(tables_[static_cast<std::size_t>(v - least_)].at(x2 + x3, x2), computed);
}

void KeyCosts::check_two_keys(const TiltedCost& cost, std::mt19937_64& random) const {
  const std::int64_t v = picked(random, least_, teachers_);
  const std::int64_t least = ceil_divide(teachers_ - v, cost.classes() - 1);
  const std::int64_t x2 = picked(random, least, std::min(v, teachers_ - v));
  // The cell has the cost of the most costly of its keys, and this is one of them.
  CostUnits computed = units_far_behind(cost, v, v - x2);
  if (computed == kNoKey) {
    computed = units_of_excess(
        cost, two_key_moves(cost, v, x2, cost.teachers() - v - x2, cell_ > 1).largest_joint());
  }
  require_no_less(tables_[static_cast<std::size_t>(v - least_)].at(0, column(v, x2)), computed);
}

void KeyCosts::store(std::vector<CostUnits>& to) const {
  for (const Table& table : tables_) to.insert(to.end(), table.values.begin(), table.values.end());
}

KeyCosts::Table KeyCosts::empty_table(std::int64_t v) const {
  const std::int64_t rest = teachers_ - v;
  if (three_) return {rest + 1, std::min(v, rest) + 1, {}};
  return {1, column(v, std::min(v, rest)) + 1, {}};
}

void KeyCosts::index() {
  for (const Table& table : tables_) largest_ = std::max(largest_, table.values.back());
  if (!three_) index_two_keys();
}

void KeyCosts::compute_three_keys(const TiltedCost& cost, double step_in_noise, unsigned threads,
                                  const ProgressCallback& progress) {
  // Where v + x2 and x3 stay, so do the counts of all classes behind.
  const std::int64_t m = cost.classes();
  ProgressCounter counter(progress, teachers_ - least_ + 1);
  parallel_for(static_cast<std::size_t>(teachers_ - least_ + 1), threads, [&](std::size_t task) {
    const std::int64_t s = least_ + static_cast<std::int64_t>(task);
    const std::int64_t rest = teachers_ - s;
    const std::int64_t lowest = std::max(least_, ceil_divide(s, 2));
    // From here on all classes are so far behind that a bound says all there is to say.
    std::int64_t far = lowest;
    while (far <= s && units_far_behind(cost, far, 2 * far - s) == kNoKey) ++far;
    // The third counts that some histogram has.
    const std::int64_t first = m == 2 ? 0 : ceil_divide(rest, m - 2);
    for (std::int64_t x3 = first; x3 <= rest && s - x3 >= lowest; ++x3) {
      if (m == 2 && rest > 0) break;
      const auto set = [&](std::int64_t v, CostUnits units) {
        Table& table = tables_[static_cast<std::size_t>(v - least_)];
        table.values[static_cast<std::size_t>((s - v + x3) * table.columns + (s - v))] = units;
      };
      const Line line{step_in_noise, [](std::int64_t v) { return v; },
                      [&](std::int64_t v) {
                        return (cell_kind(cost, v, s - v) * kCellKinds + cell_kind(cost, v, x3)) *
                                   2 +
                               (v == s - x3 ? 1 : 0);
                      },
                      [&](std::int64_t v) { return three_key_moves(cost, v, s - v, x3); }};
      const std::int64_t last = s - x3;
      for_line(cost, line, lowest, std::min(far - 1, last),
               [&](std::int64_t v, double excess) { set(v, units_of_excess(cost, excess)); });
      for (std::int64_t v = far; v <= last; ++v) set(v, units_far_behind(cost, v, 2 * v - s));
    }
    counter.add(1);
  });
  parallel_for(tables_.size(), threads, [&](std::size_t i) {
    Table& table = tables_[i];
    const auto value = [&](std::int64_t s, std::int64_t x) -> CostUnits& {
      return table.values[static_cast<std::size_t>(s * table.columns + x)];
    };
    for (std::int64_t s = 0; s < table.rows; ++s) {
      for (std::int64_t x = 0; x < table.columns; ++x) {
        CostUnits& here = value(s, x);
        if (s > 0) here = std::max(here, value(s - 1, x));
        if (x > 0) here = std::max(here, value(s, x - 1));
      }
    }
  });
}

std::int64_t KeyCosts::column(std::int64_t v, std::int64_t x2) const {
  return ceil_divide(v + x2, cell_) - ceil_divide(v, cell_);
}

void KeyCosts::compute_two_keys(const TiltedCost& cost, double step_in_noise, unsigned threads,
                                const ProgressCallback& progress) {
  const std::int64_t m = cost.classes();
  const auto value = [&](std::int64_t v, std::int64_t end) -> CostUnits& {
    const std::int64_t c = end / cell_ - ceil_divide(v, cell_);
    return tables_[static_cast<std::size_t>(v - least_)].values[static_cast<std::size_t>(c)];
  };
  // Of the cell that ends with v + x2 = end: x2 as large as it can be, and the votes of the classes
  // behind as many as they can be, from the least x2 of some histogram on.
  const auto least = [&](std::int64_t v) { return ceil_divide(teachers_ - v, m - 1); };
  const auto set = [&](std::int64_t v, std::int64_t end, double excess) {
    value(v, end) = units_of_excess(cost, excess);
  };
  const auto votes_behind = [&](std::int64_t v, std::int64_t end) {
    return cost.teachers() - std::max(v + least(v), end - cell_ + 1) * step_;
  };
  const auto far_behind = [&](std::int64_t v, std::int64_t x2) {
    return units_far_behind(cost, v * step_, (v - x2) * step_);
  };
  const auto moves = [&](std::int64_t v, std::int64_t x2, std::int64_t end) {
    return two_key_moves(cost, v * step_, x2 * step_, votes_behind(v, end), cell_ > 1);
  };
  const std::int64_t most = teachers_ / 2;
  ProgressCounter counter(progress, most + 1);
  // Where x2 stays, the classes behind are as many, and change but by one, for x2 steps of v.
  parallel_for(static_cast<std::size_t>(most + 1), threads, [&](std::size_t task) {
    const auto x2 = static_cast<std::int64_t>(task);
    const auto end = [&](std::int64_t i) { return i * cell_; };
    const auto v_of = [&](std::int64_t i) { return i * cell_ - x2; };
    const std::int64_t lowest = std::max({x2, least_, teachers_ - (m - 1) * (x2 - cell_ + 1)});
    const std::int64_t first = ceil_divide(lowest + x2, cell_);
    const std::int64_t last = teachers_ / cell_;
    std::int64_t far = first;
    for (; far <= last; ++far) {
      if (far_behind(v_of(far), x2) != kNoKey) break;
    }
    const Line line{static_cast<double>(cell_) * step_in_noise,
                    [&](std::int64_t i) { return v_of(i) * step_; },
                    [&](std::int64_t i) {
                      const std::int64_t votes = votes_behind(v_of(i), end(i));
                      const std::int64_t full = x2 == 0 || votes == 0 ? -1 : votes / (x2 * step_);
                      return kCellKinds * full + cell_kind(cost, v_of(i) * step_, x2 * step_);
                    },
                    [&](std::int64_t i) { return moves(v_of(i), x2, end(i)); }};
    for_line(cost, line, first, far - 1,
             [&](std::int64_t i, double excess) { set(v_of(i), end(i), excess); });
    for (std::int64_t i = far; i <= last; ++i) {
      value(v_of(i), end(i)) = far_behind(v_of(i), x2);
    }
    counter.add(1);
  });
  // Cells that are cut off, by the least or the most there is of x2; then the running maxima.
  parallel_for(tables_.size(), threads, [&](std::size_t i) {
    const std::int64_t v = least_ + static_cast<std::int64_t>(i);
    Table& table = tables_[i];
    const std::int64_t largest = std::min(v, teachers_ - v);
    CostUnits running = kNoKey;
    for (std::int64_t c = 0; c < table.columns; ++c) {
      CostUnits& here = table.values[static_cast<std::size_t>(c)];
      const std::int64_t end = (ceil_divide(v, cell_) + c) * cell_;
      if (c >= column(v, least(v)) && (end - v > largest || end - v - cell_ + 1 < least(v))) {
        const std::int64_t x2 = std::min(end - v, largest);
        here = far_behind(v, x2);
        if (here == kNoKey) set(v, end, moves(v, x2, end).largest_joint());
      }
      here = running = std::max(running, here);
    }
  });
}

double KeyCosts::memory(std::int64_t teachers) {
  if (teachers <= kMaxTeachersOfThreeKeys) return 0.0;
  const std::int64_t columns = teachers / 2 + 1 + ceil_divide(teachers, cell_for(teachers)) + 1;
  double rows = 0.0;
  for (const std::int64_t size : kBlockSizes) {
    const std::int64_t blocks = teachers / size + 1;
    rows += static_cast<double>(blocks);
  }
  return rows * static_cast<double>(columns) * sizeof(CostUnits);
}

void KeyCosts::index_two_keys() {
  const std::int64_t half = teachers_ / 2;
  const std::int64_t cells = ceil_divide(teachers_, cell_);
  for (std::size_t level = 0; level < kBlockSizes.size(); ++level) {
    const std::int64_t blocks = teachers_ / kBlockSizes[level] + 1;
    columns_[level] = {half + 1, {}};
    diagonals_[level] = {cells + 1, {}};
    for (Rows* rows : {&columns_[level], &diagonals_[level]}) {
      rows->values.assign(static_cast<std::size_t>(blocks * rows->width), kNoKey);
    }
  }
  const auto raise = [](CostUnits& to, CostUnits value) { to = std::max(to, value); };
  for (std::int64_t v = least_; v <= teachers_; ++v) {
    const Table& table = tables_[static_cast<std::size_t>(v - least_)];
    const std::int64_t block = v / kBlockSizes[0];
    const std::int64_t first = ceil_divide(v, cell_);
    CostUnits* const column = columns_[0].row(block);
    for (std::int64_t x = 0, c = 0; x <= half; ++x) {
      if (x > 0 && (v + x - 1) % cell_ == 0) ++c;
      raise(column[x], table.at(0, std::min(c, table.columns - 1)));
    }
    CostUnits* const diagonal = diagonals_[0].row(block);
    for (std::int64_t s = first; s <= cells; ++s) {
      raise(diagonal[s], table.at(0, std::min(s - first, table.columns - 1)));
    }
  }
  for (std::size_t level = 1; level < kBlockSizes.size(); ++level) {
    for (const auto& [of, to] : {std::pair(&columns_[level - 1], &columns_[level]),
                                 std::pair(&diagonals_[level - 1], &diagonals_[level])}) {
      for (std::int64_t v = 0; v <= teachers_; v += kBlockSizes[level - 1]) {
        CostUnits* const row = to->row(v / kBlockSizes[level]);
        const CostUnits* const part = of->row(v / kBlockSizes[level - 1]);
        for (std::int64_t i = 0; i < to->width; ++i) raise(row[i], part[i]);
      }
    }
  }
}

// Raises result[d] to a number that depends on the position of d, start + d or the last one: what
// `values` has for the cell that ends at or behind it, counted from cell `base` on, or at `last`.
struct KeyCosts::Run {
  const CostUnits* values;
  std::int64_t start, end;  // positions of d = 0, and the last
  std::int64_t cell, base, last;

  void raise(std::span<CostUnits> result, std::int64_t from, std::int64_t to) const {
    const std::int64_t highest = std::min(ceil_divide(end, cell) - base, last);
    const auto index = [&](std::int64_t d) {
      return std::min(ceil_divide(start + d, cell) - base, highest);
    };
    // Neither falls with d.
    if (from >= to || values[index(to - 1)] <= result[static_cast<std::size_t>(from)]) return;
    CostUnits* const at = result.data();
    std::int64_t i = index(from);
    std::int64_t d = from;
    if (cell == 1) {
      const std::int64_t until = std::min(to, from + highest - i);
      for (; d < until; ++d, ++i) at[d] = std::max(at[d], values[i]);
    }
    for (; d < to; ++i) {
      const std::int64_t until = i < highest ? std::min(to, (i + base) * cell - start + 1) : to;
      const CostUnits value = values[i];
      for (; d < until; ++d) at[d] = std::max(at[d], value);
    }
  }
};

// The maxima of K over top counts w that are within d, for a stretch of d at a time: of blocks of w
// where all of a block are, of single ones elsewhere. A block takes part from some d on for the
// rest of the stretch, and what it is looked up for lies side by side.
void KeyCosts::within_two_keys(std::int64_t v, std::int64_t x2, std::span<CostUnits> result) const {
  constexpr std::int64_t kStretch = 128;
  const auto size = static_cast<std::int64_t>(result.size());
  const std::int64_t half = teachers_ / 2;
  // x2 + d, whatever w; the cell of v + x2 + d, where w > v has taken votes from there.
  const auto column_of = [&](std::int64_t w) {
    const Table& table = tables_[static_cast<std::size_t>(w - least_)];
    return Run{table.values.data(),   w + x2,           w + half, cell_,
               ceil_divide(w, cell_), table.columns - 1};
  };
  const auto diagonal_of = [&](std::int64_t w) {
    const Table& table = tables_[static_cast<std::size_t>(w - least_)];
    return Run{table.values.data(),   v + x2,           teachers_, cell_,
               ceil_divide(w, cell_), table.columns - 1};
  };
  // The largest block from w to at most `highest`, and as far from v as `near` at least on all
  // sides unless it is of the small ones.
  const auto level_of = [&](std::int64_t w, std::int64_t highest, bool all_near) {
    for (std::size_t level = kBlockSizes.size(); level-- > 0;) {
      const std::int64_t block = kBlockSizes[level];
      if (w % block == 0 && w + block - 1 <= highest && (level == 0 || all_near)) {
        return static_cast<int>(level);
      }
    }
    return -1;
  };
  for (std::int64_t first = 0; first < size; first += kStretch) {
    const std::int64_t end = std::min(first + kStretch, size);
    if (first > 0)
      std::fill(result.begin() + first, result.begin() + end,
                result[static_cast<std::size_t>(first - 1)]);
    for (std::int64_t w = std::max(least_, v - end + 1); w <= v;) {
      const int level = level_of(w, v, v - w <= first);
      const std::int64_t block = level < 0 ? 1 : kBlockSizes[static_cast<std::size_t>(level)];
      const std::int64_t whole = std::max(first, v - w);  // all of it are within
      if (level < 0) {
        column_of(w).raise(result, whole, end);
      } else {
        Run{columns_[static_cast<std::size_t>(level)].row(w / block), x2, half, 1, 0, half}.raise(
            result, whole, end);
        for (std::int64_t u = w + 1; u < w + block && v - w > first; ++u) {
          column_of(u).raise(result, std::max(first, v - u), std::min(whole, end));
        }
      }
      w += block;
    }
    const std::int64_t highest = std::min(v + end - 1, teachers_);
    for (std::int64_t w = v + 1; w <= highest;) {
      const int level = level_of(w, highest, w + kBlockSizes.back() - 1 - v <= first);
      const std::int64_t block = level < 0 ? 1 : kBlockSizes[static_cast<std::size_t>(level)];
      const std::int64_t whole = std::max(first, w + block - 1 - v);
      if (level < 0) {
        diagonal_of(w).raise(result, whole, end);
      } else {
        const Rows& rows = diagonals_[static_cast<std::size_t>(level)];
        Run{rows.row(w / block), v + x2, teachers_, cell_, 0, rows.width - 1}.raise(result, whole,
                                                                                    end);
        for (std::int64_t u = w; u < w + block - 1 && w + block - 1 - v > first; ++u) {
          diagonal_of(u).raise(result, std::max(first, u - v), std::min(whole, end));
        }
      }
      w += block;
    }
    if (result[static_cast<std::size_t>(end - 1)] == largest_) {
      std::fill(result.begin() + end, result.end(), largest_);
      return;
    }
  }
}

std::vector<CostUnits> KeyCosts::within(std::span<const std::int32_t> counts) const {
  const std::int64_t v = counts[0];
  const std::int64_t x2 = counts[1];
  std::vector<CostUnits> result(static_cast<std::size_t>(teachers_ + 1), kNoKey);
  const auto raise = [&](std::int64_t d, CostUnits value) {
    CostUnits& at = result[static_cast<std::size_t>(d)];
    at = std::max(at, value);
  };
  if (three_) {
    const std::int64_t x23 = x2 + (counts.size() > 2 ? counts[2] : 0);
    for (std::int64_t w = least_; w <= teachers_; ++w) {
      const Table& table = tables_[static_cast<std::size_t>(w - least_)];
      const std::int64_t nearest = std::abs(w - v);
      const std::int64_t given = std::max<std::int64_t>(w - v, 0);
      for (std::int64_t d = nearest; d <= teachers_; ++d) {
        const std::int64_t s = std::min(x23 + d - given, table.rows - 1);
        const std::int64_t x = std::min(x2 + d - given, table.columns - 1);
        raise(d, table.at(s, x));
        if (s == table.rows - 1 && x == table.columns - 1) break;
      }
    }
  } else {
    within_two_keys(v, x2, result);
  }
  for (std::size_t d = 1; d < result.size(); ++d) result[d] = std::max(result[d], result[d - 1]);
  result.back() = largest_;
  return result;
}

}  // namespace pate
