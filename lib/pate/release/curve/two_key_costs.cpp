// The cost of every key (v, x2), by interpolation along lines of keys: `KeyCosts` of
// top_count_costs.hpp.
#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "pate/numerics/whole_division.hpp"
#include "pate/release/curve/key_lines.hpp"
#include "pate/release/curve/move_excesses.hpp"
#include "pate/release/curve/top_count_costs.hpp"

namespace pate {

namespace {

// What a class of so many votes has to do with whether its moves are smooth along a line of keys: a
// cell or not, and what the top count is after it got a vote.
constexpr std::int64_t kCellKinds = 6;
std::int64_t cell_kind(const TiltedCost& cost, std::int64_t v, std::int64_t count) {
  return std::min<std::int64_t>(v - count, 2) + (cost.moment().can_be_cell(v - count) ? 3 : 0);
}

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

}  // namespace pate
