#include "pate/divergence/bounds/tilted_moment.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "pate/base/require.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/kernels/kernels.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

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

}  // namespace

TiltedMoment::TiltedMoment(const GaussianNoisyMax& noise, std::int64_t teachers,
                           std::int64_t classes, double order, unsigned threads,
                           bool may_have_cells, std::int64_t moved)
    : sigma_(noise.sigma),
      order_(order),
      classes_(static_cast<double>(classes)),
      moved_(moved),
      negligible_(kLogNegligible + std::log(classes_)) {
  validate(noise);
  require(order > 1.0 && std::isfinite(order), "the order must be > 1 and finite, got {}", order);
  require(classes >= 2 && teachers >= 1 && moved >= 1 && moved <= teachers,
          "the tilted bound needs two classes, one teacher, and votes that move");
  const auto votes = static_cast<double>(moved);
  const double log_growth = order * (order - 1.0) * (votes * votes) / sigma_ / sigma_;
  hopeless_ = !(log_growth <= kMaxGrowth);
  growth_ = std::exp(hopeless_ ? kMaxGrowth : log_growth);
  // Gaps beyond `far` are told apart by nobody: a class is taken to be that close, which can only
  // add to G. It adds less than e^-80 of anything.
  const double far =
      2.0 * sigma_ * std::sqrt(80.0 + log_growth + std::log(classes_)) + 2.0 * order * votes;
  const std::int64_t last_gap =
      far < static_cast<double>(teachers) ? static_cast<std::int64_t>(far) : teachers;
  if (hopeless_) return;
  if (may_have_cells && sigma_ >= kLeastCellNoise) {
    const std::int64_t far_cell = static_cast<std::int64_t>(kFarCell * sigma_) - 2 * moved;
    last_cell_gap_ = std::clamp<std::int64_t>(far_cell, -1, last_gap);
  }
  rows_ = TiltedRows(sigma_, order, teachers, classes, {last_gap, last_cell_gap_}, threads, moved);
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
      const std::int64_t shift = at == At::moved ? group.change * moment.moved_ : 0;
      data()[size_++] = {moment.rows_.log_below(tilt, group.gap, shift),
                         static_cast<double>(group.classes)};
      return static_cast<double>(group.gap + shift) +
             static_cast<double>(tilt * moment.moved_) * (moment.order_ - 1.0);
    };
    for (const Group& cell : behind.cells) {
      const double gap = add(cell);
      least_gap_ = std::min(least_gap_, gap);
      least_cell_gap_ = std::min(least_cell_gap_, gap);
      farthest_cell_ = std::max(farthest_cell_, gap);
      densities_[cells_++] =
          moment.rows_.density(at == At::tilted ? -cell.change : 0, cell.gap,
                               at == At::moved ? cell.change * moment.moved_ : 0);
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
  const double first = std::floor((from - rows_.first_node()) / rows_.step());
  const double last = std::ceil((to - rows_.first_node()) / rows_.step());
  // Up to seven more are added up, which are negligible too; behind the last node weights are 0.
  return {first > 0.0 ? std::min(static_cast<std::size_t>(first), rows_.nodes()) : 0,
          std::min(rows_.nodes(), static_cast<std::size_t>(std::max(last, 0.0)) + 1)};
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
    result.q = kernels().sum_one_minus_exp(terms.data(), terms.size(), rows_.weights(), nodes.first,
                                           nodes.last);
  } else {
    const Nodes nodes = nodes_for(terms);
    std::array<double, 1 + kMostCells> sums{};
    kernels().win_sums(terms.data(), terms.size(), cells, rows_.weights(), nodes.first, nodes.last,
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
  return kernels().sum_behind_cells(terms.data(), terms.size(), cells, rows_.weights(), nodes.first,
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
  const double least =
      static_cast<double>(gap) - 2.0 * static_cast<double>(moved_) * std::max(1.0, order_ - 1.0);
  if (hopeless_ || !(least > 0.0)) return kInfinity;
  const double q = (classes_ - 1.0) * normal_cdf(-least / (std::numbers::sqrt2 * sigma_));
  if (!(q < 0.5)) return kInfinity;
  return std::expm1(-(order_ - 1.0) * std::log1p(-q)) + growth_ * q;
}

}  // namespace pate
