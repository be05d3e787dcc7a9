#include "pate/release/curve/top_count_costs.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/divergence/keys/random_key.hpp"
#include "pate/numerics/whole_division.hpp"
#include "pate/release/curve/key_lines.hpp"
#include "pate/release/curve/three_key_costs.hpp"

namespace pate {

namespace {

// What a class of so many votes has to do with whether its moves are smooth along a line of keys: a
// cell or not, and what the top count is after it got a vote.
constexpr std::int64_t kCellKinds = 6;
std::int64_t cell_kind(const TiltedCost& cost, std::int64_t v, std::int64_t count) {
  return std::min<std::int64_t>(v - count, 2) + (cost.moment().can_be_cell(v - count) ? 3 : 0);
}

// So that there are at most so many cells of (v, x2): about M^2/4 divided by it.
constexpr std::int64_t kMaxTwoKeys = 4'000'000;
std::int64_t cell_for(std::int64_t teachers) {
  return std::max<std::int64_t>(1, ceil_divide(teachers * teachers / 4, kMaxTwoKeys));
}

}  // namespace

KeyCosts::KeyCosts(const TiltedCost& cost, Keys keys, std::int64_t step, std::int64_t cell)
    : teachers_(cost.teachers() / step),
      least_(ceil_divide(teachers_, cost.classes())),
      step_(step),
      three_(keys == Keys::three ||
             (keys == Keys::automatic && cost.teachers() <= kMaxTeachersOfThreeKeys)),
      cell_(three_     ? 1
            : cell > 0 ? cell
                       : cell_for(teachers_)) {
  if (!three_ && cost.moved() > 1) {
    throw parameter_error("costs of several votes that move have three keys");
  }
  for (std::int64_t v = least_; v <= teachers_; ++v) {
    Table& table = tables_.emplace_back(empty_table(v));
    table.values.assign(static_cast<std::size_t>(table.rows * table.columns), kNoKey);
  }
}

KeyCosts::KeyCosts(const TiltedCost& cost, Keys keys, unsigned threads,
                   const ProgressCallback& progress, std::int64_t step, std::int64_t cell)
    : KeyCosts(cost, keys, step, cell) {
  if (three_) {
    compute_three_keys({&cost, 1}, {this, 1}, threads, progress);
  } else {
    compute_two_keys({&cost, 1}, {this, 1}, threads, progress);
  }
  index();
}

std::vector<KeyCosts> KeyCosts::at_orders(std::span<const TiltedCost> costs, unsigned threads,
                                          const ProgressCallback& progress) {
  std::vector<KeyCosts> result;
  if (costs.empty()) return result;
  for (const TiltedCost& cost : costs) result.push_back(KeyCosts(cost, Keys::automatic, 1, 0));
  if (result.front().three_keys()) {
    compute_three_keys(costs, result, threads, progress);
  } else {
    compute_two_keys(costs, result, threads, progress);
  }
  for (KeyCosts& keys : result) keys.index();
  return result;
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
  const std::int64_t v = random_integer(random, least_, teachers_);
  const auto [x2, x3] = random_counts_behind(random, v, teachers_, cost.classes());
  CostUnits computed = units_far_behind(cost, v, v - x2);
  if (computed == kNoKey) {
    computed = units_of_excess(cost, three_key_moves(cost, v, x2, x3).largest_joint());
  }
  require_no_less(tables_[static_cast<std::size_t>(v - least_)].at(x2 + x3, x2), computed);
}

void KeyCosts::check_two_keys(const TiltedCost& cost, std::mt19937_64& random) const {
  const std::int64_t v = random_integer(random, least_, teachers_);
  const std::int64_t least = ceil_divide(teachers_ - v, cost.classes() - 1);
  const std::int64_t x2 = random_integer(random, least, std::min(v, teachers_ - v));
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

void KeyCosts::compute_three_keys(std::span<const TiltedCost> costs, std::span<KeyCosts> to,
                                  unsigned threads, const ProgressCallback& progress) {
  const ThreeKeyCosts computed(costs);
  const std::int64_t teachers = to.front().teachers_;
  const std::int64_t least = to.front().least_;
  const std::int64_t m = costs.front().classes();
  ProgressCounter counter(progress, teachers - least + 1);
  parallel_for(static_cast<std::size_t>(teachers - least + 1), threads, [&](std::size_t task) {
    const std::int64_t s = least + static_cast<std::int64_t>(task);
    const std::int64_t rest = teachers - s;
    const std::int64_t lowest = std::max(least, ceil_divide(s, 2));
    ThreeKeyCosts::Scratch scratch(computed);
    std::vector<CostUnits> units;
    // The third counts that some histogram has.
    const std::int64_t first = m == 2 ? 0 : ceil_divide(rest, m - 2);
    for (std::int64_t x3 = first; x3 <= rest && s - x3 >= lowest; ++x3) {
      if (m == 2 && rest > 0) break;
      const std::int64_t last = s - x3;
      units.resize(static_cast<std::size_t>(last - lowest + 1) * to.size());
      computed.compute(s, x3, lowest, last, scratch, units);
      auto its = units.begin();
      for (std::int64_t v = lowest; v <= last; ++v) {
        for (KeyCosts& keys : to) {
          Table& table = keys.tables_[static_cast<std::size_t>(v - least)];
          table.values[static_cast<std::size_t>((s - v + x3) * table.columns + (s - v))] = *its++;
        }
      }
    }
    counter.add(1);
  });
  parallel_for(to.size(), threads, [&](std::size_t i) {
    for (Table& table : to[i].tables_) make_rising(table);
  });
}

void KeyCosts::make_rising(Table& table) {
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
}

std::int64_t KeyCosts::column(std::int64_t v, std::int64_t x2) const {
  return ceil_divide(v + x2, cell_) - ceil_divide(v, cell_);
}

namespace {

// Who wins at keys of a line, for those that were asked for.
class LineWins {
 public:
  LineWins(const TiltedMoment& of, std::int64_t first, std::int64_t last)
      : of_(&of),
        first_(first),
        places_(static_cast<std::size_t>(std::max<std::int64_t>(last - first + 1, 0)), kNone) {}
  [[nodiscard]] KeptWins& at(std::int64_t i) {
    std::size_t& place = places_[static_cast<std::size_t>(i - first_)];
    if (place == kNone) {
      place = kept_.size();
      kept_.emplace_back(*of_);
    }
    return kept_[place];
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  const TiltedMoment* of_;
  std::int64_t first_;
  std::vector<std::size_t> places_;
  std::deque<KeptWins> kept_;
};

}  // namespace

void KeyCosts::compute_two_keys(std::span<const TiltedCost> costs, std::span<KeyCosts> to,
                                unsigned threads, const ProgressCallback& progress) {
  const KeyCosts& like = to.front();
  const std::int64_t m = costs.front().classes();
  const std::int64_t teachers = like.teachers_;
  const std::int64_t step = like.step_;
  const std::int64_t cell = like.cell_;
  const double sigma = costs.front().moment().sigma();
  // Who wins does not depend on the order. What computes it has one of its own, whatever the costs,
  // so that others change no bit.
  constexpr double kAnyOrder = 1.0 + 0x1p-20;
  const TiltedMoment wins({sigma}, costs.front().teachers(), m, kAnyOrder, threads,
                          costs.front().cells() > 0);
  const auto value = [&](std::size_t o, std::int64_t v, std::int64_t end) -> CostUnits& {
    const std::int64_t c = end / cell - ceil_divide(v, cell);
    return to[o]
        .tables_[static_cast<std::size_t>(v - like.least_)]
        .values[static_cast<std::size_t>(c)];
  };
  // Of the cell that ends with v + x2 = end: x2 as large as it can be, and the votes of the classes
  // behind as many as they can be, from the least x2 of some histogram on.
  const auto least = [&](std::int64_t v) { return ceil_divide(teachers - v, m - 1); };
  const auto votes_behind = [&](std::int64_t v, std::int64_t end) {
    return costs.front().teachers() - std::max(v + least(v), end - cell + 1) * step;
  };
  // Where all are far behind: as at the least gap that is far.
  std::vector<std::int64_t> far_gaps;
  std::vector<std::vector<CostUnits>> far_units;
  for (const TiltedCost& cost : costs) {
    const std::int64_t gap = least_far_gap(cost);
    far_gaps.push_back(ceil_divide(gap, step));
    std::vector<CostUnits> units;
    for (std::int64_t v = 0; v <= teachers; ++v) {
      units.push_back(gap <= cost.teachers() ? units_far_behind(cost, v * step, gap) : kNoKey);
    }
    far_units.push_back(std::move(units));
  }
  const auto moves = [&](std::size_t o, std::int64_t v, std::int64_t x2, std::int64_t end,
                         KeptWins& kept) {
    return two_key_moves(costs[o], v * step, x2 * step, votes_behind(v, end), cell > 1, &kept);
  };
  const std::int64_t most = teachers / 2;
  ProgressCounter counter(progress, most + 1);
  // Where x2 stays, the classes behind are as many, and change but by one, for x2 steps of v.
  parallel_for(static_cast<std::size_t>(most + 1), threads, [&](std::size_t task) {
    const auto x2 = static_cast<std::int64_t>(task);
    const auto end = [&](std::int64_t i) { return i * cell; };
    const auto v_of = [&](std::int64_t i) { return i * cell - x2; };
    const std::int64_t lowest = std::max({x2, like.least_, teachers - (m - 1) * (x2 - cell + 1)});
    const std::int64_t first = ceil_divide(lowest + x2, cell);
    const std::int64_t last = teachers / cell;
    LineWins kept(wins, first, last);
    KeptNodes nodes;
    for (std::size_t o = 0; o < costs.size(); ++o) {
      const TiltedCost& cost = costs[o];
      const std::int64_t far =
          std::clamp(ceil_divide(far_gaps[o] + 2 * x2, cell), first, std::max(first, last + 1));
      const Line line{static_cast<double>(cell * step) / sigma, nodes,
                      [&](std::int64_t i) { return v_of(i) * step; },
                      [&](std::int64_t i) {
                        const std::int64_t votes = votes_behind(v_of(i), end(i));
                        const std::int64_t full = x2 == 0 || votes == 0 ? -1 : votes / (x2 * step);
                        return kCellKinds * full + cell_kind(cost, v_of(i) * step, x2 * step);
                      },
                      [&](std::int64_t i) { return moves(o, v_of(i), x2, end(i), kept.at(i)); }};
      for_line(cost, line, first, far - 1, [&](std::int64_t i, double excess) {
        value(o, v_of(i), end(i)) = units_of_excess(cost, excess);
      });
      for (std::int64_t i = far; i <= last; ++i) {
        value(o, v_of(i), end(i)) = far_units[o][static_cast<std::size_t>(v_of(i))];
      }
    }
    counter.add(1);
  });
  // Cells that are cut off, by the least or the most there is of x2; then the running maxima.
  parallel_for(like.tables_.size(), threads, [&](std::size_t i) {
    const std::int64_t v = like.least_ + static_cast<std::int64_t>(i);
    const std::int64_t largest = std::min(v, teachers - v);
    std::vector<CostUnits> running(costs.size(), kNoKey);
    for (std::int64_t c = 0; c < like.tables_[i].columns; ++c) {
      const std::int64_t end = (ceil_divide(v, cell) + c) * cell;
      const bool is_cut =
          c >= like.column(v, least(v)) && (end - v > largest || end - v - cell + 1 < least(v));
      std::optional<KeptWins> kept;
      for (std::size_t o = 0; o < costs.size(); ++o) {
        CostUnits& here = to[o].tables_[i].values[static_cast<std::size_t>(c)];
        if (is_cut) {
          const std::int64_t x2 = std::min(end - v, largest);
          if (v - x2 >= far_gaps[o]) {
            here = far_units[o][static_cast<std::size_t>(v)];
          } else {
            if (!kept) kept.emplace(wins);
            here = units_of_excess(costs[o], moves(o, v, x2, end, *kept).largest_joint());
          }
        }
        here = running[o] = std::max(running[o], here);
      }
    }
  });
}

bool KeyCosts::has_cells(std::int64_t teachers) {
  return teachers <= kMaxTeachersOfThreeKeys || cell_for(teachers) == 1;
}

double KeyCosts::table_memory(std::int64_t teachers) {
  const bool three = teachers <= kMaxTeachersOfThreeKeys;
  double numbers = 0.0;
  for (std::int64_t v = 0; v <= teachers; ++v) {
    const auto columns = static_cast<double>(std::min(v, teachers - v) + 1);
    numbers += three ? columns * static_cast<double>(teachers - v + 1) : columns;
  }
  if (!three) numbers /= static_cast<double>(cell_for(teachers));
  return numbers * sizeof(CostUnits);
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
    } else if (cell == 2 && i < highest) {
      // Most tables of thousands of teachers: the first may be one, then there are two of each.
      if ((i + base) * cell - start == d) {
        at[d] = std::max(at[d], values[i]);
        ++d;
        ++i;
      }
      for (; d + 1 < to && i < highest; d += 2, ++i) {
        at[d] = std::max(at[d], values[i]);
        at[d + 1] = std::max(at[d + 1], values[i]);
      }
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
  // Whether a block has no more than is known from some d on, so that none of its counts has: what
  // it is looked up for does not fall with d, nor does what is known.
  const auto is_known = [&](const CostUnits* row, std::int64_t position, std::int64_t from) {
    return row[position] <= result[static_cast<std::size_t>(from)];
  };
  constexpr std::size_t kLargest = kBlockSizes.size() - 1;
  for (std::int64_t first = 0; first < size; first += kStretch) {
    const std::int64_t end = std::min(first + kStretch, size);
    if (first > 0)
      std::fill(result.begin() + first, result.begin() + end,
                result[static_cast<std::size_t>(first - 1)]);
    for (std::int64_t w = std::max(least_, v - end + 1); w <= v;) {
      constexpr std::int64_t kWidestBlock = kBlockSizes[kLargest];
      if (w % kWidestBlock == 0 && w + kWidestBlock - 1 <= v &&
          is_known(columns_[kLargest].row(w / kWidestBlock), std::min(x2 + end - 1, half),
                   std::max(first, v - w - kWidestBlock + 1))) {
        w += kWidestBlock;
        continue;
      }
      const int level = level_of(w, v, v - w <= first);
      const std::int64_t block = level < 0 ? 1 : kBlockSizes[static_cast<std::size_t>(level)];
      const std::int64_t whole = std::max(first, v - w);  // all of it are within
      if (level < 0) {
        column_of(w).raise(result, whole, end);
      } else {
        const CostUnits* const row = columns_[static_cast<std::size_t>(level)].row(w / block);
        Run{row, x2, half, 1, 0, half}.raise(result, whole, end);
        const std::int64_t until = std::min(whole, end);
        if (v - w > first &&
            !is_known(row, std::min(x2 + until - 1, half), std::max(first, v - w - block + 1))) {
          for (std::int64_t u = w + 1; u < w + block; ++u) {
            column_of(u).raise(result, std::max(first, v - u), until);
          }
        }
      }
      w += block;
    }
    const std::int64_t highest = std::min(v + end - 1, teachers_);
    for (std::int64_t w = v + 1; w <= highest;) {
      constexpr std::int64_t kWidestBlock = kBlockSizes[kLargest];
      if (w % kWidestBlock == 0 && w + kWidestBlock - 1 <= highest) {
        const Rows& rows = diagonals_[kLargest];
        if (is_known(rows.row(w / kWidestBlock),
                     std::min(ceil_divide(v + x2 + end - 1, cell_), rows.width - 1),
                     std::max(first, w - v))) {
          w += kWidestBlock;
          continue;
        }
      }
      const int level = level_of(w, highest, w + kBlockSizes.back() - 1 - v <= first);
      const std::int64_t block = level < 0 ? 1 : kBlockSizes[static_cast<std::size_t>(level)];
      const std::int64_t whole = std::max(first, w + block - 1 - v);
      if (level < 0) {
        diagonal_of(w).raise(result, whole, end);
      } else {
        const Rows& rows = diagonals_[static_cast<std::size_t>(level)];
        const CostUnits* const row = rows.row(w / block);
        Run{row, v + x2, teachers_, cell_, 0, rows.width - 1}.raise(result, whole, end);
        const std::int64_t until = std::min(whole, end);
        if (w + block - 1 - v > first &&
            !is_known(row, std::min(ceil_divide(v + x2 + until - 1, cell_), rows.width - 1),
                      std::max(first, w - v))) {
          for (std::int64_t u = w; u < w + block - 1; ++u) {
            diagonal_of(u).raise(result, std::max(first, u - v), until);
          }
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

std::vector<CostUnits> KeyCosts::within(std::span<const std::int32_t> counts,
                                        std::size_t distances) const {
  const std::int64_t v = counts[0];
  const std::int64_t x2 = counts[1];
  const auto all = static_cast<std::size_t>(teachers_ + 1);
  std::vector<CostUnits> result(std::min(distances, all), kNoKey);
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
      for (std::int64_t d = nearest; d < static_cast<std::int64_t>(result.size()); ++d) {
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
  if (result.size() == all) result.back() = largest_;
  return result;
}

}  // namespace pate
