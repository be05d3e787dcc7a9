#include "pate/release/curve/key_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numbers>

#include "pate/error.hpp"

namespace pate {

namespace {

using Move = TiltedMoment::Move;
using Group = TiltedMoment::Group;

constexpr double kKeyMargin = 1e-9;
constexpr CostUnits kNoKey = -1;  // no histogram has such counts
// An excess below is nothing beside the smallest unit.
constexpr double kNegligibleExcess = 1e-14;
constexpr std::int64_t kBlock = 16;

// The classes behind the top one, but for those that take part: some by name, then `slots` of those
// that share what is left, as unevenly as it can be: `full` of the largest count allowed, one of
// the remainder, none for the rest.
struct Rest {
  std::int64_t v;
  std::int64_t cap;
  std::int64_t full;
  std::int64_t remainder;

  Rest(std::int64_t top, std::int64_t largest, std::int64_t votes)
      : v(top),
        cap(largest),
        full(largest > 0 ? votes / largest : 0),
        remainder(votes - full * largest) {}
};

struct Groups {
  std::array<Group, 8> groups;
  std::size_t size = 0;

  void add(std::int64_t gap, std::int64_t classes) {
    if (classes == 0) return;
    for (std::size_t i = 0; i < size; ++i) {
      if (groups[i].gap != gap) continue;
      groups[i].classes += classes;
      return;
    }
    groups[size++] = {gap, classes};
  }
  void fill(const Rest& rest, std::int64_t slots) {
    const std::int64_t full = std::min(rest.full, slots);
    const std::int64_t partial = std::min<std::int64_t>(slots - full, rest.remainder > 0 ? 1 : 0);
    add(rest.v - rest.cap, full);
    add(rest.v - rest.remainder, partial);
    add(rest.v, slots - full - partial);
  }
  [[nodiscard]] std::span<const Group> span() const { return {groups.data(), size}; }
};

// The largest joint excess over the moves that are looked at.
class LargestExcess {
 public:
  LargestExcess(const TiltedCost& cost, std::int64_t v, const Rest& rest)
      : cost_(cost), v_(v), rest_(rest) {}

  // The classes that may take part in a move, by their counts; all others share the rest. They come
  // together because their moves have the same q0.
  struct Scene {
    std::initializer_list<std::int64_t> classes;
    std::int64_t slots = 0;
  };

  // Every move in which a class from number `first` on takes part: with the top one and with each
  // other, or, unless `with_top`, between two such only.
  void consider(const Scene& scene, std::size_t first, bool with_top) {
    Groups all;
    for (const std::int64_t count : scene.classes) all.add(v_ - count, 1);
    all.fill(rest_, scene.slots);
    const double q0 = cost_.moment().q(all.span());
    const auto* counts = scene.classes.begin();
    const std::size_t size = scene.classes.size();
    for (std::size_t a = 0; a < size; ++a) {
      if (with_top && a >= first) {
        Groups others;
        for (std::size_t k = 0; k < size; ++k) {
          if (k != a) others.add(v_ - counts[k], 1);
        }
        others.fill(rest_, scene.slots);
        if (counts[a] > 0 && v_ < cost_.teachers()) {
          add(Move::to_top, q0, others, v_ - counts[a], 0);
        }
        add(Move::from_top, q0, others, v_ - counts[a], 0);
      }
      for (std::size_t b = 0; b < size && counts[a] > 0; ++b) {
        if (b == a || (b < a && counts[a] == counts[b]) || (a < first && b < first) ||
            (!with_top && (a < first || b < first)))
          continue;
        Groups others;
        for (std::size_t k = 0; k < size; ++k) {
          if (k != a && k != b) others.add(v_ - counts[k], 1);
        }
        others.fill(rest_, scene.slots);
        add(Move::aside, q0, others, v_ - counts[a], v_ - counts[b]);
      }
    }
  }

  [[nodiscard]] double value() const { return largest_; }

 private:
  void add(Move move, double q0, const Groups& others, std::int64_t a, std::int64_t b) {
    const double excess = cost_.moment().excess(move, q0, others.span(), a, b);
    largest_ = max_or_nan(largest_, cost_.joint_excess(v_, move, excess));
  }

  const TiltedCost& cost_;
  std::int64_t v_;
  Rest rest_;
  double largest_ = -kInfinity;
};

// The cost where all classes are at least `gap` behind, if that says all there is to say.
CostUnits units_far_behind(const TiltedCost& cost, std::int64_t v, std::int64_t gap) {
  if (cost.moment().is_hopeless()) return units_of(cost.cap(), kKeyMargin);
  const double excess = cost.moment().excess_far_behind(gap);
  if (!(excess <= kNegligibleExcess)) return kNoKey;
  double largest = 0.0;
  for (const Move move : {Move::to_top, Move::from_top, Move::aside}) {
    if (move == Move::to_top && v == cost.teachers()) continue;
    largest = max_or_nan(largest, cost.joint_excess(v, move, excess));
  }
  return units_of(cost.cost_of(largest, kKeyMargin), 0.0);
}

CostUnits units_of_excess(const TiltedCost& cost, double joint_excess) {
  return units_of(cost.cost_of(joint_excess, kKeyMargin), 0.0);
}

// The joint excess behind H(v, x2, x3).
double three_key_excess(const TiltedCost& cost, std::int64_t v, std::int64_t x2, std::int64_t x3) {
  const std::int64_t m = cost.classes();
  const std::int64_t votes = cost.teachers() - v - x2 - x3;
  LargestExcess largest(cost, v, Rest(v, x3, votes));
  const std::int64_t y = std::min(x3, votes);
  if (m == 2) {
    largest.consider({{x2}, 0}, 0, true);
  } else {
    largest.consider({{x2, x3}, m - 3}, 0, true);
  }
  if (m >= 4) largest.consider({{x2, x3, y}, m - 4}, 2, true);
  // Between two classes of y: the two of the scene that have more look on.
  if (m >= 5 && y > 0) largest.consider({{x2, x3, y, y}, m - 5}, 2, false);
  return largest.value();
}

// That behind H(v, x2), whatever the third count, where the classes behind have so many votes.
double two_key_excess(const TiltedCost& cost, std::int64_t v, std::int64_t x2, std::int64_t votes) {
  const std::int64_t m = cost.classes();
  LargestExcess largest(cost, v, Rest(v, x2, votes));
  const std::int64_t y = std::min(x2, votes);
  largest.consider({{x2}, m - 2}, 0, true);
  if (m >= 3) largest.consider({{x2, y}, m - 3}, 1, true);
  if (m >= 4 && y > 0) largest.consider({{x2, y, y}, m - 4}, 1, false);
  return largest.value();
}

// A function of integers at so many nodes between first and last, and between them.
class IntegerNodes {
 public:
  template <class Function>
  IntegerNodes(std::int64_t first, std::int64_t last, std::size_t size, const Function& f) {
    const double middle = 0.5 * static_cast<double>(first + last);
    const double half = 0.5 * static_cast<double>(last - first);
    for (std::size_t k = 0; k < size; ++k) {
      const double angle =
          std::numbers::pi * (static_cast<double>(k) + 0.5) / static_cast<double>(size);
      at_.push_back(std::round(middle - half * std::cos(angle)));
      values_.push_back(f(static_cast<std::int64_t>(at_.back())));
    }
    for (std::size_t k = 0; k < size; ++k) {
      double product = 1.0;
      for (std::size_t j = 0; j < size; ++j) {
        if (j != k) product *= (at_[k] - at_[j]) * (2.0 / half);
      }
      weights_.push_back(1.0 / product);
    }
  }

  [[nodiscard]] double operator()(std::int64_t i) const {
    const auto x = static_cast<double>(i);
    double above = 0.0;
    double below = 0.0;
    for (std::size_t k = 0; k < at_.size(); ++k) {
      if (x == at_[k]) return values_[k];
      const double share = weights_[k] / (x - at_[k]);
      above += share * values_[k];
      below += share;
    }
    return above / below;
  }

 private:
  std::vector<double> at_, values_, weights_;
};

// `set(i, excess)` for i = first..last, where f, the excess, is smooth but for corners: its
// logarithm is interpolated where that agrees with it at both ends and in the middle to
// kInterpolated, and raised by several times that; elsewhere f is evaluated.
constexpr double kInterpolated = 1e-11;
constexpr double kInterpolationMargin = 1e-10;
constexpr std::int64_t kLongStretch = 64;
constexpr std::int64_t kShortStretch = 24;

template <class Function, class Set>
void for_stretch(std::int64_t first, std::int64_t last, const Function& f, const Set& set) {
  const std::int64_t length = last - first + 1;
  const auto evaluate = [&] {
    for (std::int64_t i = first; i <= last; ++i) set(i, f(i));
  };
  if (length < kShortStretch) return evaluate();
  const bool is_long = length >= kLongStretch;
  const auto log_f = [&](std::int64_t i) { return std::log(f(i)); };
  const IntegerNodes nodes(first, last, is_long ? 12 : 8, log_f);
  const std::int64_t middle = first + length / 2;
  for (const std::int64_t i : {first, last, middle}) {
    // NaN and infinities fail too.
    if (std::abs(nodes(i) - log_f(i)) <= kInterpolated) continue;
    if (!is_long) return evaluate();
    for_stretch(first, middle - 1, f, set);
    for_stretch(middle, last, f, set);
    return;
  }
  for (std::int64_t i = first; i <= last; ++i) {
    set(i, std::exp(nodes(i)) * (1.0 + kInterpolationMargin));
  }
}

// The same in stretches in which `kind` does not change.
template <class Kind, class Function, class Set>
void for_stretches(std::int64_t first, std::int64_t last, const Kind& kind, const Function& f,
                   const Set& set) {
  while (first <= last) {
    std::int64_t end = first + 1;
    while (end <= last && kind(end) == kind(first)) ++end;
    for_stretch(first, end - 1, f, set);
    first = end;
  }
}

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// So that there are at most so many cells of (v, x2): about M^2/4 divided by it.
constexpr std::int64_t kMostTwoKeys = 4'000'000;
std::int64_t cell_for(std::int64_t teachers) {
  return std::max<std::int64_t>(1, ceil_divide(teachers * teachers / 4, kMostTwoKeys));
}

}  // namespace

CostUnits units_of(double cost, double margin) {
  const double units = std::ceil(std::ldexp(cost * (1.0 + margin), -kUnitExponent));
  if (!(units < 0x1p62)) throw validity_error("a query costs more than a release can count");
  return std::max<CostUnits>(1, static_cast<CostUnits>(units));
}

double key_costs_memory(std::int64_t teachers) {
  if (teachers <= KeyCosts::kMostTeachersOfThreeKeys) return 0.0;
  const auto width = static_cast<double>(teachers + 1);
  const auto rows = static_cast<double>(teachers / 2 + 1) +
                    static_cast<double>(ceil_divide(teachers, cell_for(teachers)) + 1);
  return rows * width * sizeof(CostUnits);
}

double cost_of_units(CostUnits units) {
  const double cost = std::ldexp(static_cast<double>(units), kUnitExponent);
  // Beyond 2^53 units the conversion may have rounded down.
  return units < (std::int64_t{1} << 53) ? cost : std::nextafter(cost, kInfinity);
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

CostUnits RowMaxima::raised(CostUnits least, std::int64_t row, std::int64_t from, std::int64_t to,
                            std::int64_t& hint) const {
  const std::int64_t per_row = ceil_divide(width_, kBlock);
  const CostUnits* const values = values_.data() + row * width_;
  const CostUnits* const blocks = blocks_.data() + row * per_row;
  const CostUnits* const large_blocks = large_blocks_.data() + row * ceil_divide(per_row, kBlock);
  CostUnits result = least;
  if (hint >= from && hint <= to) result = std::max(result, values[hint]);
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
        if (values[k] <= result) continue;
        result = values[k];
        hint = k;
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
             (keys == Keys::automatic && cost.teachers() <= kMostTeachersOfThreeKeys)),
      cell_(three_     ? 1
            : cell > 0 ? cell
                       : cell_for(teachers_)) {
  tables_.resize(static_cast<std::size_t>(teachers_ - least_ + 1));
  ProgressCounter counter(progress, static_cast<std::int64_t>(tables_.size()));
  parallel_for(tables_.size(), threads, [&](std::size_t i) {
    const std::int64_t v = least_ + static_cast<std::int64_t>(i);
    tables_[i] = three_ ? three_key_table(cost, v) : two_key_table(cost, v);
    counter.add(1);
  });
  index();
}

KeyCosts::KeyCosts(std::int64_t teachers, std::int64_t classes, StoredUnits& from)
    : teachers_(teachers),
      least_(ceil_divide(teachers, classes)),
      step_(1),
      three_(teachers <= kMostTeachersOfThreeKeys),
      cell_(three_ ? 1 : cell_for(teachers)) {
  for (std::int64_t v = least_; v <= teachers_; ++v) {
    Table& table = tables_.emplace_back(empty_table(v));
    const auto values = from.take(table.rows * table.columns);
    table.values.assign(values.begin(), values.end());
  }
  index();
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

KeyCosts::Table KeyCosts::three_key_table(const TiltedCost& cost, std::int64_t v) const {
  const std::int64_t rest = teachers_ - v;
  const std::int64_t most = std::min(v, rest);
  const std::int64_t m = cost.classes();
  Table table = empty_table(v);
  table.values.assign(static_cast<std::size_t>(table.rows * table.columns), kNoKey);
  const auto value = [&](std::int64_t s, std::int64_t x) -> CostUnits& {
    return table.values[static_cast<std::size_t>(s * table.columns + x)];
  };
  for (std::int64_t x2 = 0; x2 <= most; ++x2) {
    // The third counts that some histogram has.
    std::int64_t first = 0;
    std::int64_t last = std::min(x2, rest - x2);
    if (m == 2) {
      last = x2 == rest ? 0 : -1;
    } else {
      first = ceil_divide(rest - x2, m - 2);
    }
    if (first > last) continue;
    const CostUnits quick = units_far_behind(cost, v, v - x2);
    if (quick != kNoKey) {
      for (std::int64_t x3 = first; x3 <= last; ++x3) value(x2 + x3, x2) = quick;
      continue;
    }
    for_stretches(
        first, last, [&](std::int64_t x3) { return x3 == 0 ? -1 : (rest - x2 - x3) / x3; },
        [&](std::int64_t x3) { return three_key_excess(cost, v, x2, x3); },
        [&](std::int64_t x3, double excess) {
          value(x2 + x3, x2) = units_of_excess(cost, excess);
        });
  }
  for (std::int64_t s = 0; s < table.rows; ++s) {
    for (std::int64_t x = 0; x < table.columns; ++x) {
      CostUnits& here = value(s, x);
      if (s > 0) here = std::max(here, value(s - 1, x));
      if (x > 0) here = std::max(here, value(s, x - 1));
    }
  }
  return table;
}

std::int64_t KeyCosts::column(std::int64_t v, std::int64_t x2) const {
  return ceil_divide(v + x2, cell_) - ceil_divide(v, cell_);
}

KeyCosts::Table KeyCosts::two_key_table(const TiltedCost& cost, std::int64_t v) const {
  const std::int64_t rest = teachers_ - v;
  const std::int64_t most = std::min(v, rest);
  const std::int64_t least = ceil_divide(rest, cost.classes() - 1);
  Table table = empty_table(v);
  table.values.assign(static_cast<std::size_t>(table.columns), kNoKey);
  // The counts of the cell that some histogram has, and the votes of the classes behind.
  struct Counts {
    std::int64_t x2, votes;
  };
  const auto counts = [&](std::int64_t c) {
    const std::int64_t end = (ceil_divide(v, cell_) + c) * cell_ - v;
    const std::int64_t first = std::max(least, end - cell_ + 1);
    return Counts{std::min(end, most) * step_, cost.teachers() - (v + first) * step_};
  };
  const auto value = [&](std::int64_t c) -> CostUnits& {
    return table.values[static_cast<std::size_t>(c)];
  };
  std::int64_t c = column(v, least);
  for (; c < table.columns; ++c) {
    const CostUnits quick = units_far_behind(cost, v * step_, v * step_ - counts(c).x2);
    if (quick == kNoKey) break;
    value(c) = quick;
  }
  for_stretches(
      c, table.columns - 1,
      [&](std::int64_t i) {
        const Counts here = counts(i);
        return here.x2 == 0 ? -1 : here.votes / here.x2;
      },
      [&](std::int64_t i) {
        const Counts here = counts(i);
        return two_key_excess(cost, v * step_, here.x2, here.votes);
      },
      [&](std::int64_t i, double excess) { value(i) = units_of_excess(cost, excess); });
  CostUnits running = kNoKey;
  for (CostUnits& cost_here : table.values) cost_here = running = std::max(running, cost_here);
  return table;
}

void KeyCosts::index_two_keys() {
  const std::int64_t width = teachers_ + 1;
  const std::int64_t half = teachers_ / 2;
  const std::int64_t cells = ceil_divide(teachers_, cell_);
  std::vector<CostUnits> columns(static_cast<std::size_t>((half + 1) * width), kNoKey);
  std::vector<CostUnits> diagonals(static_cast<std::size_t>((cells + 1) * width), kNoKey);
  for (std::int64_t v = least_; v <= teachers_; ++v) {
    const Table& table = tables_[static_cast<std::size_t>(v - least_)];
    const auto value = [&](std::int64_t x) {
      return table.at(0, std::min(column(v, x), table.columns - 1));
    };
    for (std::int64_t x = 0; x <= half; ++x) {
      columns[static_cast<std::size_t>(x * width + v)] = value(x);
    }
    for (std::int64_t s = ceil_divide(v, cell_); s <= cells; ++s) {
      diagonals[static_cast<std::size_t>(s * width + v)] = value(s * cell_ - v);
    }
  }
  columns_ = {width, std::move(columns)};
  diagonals_ = {width, std::move(diagonals)};
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
    // What is within d - 1 is within d. As long as the row stays, its stretch grows by one at a
    // time.
    std::int64_t column_row = -1;
    std::int64_t diagonal_row = -1;
    std::int64_t column_hint = -1;
    std::int64_t diagonal_hint = -1;
    CostUnits running = kNoKey;
    for (std::int64_t d = 0; d <= teachers_; ++d) {
      const std::int64_t x = std::min(x2 + d, teachers_ / 2);
      const std::int64_t lowest = v - d;
      if (x != column_row) {
        running = columns_.raised(running, x, std::max(least_, lowest), v, column_hint);
      } else if (lowest >= least_) {
        running = std::max(running, columns_.at(x, lowest));
      }
      column_row = x;
      if (d > 0) {
        const std::int64_t s = ceil_divide(std::min(v + x2 + d, teachers_), cell_);
        const std::int64_t highest = v + d;
        if (s != diagonal_row) {
          running =
              diagonals_.raised(running, s, v + 1, std::min(highest, teachers_), diagonal_hint);
        } else if (highest <= teachers_) {
          running = std::max(running, diagonals_.at(s, highest));
        }
        diagonal_row = s;
      }
      raise(d, running);
      if (running == largest_) break;
    }
  }
  for (std::size_t d = 1; d < result.size(); ++d) result[d] = std::max(result[d], result[d - 1]);
  result.back() = largest_;
  return result;
}

}  // namespace pate
