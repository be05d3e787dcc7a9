#include "pate/release/curve/three_key_costs.hpp"

#include <algorithm>
#include <cmath>

#include "pate/numerics/infinity.hpp"
#include "pate/numerics/kernels/kernels.hpp"
#include "pate/release/curve/move_excesses.hpp"

namespace pate {

namespace {

constexpr double kMostQ = 1.0 - 1e-6;

}  // namespace

ThreeKeyCosts::ThreeKeyCosts(std::span<const TiltedCost> costs)
    : costs_(costs),
      teachers_(costs.front().teachers()),
      classes_(costs.front().classes()),
      moved_(costs.front().moved()) {
  // Without cells, or with noise below half a vote, each move is summed for itself.
  const bool has_cells = std::ranges::all_of(costs, [](const TiltedCost& cost) {
    return cost.cells() == TiltedMoment::kMostCells &&
           (cost.moment().is_hopeless() || cost.moment().can_be_cell(0));
  });
  if (!has_cells) return;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i].moment().is_hopeless()) continue;
    summed_.push_back(i);
    orders_.push_back(costs[i].order());
    growth_.push_back(costs[i].moment().growth());
  }
  if (summed_.empty()) return;
  rows_.emplace(GaussianNoisyMax{costs.front().moment().sigma()}, teachers_, classes_, orders_,
                moved_);
  for (std::int64_t v = 0; v <= teachers_; ++v) {
    for (std::int64_t rise = -moved_; rise <= moved_; ++rise) {
      for (const std::size_t i : summed_) {
        const TiltedCost::Line line = costs[i].line(v, static_cast<int>(rise));
        selection_.push_back(line.selection);
        answered_.push_back(line.answered);
      }
    }
  }
}

ThreeKeyCosts::Scratch::Scratch(const ThreeKeyCosts& of)
    : largest_(of.orders_.size()), rest_(of.orders_.size()) {
  if (of.rows_) line_.emplace(*of.rows_);
}

void ThreeKeyCosts::set_far(std::int64_t s, Scratch& scratch) const {
  if (scratch.s_ == s) return;
  scratch.s_ = s;
  scratch.far_.assign(static_cast<std::size_t>(teachers_ + 1) * costs_.size(), kNoKey);
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    bool is_far = false;
    for (std::int64_t v = (s + 1) / 2; v <= s; ++v) {
      const CostUnits units = units_far_behind(costs_[i], v, 2 * v - s);
      is_far = is_far || units != kNoKey;
      if (is_far) scratch.far_[static_cast<std::size_t>(v) * costs_.size() + i] = units;
    }
  }
}

ThreeKeyCosts::Statistics ThreeKeyCosts::after(std::int64_t v, std::int64_t x2, std::int64_t x3,
                                               std::int64_t y, const KeyMove& move) const {
  std::int64_t least = v + moved_ * move.top;
  if (moved_ == 1) {
    // Of one vote what the second and third count are afterwards is known.
    if (move.top <= 0) {
      least = std::max(least, x2 + std::max(move.second, 0));
      if (classes_ > 2) least = std::max(least, x3 + std::max(move.third, 0));
    }
    return {least, least};
  }
  std::int64_t most = least;
  if (move.second > 0) most = std::max(most, x2 + moved_);
  if (move.third > 0) most = std::max(most, x3 + moved_);
  const bool others_get = std::ranges::any_of(move.changes, [](int change) { return change > 0; });
  if (others_get) most = std::max(most, y + moved_);
  return {least, most};
}

void ThreeKeyCosts::raise(std::int64_t v, std::int64_t x2, std::int64_t x3, const KeyLine& line,
                          bool third_apart, Scratch& scratch) const {
  const std::span<const KeyMove> moves = key_moves();
  const std::size_t size = orders_.size();
  std::ranges::fill(scratch.largest_, -kInfinity);
  const bool has_third = classes_ > 2;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const KeyMove& move = moves[i];
    if (!line.exists(i)) continue;
    // The same moves between classes that are told apart, and all are of four.
    if (move.others == 0 && move.top == 0 && move.third < 0 && x2 == x3) continue;
    if (move.others > 0 && classes_ == 4 && line.y() == x3) continue;
    const Statistics statistics = after(v, x2, x3, line.y(), move);
    const KeyLine::Wins& before = line.before(move.others);
    const KeyLine::Wins& after = line.after(i);
    const double q = before.second + before.third + before.rest;
    const double q_after = after.second + after.third + after.rest;
    MoveWins wins{};
    wins.log_top = std::log1p(-q);
    wins.log_top_after = std::log1p(-q_after);
    wins.odds = q / (1.0 - q);
    wins.odds_after = q_after / (1.0 - q_after);
    // Noise far below one vote: the top class all but never wins on n', or a cell never does.
    bool is_lost = !(q_after <= kMostQ);
    const auto add_cell = [&](double its, double its_after) {
      is_lost = is_lost || !(its_after > 0.0);
      if (!(its > 0.0)) return;
      wins.log_cells[wins.cells] = std::log(its);
      wins.log_cells_after[wins.cells++] = std::log(its_after);
    };
    add_cell(before.second, after.second);
    if (has_third && third_apart) add_cell(before.third, after.third);
    const std::span<const double> tilted = line.tilted(i);
    for (std::size_t k = 0; k < size; ++k) {
      scratch.rest_[k] = is_lost ? kInfinity : growth_[k] * tilted[k];
    }
    const auto raise_at = [&](std::int64_t statistic) {
      const auto at =
          static_cast<std::size_t>((2 * moved_ + 1) * v + statistic - v + moved_) * size;
      kernels().raise_joint_excess(wins, orders_.data(), scratch.rest_.data(),
                                   selection_.data() + at, answered_.data() + at, size,
                                   scratch.largest_.data());
    };
    raise_at(statistics.least);
    if (statistics.most > std::max(statistics.least, v)) raise_at(statistics.most);
  }
}

void ThreeKeyCosts::compute(std::int64_t s, std::int64_t x3, std::int64_t first, std::int64_t last,
                            Scratch& scratch, std::span<CostUnits> to) const {
  set_far(s, scratch);
  const std::size_t width = costs_.size();
  bool has_line = false;
  for (std::int64_t v = first; v <= last; ++v) {
    CostUnits* const its = to.data() + static_cast<std::size_t>(v - first) * width;
    const CostUnits* const far = scratch.far_.data() + static_cast<std::size_t>(v) * width;
    std::copy(far, far + width, its);
    if (std::find(its, its + width, kNoKey) == its + width) continue;
    const TiltedMoment* const moment =
        summed_.empty() ? nullptr : &costs_[summed_.front()].moment();
    if (moment == nullptr || !moment->can_be_cell(2 * v - s)) {
      for (std::size_t i = 0; i < width; ++i) {
        if (its[i] != kNoKey) continue;
        its[i] =
            units_of_excess(costs_[i], three_key_moves(costs_[i], v, s - v, x3).largest_joint());
      }
      continue;
    }
    if (!has_line) scratch.line_->start(s, x3, v, last);
    has_line = true;
    const bool third_apart = moment->can_be_cell(v - x3);
    scratch.line_->compute(v, third_apart);
    raise(v, s - v, x3, *scratch.line_, third_apart, scratch);
    for (std::size_t k = 0; k < summed_.size(); ++k) {
      const std::size_t i = summed_[k];
      if (its[i] == kNoKey) its[i] = units_of_excess(costs_[i], scratch.largest_[k]);
    }
  }
}

}  // namespace pate
