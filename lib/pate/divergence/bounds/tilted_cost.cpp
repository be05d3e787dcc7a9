#include "pate/divergence/bounds/tilted_cost.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "pate/base/require.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

TiltedCost::TiltedCost(const GaussianNoisyMax& noise, const std::optional<ThresholdCheck>& check,
                       std::int64_t teachers, std::int64_t classes, double order, unsigned threads,
                       std::size_t cells, std::int64_t moved)
    : teachers_(teachers),
      classes_(classes),
      order_(order),
      cells_(std::min(cells, TiltedMoment::kMostCells)),
      moved_(moved),
      cap_(data_independent_cost({{noise}, {Adjacency::replace, moved}}, order)),
      moment_(noise, teachers, classes, order, threads, cells > 0, moved) {
  if (!check) return;
  validate(*check);
  cap_ += threshold_data_independent(check->sigma1 / static_cast<double>(moved), order);
  for (std::int64_t v = 0; v <= teachers; ++v) {
    for (std::int64_t rise = -moved; rise <= moved; ++rise) {
      const LogAnswerLine line = rise == 0
                                     ? LogAnswerLine{LogAnswerLine::kLeast, log_answered(*check, v)}
                                     : log_answer_line(answer_pair(*check, v, v + rise), order);
      lines_.push_back({std::exp(line.selection), std::exp(line.answered)});
    }
  }
}

TiltedCost::Line TiltedCost::line(std::int64_t v, int rise) const {
  if (lines_.empty()) return {};
  return lines_[static_cast<std::size_t>(v * (2 * moved_ + 1) + rise + moved_)];
}

double TiltedCost::joint_excess(std::int64_t v, int rise, double excess) const {
  if (lines_.empty()) return excess;
  const Line its = line(v, rise);
  return its.selection + its.answered * excess;
}

double TiltedCost::cost_of(double joint_excess, double margin) const {
  // Rounding can leave less than nothing of an excess that is none.
  const double cost =
      with_margin(std::log1p(joint_excess < 0.0 ? 0.0 : joint_excess) / (order_ - 1.0), margin);
  return cost < cap_ ? cost : cap_;
}

namespace {

using Group = TiltedMoment::Group;

// The classes behind the top one of a histogram, by their counts: how many are cells, how many not.
class CountsBehind {
 public:
  // `counts` in decreasing order; the first `cells` behind the top one may be cells.
  CountsBehind(std::span<const std::int32_t> counts, std::size_t cells, const TiltedMoment& moment)
      : v_(counts[0]) {
    for (std::size_t i = 1; i < counts.size(); ++i) {
      if (counts_.empty() || counts_.back().count != counts[i])
        counts_.push_back({counts[i], 0, 0});
      const bool is_cell = i <= cells && moment.can_be_cell(v_ - counts[i]);
      ++(is_cell ? counts_.back().cells : counts_.back().others);
    }
  }
  [[nodiscard]] std::size_t size() const { return counts_.size(); }
  [[nodiscard]] std::int64_t count(std::size_t i) const { return counts_[i].count; }
  [[nodiscard]] std::int64_t classes(std::size_t i) const {
    return counts_[i].cells + counts_[i].others;
  }

  // The gap of one class of `a` changes by `by_a`, of another of `b` by `by_b`, of all others by
  // `rest`; of classes with the same count a cell takes part. Cells are listed by their counts,
  // whatever the move.
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  TiltedMoment::Behind moved(std::size_t a, int by_a, std::size_t b, int by_b, int rest) {
    cells_.clear();
    others_.clear();
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::int64_t gap = v_ - counts_[i].count;
      std::int64_t cells = counts_[i].cells;
      std::int64_t others = counts_[i].others;
      const auto take = [&](int by) {
        if (cells > 0) {
          --cells;
          cells_.push_back({gap, 1, by});
        } else {
          --others;
          others_.push_back({gap, 1, by});
        }
      };
      if (i == a) take(by_a);
      if (i == b) take(by_b);
      for (; cells > 0; --cells) cells_.push_back({gap, 1, rest});
      if (others > 0) others_.push_back({gap, others, rest});
    }
    return {cells_, others_};
  }

 private:
  struct Count {
    std::int64_t count;
    std::int64_t cells;
    std::int64_t others;
  };
  std::int64_t v_;
  std::vector<Count> counts_;
  std::vector<Group> cells_;
  std::vector<Group> others_;
};

}  // namespace

double TiltedCost::cost(std::span<const std::int32_t> counts) const {
  const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  require(total == teachers_ && static_cast<std::int64_t>(counts.size()) == classes_,
          "expected {} votes for {} classes, got {} for {}", teachers_, classes_, total,
          counts.size());
  if (moment_.is_hopeless()) return cap_;
  std::vector<std::int32_t> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const std::int64_t v = sorted[0];
  const std::int64_t second = sorted[1];
  CountsBehind behind(sorted, cells_, moment_);
  double largest = -kInfinity;
  constexpr std::size_t kNone = CountsBehind::kNone;
  const TiltedMoment::Wins before = moment_.wins(behind.moved(kNone, 0, kNone, 0, 0));
  const auto consider = [&](Rise rise, std::size_t a, int by_a, std::size_t b, int by_b, int rest) {
    const double excess = moment_.excess(before, behind.moved(a, by_a, b, by_b, rest));
    largest = max_or_nan(largest, joint_excess(v, rise.least, excess));
    if (rise.most > 0) largest = max_or_nan(largest, joint_excess(v, rise.most, excess));
  };
  // Without cells nothing is used of what the others have.
  const auto rise_to = [&](std::int64_t by_top, std::int64_t raised) {
    if (moved_ > 1) return rise(by_top, raised - v);
    const auto one =
        static_cast<int>(cells_ > 0 ? std::max({v + by_top, second, raised}) - v : by_top);
    return Rise{one, one};
  };
  const auto all = static_cast<int>(moved_);
  for (std::size_t i = 0; i < behind.size(); ++i) {
    const std::int64_t from = behind.count(i);
    if (from > 0) consider({all, all}, i, 2, kNone, 0, 1);
    consider(rise_to(-moved_, from + moved_), i, -2, kNone, 0, -1);
    if (from == 0) continue;  // no vote to give
    for (std::size_t j = 0; j < behind.size(); ++j) {
      if (j == i && behind.classes(i) < 2) continue;
      consider(rise_to(0, behind.count(j) + moved_), i, 1, j, -1, 0);
    }
  }
  return cost_of(largest);
}

}  // namespace pate
