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

using Move = TiltedMoment::Move;
using Group = TiltedMoment::Group;

constexpr double kHighestNode = 9.0;
// An integrand of e^-28 of its largest value, shared by all classes, ends a sum.
constexpr double kLogNegligible = 28.0;
// More than the cancellation of the parts of G - 1 leaves of rounding.
constexpr double kTiltedCancellation = 1e-13;
constexpr double kMaxGrowth = 600.0;
constexpr double kMaxQ = 1.0 - 1e-6;
constexpr std::size_t kRowsGoOn = kLanes - 1;  // zeros behind the last
constexpr std::size_t kRowsPerTask = 64;

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

// Where the rows of a tilt from -2 to 2 are.
std::size_t row_set(int tilt) {
  return static_cast<std::size_t>(std::int64_t{tilt} + 2);
}

}  // namespace

TiltedMoment::TiltedMoment(const GaussianNoisyMax& noise, std::int64_t teachers,
                           std::int64_t classes, double order, unsigned threads)
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
  const double lowest =
      kHighestNode + (static_cast<double>(last_gap_) + 2.0 * order) / (2 * sigma_);
  const double below = hopeless_ ? 0.0 : std::ceil(lowest / step_);
  first_node_ = -below * step_;
  nodes_ = static_cast<std::size_t>(below + std::ceil(kHighestNode / step_)) + 1;
  if (hopeless_) return;
  for (std::size_t k = 0; k < nodes_; ++k) {
    const double z = first_node_ + static_cast<double>(k) * step_;
    weights_.push_back(step_ * std::exp(log_normal_density(z)));
  }
  weights_.resize(nodes_ + kRowsGoOn);
  const auto gaps = static_cast<std::size_t>(last_gap_ + 2 * kRoom + 1);
  for (auto& rows : rows_) rows.resize(gaps * nodes_ + kRowsGoOn);
  const std::size_t pieces = (gaps + kRowsPerTask - 1) / kRowsPerTask;
  parallel_for(pieces * rows_.size(), threads, [&](std::size_t task) {
    const int tilt = static_cast<int>(task / pieces) - 2;
    const std::size_t begin = task % pieces * kRowsPerTask;
    for (std::size_t row = begin; row < std::min(begin + kRowsPerTask, gaps); ++row) {
      const std::int64_t gap = static_cast<std::int64_t>(row) - kRoom;
      const double shift = (static_cast<double>(gap) + tilt * (order - 1.0)) / sigma_;
      double* const to = rows_[row_set(tilt)].data() + row * nodes_;
      for (std::size_t k = 0; k < nodes_; ++k) {
        to[k] = log_normal_cdf(first_node_ + static_cast<double>(k) * step_ + shift);
      }
    }
  });
}

WeightedRow TiltedMoment::term(int tilt, std::int64_t gap, std::int64_t shift,
                               std::int64_t classes) const {
  const auto row = static_cast<std::size_t>(std::min(gap, last_gap_) + shift + kRoom);
  return {rows_[row_set(tilt)].data() + row * nodes_, static_cast<double>(classes)};
}

double TiltedMoment::weighted_sum(std::span<const WeightedRow> terms, double least_gap) const {
  // The integrand of the closest class has its mode halfway between; further out than this on
  // either side there is nothing to add, nor is there of classes behind it.
  const double mode = std::max(0.0, least_gap) / (2.0 * sigma_);
  const double reach =
      std::max(std::sqrt(negligible_), std::sqrt(2.0 * (mode * mode + negligible_)) - mode);
  const double above =
      least_gap < 0.0 ? std::sqrt(2.0 * negligible_) : std::sqrt(negligible_) - mode;
  const double from = std::floor((-mode - reach - first_node_) / step_);
  const double to = std::ceil((above - first_node_) / step_);
  const std::size_t first = from > 0.0 ? std::min(static_cast<std::size_t>(from), nodes_) : 0;
  const std::size_t last = std::min(nodes_, static_cast<std::size_t>(std::max(to, 0.0)) + 1);
  // Up to seven more are added up, which are negligible too; behind the last node weights are 0.
  return kernels().sum_one_minus_exp(terms.data(), terms.size(), weights_.data(), first, last);
}

namespace {

// Terms on the stack where there are few of them.
struct TermBuffer {
  explicit TermBuffer(std::size_t capacity) {
    if (capacity > few.size()) many.resize(capacity);
  }
  void add(const WeightedRow& term, double gap) {
    data()[size++] = term;
    least_gap = std::min(least_gap, gap);
  }
  WeightedRow* data() { return many.empty() ? few.data() : many.data(); }
  std::span<const WeightedRow> span() { return {data(), size}; }

  std::array<WeightedRow, 9> few;
  std::vector<WeightedRow> many;
  std::size_t size = 0;
  double least_gap = kInfinity;
};

}  // namespace

TiltedMoment::WinProbability TiltedMoment::q(std::span<const Group> groups) const {
  TermBuffer terms(groups.size());
  for (const Group& group : groups) {
    terms.add(term(0, group.gap, 0, group.classes), static_cast<double>(group.gap));
  }
  const double q = weighted_sum(terms.span(), terms.least_gap);
  return {q, std::log1p(-q)};
}

double TiltedMoment::excess(Move move, const WinProbability& before, std::span<const Group> others,
                            std::int64_t gap_a, std::int64_t gap_b) const {
  const int sign = move == Move::to_top ? 1 : -1;
  const bool aside = move == Move::aside;
  const int common = aside ? 0 : sign;  // by how much the gaps of the others change
  TermBuffer moved(others.size() + 2);
  TermBuffer tilted(others.size() + 2);
  const double tilt = order_ - 1.0;
  const auto add = [&](std::int64_t gap, int change, std::int64_t classes) {
    if (classes == 0) return;
    const auto real = static_cast<double>(gap);
    moved.add(term(0, gap, change, classes), real + change);
    tilted.add(term(-change, gap, 0, classes), real - change * tilt);
  };
  for (const Group& group : others) add(group.gap, common, group.classes);
  add(gap_a, aside ? 1 : 2 * sign, 1);
  if (aside) add(gap_b, -1, 1);
  const double q1 = weighted_sum(moved.span(), moved.least_gap);
  const double rest = growth_ * weighted_sum(tilted.span(), tilted.least_gap);
  // Noise far below one vote: the class i all but never wins on n', and 1 - q1 is lost in rounding.
  if (!(q1 <= kMaxQ)) return kInfinity;
  const double top = std::expm1(order_ * before.log_wins - tilt * std::log1p(-q1));
  const double rounding =
      (1.0 + top) * (order_ * before.q / (1.0 - before.q) + tilt * q1 / (1.0 - q1)) + rest;
  return top + rest + kTiltedCancellation * rounding;
}

double TiltedMoment::excess_far_behind(std::int64_t gap) const {
  const double least = static_cast<double>(gap) - 2.0 * std::max(1.0, order_ - 1.0);
  if (hopeless_ || !(least > 0.0)) return kInfinity;
  const double q = (classes_ - 1.0) * normal_cdf(-least / (std::numbers::sqrt2 * sigma_));
  if (!(q < 0.5)) return kInfinity;
  return std::expm1(-(order_ - 1.0) * std::log1p(-q)) + growth_ * q;
}

TiltedCost::TiltedCost(const GaussianNoisyMax& noise, const std::optional<ThresholdCheck>& check,
                       std::int64_t teachers, std::int64_t classes, double order, unsigned threads)
    : teachers_(teachers),
      classes_(classes),
      order_(order),
      cap_(data_independent_cost(noise, order)),
      moment_(noise, teachers, classes, order, threads) {
  if (!check) return;
  validate(*check);
  cap_ += threshold_data_independent(check->sigma1, order);
  for (std::int64_t v = 0; v <= teachers; ++v) {
    std::array<Line, 3> lines;
    for (const auto& [move, w] :
         {std::pair(Move::to_top, v + 1), {Move::from_top, v - 1}, {Move::aside, v}}) {
      const LogAnswerLine line = move == Move::aside
                                     ? LogAnswerLine{LogAnswerLine::kLeast, log_answered(*check, v)}
                                     : log_answer_line(answer_pair(*check, v, w), order);
      lines[static_cast<std::size_t>(move)] = {std::exp(line.selection), std::exp(line.answered)};
    }
    lines_.push_back(lines);
  }
}

double TiltedCost::joint_excess(std::int64_t v, Move move, double excess) const {
  if (lines_.empty()) return excess;
  const Line& line = lines_[static_cast<std::size_t>(v)][static_cast<std::size_t>(move)];
  return line.selection + line.answered * excess;
}

double TiltedCost::cost_of(double joint_excess, double margin) const {
  // Rounding can leave less than nothing of an excess that is none.
  const double cost =
      with_margin(std::log1p(joint_excess < 0.0 ? 0.0 : joint_excess) / (order_ - 1.0), margin);
  return cost < cap_ ? cost : cap_;
}

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
  std::vector<Group> groups;  // distinct counts of the classes behind
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const std::int64_t gap = v - sorted[i];
    if (groups.empty() || groups.back().gap != gap) groups.push_back({gap, 0});
    ++groups.back().classes;
  }
  const TiltedMoment::WinProbability before = moment_.q(groups);
  double largest = -kInfinity;
  const auto consider = [&](Move move, const std::vector<Group>& others, std::int64_t a,
                            std::int64_t b) {
    largest =
        max_or_nan(largest, joint_excess(v, move, moment_.excess(move, before, others, a, b)));
  };
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::vector<Group> others = groups;
    --others[i].classes;
    const std::int64_t a = groups[i].gap;
    if (a < v) consider(Move::to_top, others, a, 0);
    consider(Move::from_top, others, a, 0);
    if (a == v) continue;  // no vote to give
    for (std::size_t j = 0; j < groups.size(); ++j) {
      if (others[j].classes == 0) continue;
      --others[j].classes;
      consider(Move::aside, others, a, groups[j].gap);
      ++others[j].classes;
    }
  }
  return cost_of(largest);
}

}  // namespace pate
