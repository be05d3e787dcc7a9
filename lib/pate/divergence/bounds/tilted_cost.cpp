#include "pate/divergence/bounds/tilted_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/numerics/kernels/kernels.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

using Group = TiltedMoment::Group;

constexpr double kHighestNode = 9.0;
// An integrand of e^-28 of its largest value, shared by all classes, ends a sum.
constexpr double kLogNegligible = 28.0;
// More than the cancellation of the parts of G - 1 leaves of rounding.
constexpr double kTiltedCancellation = 1e-13;
constexpr double kMaxGrowth = 600.0;
constexpr double kMaxQ = 1.0 - 1e-6;
// Cells are at most so much noise behind, also on n'.
constexpr double kFarCell = 14.0;
// With less noise who is ahead by two votes is beyond the last node.
constexpr double kLeastCellNoise = 0.5;
constexpr std::size_t kRowsGoOn = kLanes - 1;  // zeros behind the last
constexpr std::size_t kRowsPerTask = 64;
// With more teachers gaps share rows, if they are then at most a quarter as many.
constexpr std::int64_t kMostTeachersOfOwnRows = 400;
constexpr std::int64_t kLeastGapsInRow = 4;
// Nodes are at least so many fractions of a vote apart: their distance is within an eighth of what
// the rule allows.
constexpr double kLeastFractions = 8.0;

// Between the nodes of the trapezoidal rule. Its error falls as e^(-c / step^2), where c is the
// smaller the more classes may win at once; with these it is a few 1e-14 at most.
double step_for(std::int64_t classes) {
  if (classes <= 5) return 0.36;
  if (classes <= 10) return 0.3;
  if (classes <= 20) return 0.25;
  if (classes <= 150) return 0.15;
  if (classes <= 1000) return 0.12;
  return classes <= 100'000 ? 0.085 : 0.06;
}

// Of b > 0.
std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

// Where the rows of a tilt from -2 to 2 are.
std::size_t row_set(int tilt) {
  return static_cast<std::size_t>(std::int64_t{tilt} + 2);
}

}  // namespace

TiltedMoment::TiltedMoment(const GaussianNoisyMax& noise, std::int64_t teachers,
                           std::int64_t classes, double order, unsigned threads,
                           bool may_have_cells)
    : sigma_(noise.sigma), order_(order), classes_(static_cast<double>(classes)) {
  validate(noise);
  if (!(order > 1.0) || !std::isfinite(order)) {
    throw parameter_error(fmt::format("the order must be > 1 and finite, got {}", order));
  }
  if (classes < 2 || teachers < 1) {
    throw parameter_error("the tilted bound needs two classes and one teacher");
  }
  const double log_growth = order * (order - 1.0) / sigma_ / sigma_;
  hopeless_ = !(log_growth <= kMaxGrowth);
  growth_ = std::exp(hopeless_ ? kMaxGrowth : log_growth);
  // Gaps beyond `far` are told apart by nobody: a class is taken to be that close, which can only
  // add to G. It adds less than e^-80 of anything.
  const double far = 2.0 * sigma_ * std::sqrt(80.0 + log_growth + std::log(classes_)) + 2.0 * order;
  last_gap_ = far < static_cast<double>(teachers) ? static_cast<std::int64_t>(far) : teachers;
  step_ = step_for(classes);
  negligible_ = kLogNegligible + std::log(classes_);
  const bool has_cells = may_have_cells && !hopeless_ && sigma_ >= kLeastCellNoise;
  const auto cell_gaps = static_cast<std::int64_t>(kFarCell * sigma_) - 2;
  last_cell_gap_ = has_cells ? std::min(last_gap_, cell_gaps) : -1;
  if (hopeless_) {
    first_node_ = 0.0;
    nodes_ = 1;
    return;
  }
  // A node is `votes` / `parts` votes, where rows are shared: that of a gap is that of the
  // remainder of gap * parts by votes, from another node on.
  const double in_votes = step_ * sigma_;
  const double parts = std::max(std::ceil(kLeastFractions / in_votes), 1.0);
  const double votes = std::floor(in_votes * parts * (1.0 + 1e-12));
  const bool is_shared =
      teachers > kMostTeachersOfOwnRows &&
      votes * static_cast<double>(kLeastGapsInRow) <= static_cast<double>(last_gap_) * parts;
  const double unit = 1.0 / (parts * sigma_);
  if (is_shared) step_ = votes * unit;
  const double lowest =
      kHighestNode + (static_cast<double>(last_gap_) + 2.0 * order) / (2 * sigma_);
  const double highest = kHighestNode + (has_cells ? 2.0 * (order + 1.0) / sigma_ : 0.0);
  const double below = std::ceil(lowest / step_);
  first_node_ = -below * step_;
  nodes_ = static_cast<std::size_t>(below + std::ceil(highest / step_)) + 1;
  for (std::size_t k = 0; k < nodes_; ++k) {
    const double z = first_node_ + static_cast<double>(k) * step_;
    weights_.push_back(step_ * std::exp(log_normal_density(z)));
  }
  weights_.resize(nodes_ + kRowsGoOn);
  const std::int64_t gaps = last_gap_ + 2 * kRoom + 1;
  const std::int64_t of_cells = last_cell_gap_ < 0 ? 0 : last_cell_gap_ + 2 * kRoom + 1;
  const auto whole = is_shared ? static_cast<std::int64_t>(votes) : 1;
  const auto fractions = is_shared ? static_cast<std::int64_t>(parts) : 1;
  // Of the first gap, -kRoom, in nodes rounded down.
  const std::int64_t lowest_node = floor_divide(-kRoom * fractions, whole);
  const std::int64_t shared_length =
      static_cast<std::int64_t>(nodes_ + kRowsGoOn) - lowest_node + gaps * fractions / whole + 1;
  for (std::int64_t gap = -kRoom; gap < gaps - kRoom; ++gap) {
    const std::int64_t node = floor_divide(gap * fractions, whole);
    const std::int64_t place =
        is_shared ? (gap * fractions - node * whole) * shared_length + node - lowest_node
                  : (gap + kRoom) * static_cast<std::int64_t>(nodes_);
    places_.push_back(static_cast<std::size_t>(place));
  }
  const auto own_size = static_cast<std::size_t>(gaps) * nodes_ + kRowsGoOn;
  for (auto& rows : rows_) {
    rows.resize(is_shared ? static_cast<std::size_t>(whole * shared_length) : own_size);
  }
  for (auto& rows : densities_) {
    rows.resize(static_cast<std::size_t>(of_cells) * (nodes_ + kRowsGoOn));
  }
  const auto own_tasks = static_cast<std::size_t>(is_shared ? of_cells : gaps);
  const std::size_t pieces = (own_tasks + kRowsPerTask - 1) / kRowsPerTask;
  if (is_shared) {
    parallel_for(static_cast<std::size_t>(whole) * rows_.size(), threads, [&](std::size_t task) {
      const int tilt = static_cast<int>(task % rows_.size()) - 2;
      const auto remainder = static_cast<std::int64_t>(task / rows_.size());
      double* const to = rows_[row_set(tilt)].data() + remainder * shared_length;
      for (std::int64_t j = 0; j < shared_length; ++j) {
        const double at = static_cast<double>((j + lowest_node) * whole + remainder) * unit;
        to[j] = log_normal_cdf(first_node_ + at + tilt * (order - 1.0) / sigma_);
      }
    });
  }
  parallel_for(pieces * rows_.size(), threads, [&](std::size_t task) {
    const int tilt = static_cast<int>(task / pieces) - 2;
    const std::size_t begin = task % pieces * kRowsPerTask;
    for (std::size_t row = begin; row < std::min(begin + kRowsPerTask, own_tasks); ++row) {
      const std::int64_t gap = static_cast<std::int64_t>(row) - kRoom;
      const double shift = (static_cast<double>(gap) + tilt * (order - 1.0)) / sigma_;
      double* const to = rows_[row_set(tilt)].data() + places_[row];
      for (std::size_t k = 0; k < nodes_ && !is_shared; ++k) {
        to[k] = log_normal_cdf(first_node_ + static_cast<double>(k) * step_ + shift);
      }
      if (static_cast<std::int64_t>(row) >= of_cells) continue;
      double* const densities = densities_[row_set(tilt)].data() + row * (nodes_ + kRowsGoOn);
      for (std::size_t k = 0; k < nodes_; ++k) {
        const double z = first_node_ + static_cast<double>(k) * step_;
        densities[k] = step_ * std::exp(log_normal_cdf(z) + log_normal_density(z + shift) - to[k]);
      }
    }
  });
}

std::size_t TiltedMoment::gap_row(std::int64_t gap, std::int64_t shift) const {
  return static_cast<std::size_t>(std::min(gap, last_gap_) + shift + kRoom);
}

WeightedRow TiltedMoment::term(int tilt, std::int64_t gap, std::int64_t shift,
                               std::int64_t classes) const {
  return {rows_[row_set(tilt)].data() + places_[gap_row(gap, shift)], static_cast<double>(classes)};
}

const double* TiltedMoment::density(int tilt, std::int64_t gap, std::int64_t shift) const {
  return densities_[row_set(tilt)].data() + gap_row(gap, shift) * (nodes_ + kRowsGoOn);
}

// All classes behind, cells first, at counts that may be moved or tilted; on the stack where there
// are few of them.
class TiltedMoment::Terms {
 public:
  // `tilted`: at order n + (1-order) n'; `moved`: at n'.
  enum class At { before, moved, tilted };
  Terms(const TiltedMoment& moment, const Behind& behind, At at) {
    const std::size_t capacity = behind.cells.size() + behind.others.size();
    if (capacity > few_.size()) many_.resize(capacity);
    const auto add = [&](const Group& group) {
      const int tilt = at == At::tilted ? -group.change : 0;
      const int shift = at == At::moved ? group.change : 0;
      data()[size_++] = moment.term(tilt, group.gap, shift, group.classes);
      return static_cast<double>(group.gap) + shift + tilt * (moment.order_ - 1.0);
    };
    for (const Group& cell : behind.cells) {
      const double gap = add(cell);
      least_gap_ = std::min(least_gap_, gap);
      least_cell_gap_ = std::min(least_cell_gap_, gap);
      farthest_cell_ = std::max(farthest_cell_, gap);
      densities_[cells_++] = moment.density(at == At::tilted ? -cell.change : 0, cell.gap,
                                            at == At::moved ? cell.change : 0);
    }
    for (const Group& group : behind.others) {
      if (group.classes == 0) continue;
      const double gap = add(group);
      least_gap_ = std::min(least_gap_, gap);
      least_other_gap_ = std::min(least_other_gap_, gap);
    }
  }

  [[nodiscard]] const WeightedRow* data() const {
    return many_.empty() ? few_.data() : many_.data();
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] CellRows cells() const { return {densities_.data(), cells_}; }
  [[nodiscard]] bool has_others() const { return size_ > cells_; }
  // How far the closest of all, or of the others, and cells are behind.
  [[nodiscard]] double least_gap() const { return least_gap_; }
  [[nodiscard]] double least_other_gap() const { return least_other_gap_; }
  [[nodiscard]] double least_cell_gap() const { return least_cell_gap_; }
  [[nodiscard]] double farthest_cell() const { return farthest_cell_; }

 private:
  WeightedRow* data() { return many_.empty() ? few_.data() : many_.data(); }

  std::array<WeightedRow, 9> few_{};
  std::vector<WeightedRow> many_;
  std::array<const double*, kMostCells> densities_{};
  std::size_t size_ = 0;
  std::size_t cells_ = 0;
  double least_gap_ = kInfinity;
  double least_other_gap_ = kInfinity;
  double least_cell_gap_ = kInfinity;
  double farthest_cell_ = -kInfinity;
};

TiltedMoment::Nodes TiltedMoment::nodes_between(double from, double to) const {
  const double first = std::floor((from - first_node_) / step_);
  const double last = std::ceil((to - first_node_) / step_);
  // Up to seven more are added up, which are negligible too; behind the last node weights are 0.
  return {first > 0.0 ? std::min(static_cast<std::size_t>(first), nodes_) : 0,
          std::min(nodes_, static_cast<std::size_t>(std::max(last, 0.0)) + 1)};
}

// Where classes that are at least so far behind, or ahead, win.
TiltedMoment::Nodes TiltedMoment::nodes_for(double least_gap) const {
  // The integrand of the closest class has its mode halfway between; further out than this on
  // either side there is nothing to add, nor is there of classes behind it.
  const double mode = std::max(0.0, least_gap) / (2.0 * sigma_);
  const double reach =
      std::max(std::sqrt(negligible_), std::sqrt(2.0 * (mode * mode + negligible_)) - mode);
  const double above =
      least_gap < 0.0 ? std::sqrt(2.0 * negligible_) : std::sqrt(negligible_) - mode;
  return nodes_between(-mode - reach, above);
}

// The same with cells, whose own densities are about their own counts.
TiltedMoment::Nodes TiltedMoment::nodes_for(const Terms& terms) const {
  const double close = std::max(0.0, terms.least_gap()) / (2.0 * sigma_);
  const double far = std::max(0.0, terms.farthest_cell()) / (2.0 * sigma_);
  const double ahead = std::max(0.0, -terms.least_cell_gap()) / sigma_;
  // Where two others are level at the top a class that is 2 x behind wins with e^(-4/3 x^2), not
  // with e^(-x^2): sums go on by as much more.
  const double negligible = negligible_ + far * far / 3.0;
  const double below =
      std::max(std::sqrt(2.0 * (close * close + negligible_)), far + std::sqrt(negligible));
  const double cell_mode = std::max(0.0, terms.least_cell_gap()) / (2.0 * sigma_);
  const double above =
      std::max(std::sqrt(negligible) - cell_mode,
               std::sqrt(2.0 * (cell_mode * cell_mode + negligible)) - 2.0 * cell_mode);
  return nodes_between(-below, above + ahead);
}

// Where a class that is no cell is above the largest cell. The density of that cell is no more than
// the sum of those of all cells, each times the probability that the others are below.
TiltedMoment::Nodes TiltedMoment::nodes_behind_cells(const Terms& terms) const {
  const double mode = std::max(0.0, terms.least_other_gap()) / (2.0 * sigma_);
  const double ahead = std::max(0.0, -terms.least_cell_gap()) / sigma_;
  const double negligible = negligible_ + mode * mode / 3.0;
  const double below = std::sqrt(2.0 * (mode * mode + negligible));
  const double above =
      terms.least_other_gap() < 0.0 ? std::sqrt(2.0 * negligible) : std::sqrt(negligible) - mode;
  return nodes_between(-below, above + ahead);
}

TiltedMoment::Wins TiltedMoment::wins(const Terms& terms) const {
  Wins result;
  const CellRows cells = terms.cells();
  if (cells.size == 0) {
    const Nodes nodes = nodes_for(terms.least_gap());
    result.q = kernels().sum_one_minus_exp(terms.data(), terms.size(), weights_.data(), nodes.first,
                                           nodes.last);
  } else {
    const Nodes nodes = nodes_for(terms);
    std::array<double, 1 + kMostCells> sums{};
    kernels().win_sums(terms.data(), terms.size(), cells, weights_.data(), nodes.first, nodes.last,
                       sums.data());
    result.q = sums[0];
    for (std::size_t i = 0; i < cells.size; ++i) result.cells[i] = sums[i + 1];
  }
  result.log_top = std::log1p(-result.q);
  return result;
}

double TiltedMoment::no_cell_wins(const Terms& terms) const {
  if (!terms.has_others()) return 0.0;
  const CellRows cells = terms.cells();
  if (cells.size == 0) return wins(terms).q;
  const Nodes nodes = nodes_behind_cells(terms);
  return kernels().sum_behind_cells(terms.data(), terms.size(), cells, weights_.data(), nodes.first,
                                    nodes.last);
}

TiltedMoment::Wins TiltedMoment::wins(const Behind& behind) const {
  return wins(Terms(*this, behind, Terms::At::before));
}

TiltedMoment::Wins TiltedMoment::wins_after(const Behind& behind) const {
  return wins(Terms(*this, behind, Terms::At::moved));
}

double TiltedMoment::excess(const Wins& before, const Wins& after, const Behind& behind) const {
  const double tilt = order_ - 1.0;
  // Noise far below one vote: the top class all but never wins on n', and 1 - q is lost in
  // rounding.
  if (!(after.q <= kMaxQ)) return kInfinity;
  const double rest = growth_ * no_cell_wins(Terms(*this, behind, Terms::At::tilted));
  double cells = 0.0;
  for (std::size_t i = 0; i < behind.cells.size(); ++i) {
    if (!(after.cells[i] > 0.0)) return kInfinity;
    if (!(before.cells[i] > 0.0)) continue;
    cells += std::exp(order_ * std::log(before.cells[i]) - tilt * std::log(after.cells[i]));
  }
  const double top = std::expm1(order_ * before.log_top - tilt * after.log_top);
  const double rounding =
      (1.0 + top) * (order_ * before.q / (1.0 - before.q) + tilt * after.q / (1.0 - after.q)) +
      (order_ + tilt) * cells + rest;
  return top + cells + rest + kTiltedCancellation * rounding;
}

double TiltedMoment::excess_far_behind(std::int64_t gap) const {
  const double least = static_cast<double>(gap) - 2.0 * std::max(1.0, order_ - 1.0);
  if (hopeless_ || !(least > 0.0)) return kInfinity;
  const double q = (classes_ - 1.0) * normal_cdf(-least / (std::numbers::sqrt2 * sigma_));
  if (!(q < 0.5)) return kInfinity;
  return std::expm1(-(order_ - 1.0) * std::log1p(-q)) + growth_ * q;
}

TiltedCost::TiltedCost(const GaussianNoisyMax& noise, const std::optional<ThresholdCheck>& check,
                       std::int64_t teachers, std::int64_t classes, double order, unsigned threads,
                       std::size_t cells)
    : teachers_(teachers),
      classes_(classes),
      order_(order),
      cells_(std::min(cells, TiltedMoment::kMostCells)),
      cap_(data_independent_cost(noise, order)),
      moment_(noise, teachers, classes, order, threads, cells > 0) {
  if (!check) return;
  validate(*check);
  cap_ += threshold_data_independent(check->sigma1, order);
  for (std::int64_t v = 0; v <= teachers; ++v) {
    std::array<Line, 3> lines;
    for (const int rise : {-1, 0, 1}) {
      const LogAnswerLine line = rise == 0
                                     ? LogAnswerLine{LogAnswerLine::kLeast, log_answered(*check, v)}
                                     : log_answer_line(answer_pair(*check, v, v + rise), order);
      lines[static_cast<std::size_t>(std::int64_t{rise} + 1)] = {std::exp(line.selection),
                                                                 std::exp(line.answered)};
    }
    lines_.push_back(lines);
  }
}

TiltedCost::Line TiltedCost::line(std::int64_t v, int rise) const {
  if (lines_.empty()) return {};
  return lines_[static_cast<std::size_t>(v)][static_cast<std::size_t>(std::int64_t{rise} + 1)];
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
  if (total != teachers_ || static_cast<std::int64_t>(counts.size()) != classes_) {
    throw parameter_error(fmt::format("expected {} votes for {} classes, got {} for {}", teachers_,
                                      classes_, total, counts.size()));
  }
  if (moment_.is_hopeless()) return cap_;
  std::vector<std::int32_t> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const std::int64_t v = sorted[0];
  const std::int64_t second = sorted[1];
  CountsBehind behind(sorted, cells_, moment_);
  double largest = -kInfinity;
  constexpr std::size_t kNone = CountsBehind::kNone;
  const TiltedMoment::Wins before = moment_.wins(behind.moved(kNone, 0, kNone, 0, 0));
  const auto consider = [&](int rise, std::size_t a, int by_a, std::size_t b, int by_b, int rest) {
    const double excess = moment_.excess(before, behind.moved(a, by_a, b, by_b, rest));
    largest = max_or_nan(largest, joint_excess(v, rise, excess));
  };
  // Without cells nothing is used of what the others have.
  const auto rise_to = [&](std::int64_t least, std::int64_t raised) {
    return static_cast<int>((cells_ > 0 ? std::max({least, second, raised}) : least) - v);
  };
  for (std::size_t i = 0; i < behind.size(); ++i) {
    const std::int64_t from = behind.count(i);
    if (from > 0) consider(1, i, 2, kNone, 0, 1);
    consider(rise_to(v - 1, from + 1), i, -2, kNone, 0, -1);
    if (from == 0) continue;  // no vote to give
    for (std::size_t j = 0; j < behind.size(); ++j) {
      if (j == i && behind.classes(i) < 2) continue;
      consider(rise_to(v, behind.count(j) + 1), i, 1, j, -1, 0);
    }
  }
  return cost_of(largest);
}

}  // namespace pate
