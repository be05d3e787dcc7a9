// The largest costs of keys (v, x2) within d moves, by maxima of blocks of v: `KeyCosts` of
// top_count_costs.hpp.
#include <algorithm>
#include <utility>

#include "pate/numerics/whole_division.hpp"
#include "pate/release/curve/move_excesses.hpp"
#include "pate/release/curve/top_count_costs.hpp"

namespace pate {

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

}  // namespace pate
