#include "pate/release/sensitivity/sensitivity_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/numerics/kernels/kernels.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

namespace {

constexpr std::size_t kRowsPerTask = 32;
// Above this many values of v a row holds several.
constexpr std::int64_t kMaxRows = 1500;
// What single precision can round away, and below what it keeps no digits.
constexpr double kSingle = 1.0 + 2e-7;
constexpr double kMinSingle = 1e-37;
// Moments beyond these logarithms need the range of extended numbers, or are beyond that too.
constexpr double kLogDouble = 650.0;
constexpr double kLogExtended = 11000.0;

[[noreturn]] void throw_beyond_numbers() {
  throw validity_error(
      "the order is too large for so little noise: the moments of one query are beyond every "
      "floating point number; choose a smaller order");
}

// The lines at statistic v, forward; without a selection the moment is that of the noisy maximum.
template <class Real>
using Lines = AnswerLines<AffineExcess<Real>>;

template <class Real>
Lines<Real> lines_at(const std::optional<AnswerTable>& ladder, std::int64_t v, double order) {
  Lines<Real> lines;
  if (!ladder) {
    lines.add({});
    return lines;
  }
  lines.add(LogAnswerLine{LogAnswerLine::kLeast, ladder->log_answered(v)}.in<Real>());
  const auto add = [&](const LogBernoulliPair& pair) {
    lines.add(log_answer_line(pair, order).in<Real>());
  };
  if (v < ladder->last()) add(ladder->step(v));
  if (v > ladder->first()) add(reversed(ladder->step(v - 1)));
  return lines;
}

// Something at both ends of the cells' steps: before a step of the excess, and after it.
template <class Real>
struct AtEnds {
  std::vector<Real> before_low, before_high, after_low, after_high;

  explicit AtEnds(std::size_t cells = 0)
      : before_low(cells), before_high(cells), after_low(cells), after_high(cells) {}
  template <class Function>
  void for_each(const Function& f) {
    for (auto* values : {&before_low, &before_high, &after_low, &after_high}) f(*values);
  }
};

template <class Real>
AtEnds<Real> excesses_of(const std::vector<ExcessStep>& steps) {
  AtEnds<Real> excess(steps.size());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const auto rise = static_cast<Real>(steps[k].rise);
    excess.before_low[k] = static_cast<Real>(steps[k].low);
    excess.before_high[k] = static_cast<Real>(steps[k].high);
    excess.after_low[k] = excess.before_low[k] + rise;
    excess.after_high[k] = excess.before_high[k] + rise;
  }
  return excess;
}

// The costs of one row.
struct Row {
  AtEnds<double> upwards, downwards;
};

// Excesses of the check and the noisy maximum together of those of the noisy maximum. Before a step
// the line is one for both ends, the largest at the lower one; after it the largest at each.
template <class Real>
void joint_excesses(const AtEnds<Real>& excess, const std::array<AffineExcess<Real>, 3>& lines,
                    AtEnds<Real>& joint) {
  const AffineExcess<Real>& a = lines[0];
  const AffineExcess<Real>& b = lines[1];
  const AffineExcess<Real>& c = lines[2];
  using std::isnan;
  const std::size_t cells = excess.before_low.size();
  const auto largest = [&](const Real* from, Real* to) {
    for (std::size_t k = 0; k < cells; ++k) {
      const Real x = from[k];
      const Real at_b = b.at(x);
      const Real at_c = c.at(x);
      // What is not a number stays, wherever it comes from.
      Real most = a.at(x);
      most = at_b <= most || isnan(most) ? most : at_b;
      to[k] = at_c <= most || isnan(most) ? most : at_c;
    }
  };
  largest(excess.before_low.data(), joint.before_low.data());
  largest(excess.after_low.data(), joint.after_low.data());
  largest(excess.after_high.data(), joint.after_high.data());
  const Real* low = excess.before_low.data();
  const Real* high = excess.before_high.data();
  const Real* largest_low = joint.before_low.data();
  Real* to = joint.before_high.data();
  for (std::size_t k = 0; k < cells; ++k) {
    const bool is_b = b.at(low[k]) > a.at(low[k]);
    const Real of_b = is_b ? b.at(high[k]) : a.at(high[k]);
    to[k] = largest_low[k] == (is_b ? b.at(low[k]) : a.at(low[k])) ? of_b : c.at(high[k]);
  }
}

// x becomes scale * x; false where one is not finite.
bool scale_finite(double* x, double scale, std::size_t size) {
  std::int64_t beyond = 0;
  for (std::size_t k = 0; k < size; ++k) {
    x[k] = scale * x[k];
    beyond |= x[k] <= std::numeric_limits<double>::max() ? 0 : 1;
  }
  return beyond == 0;
}

template <class Real>
void fill_costs(const AtEnds<Real>& excess, const Lines<Real>& lines, double order,
                AtEnds<double>& costs) {
  std::array<AffineExcess<Real>, 3> three;
  three.fill({0, 0});
  for (std::size_t i = 0; i < lines.size(); ++i) three[i] = lines.line(i);
  const std::size_t cells = excess.before_low.size();
  if (costs.before_low.size() != cells) costs = AtEnds<double>(cells);
  if constexpr (std::is_same_v<Real, double>) {
    joint_excesses(excess, three, costs);
    costs.for_each([&](std::vector<double>& x) { kernels().log1p_positive(x.data(), cells); });
  } else {
    AtEnds<Real> joint(cells);
    joint_excesses(excess, three, joint);
    using std::log1p;
    const auto logarithms = [&](const std::vector<Real>& from, std::vector<double>& to) {
      for (std::size_t k = 0; k < cells; ++k) to[k] = static_cast<double>(log1p(from[k]));
    };
    logarithms(joint.before_low, costs.before_low);
    logarithms(joint.before_high, costs.before_high);
    logarithms(joint.after_low, costs.after_low);
    logarithms(joint.after_high, costs.after_high);
  }
  costs.for_each([&](std::vector<double>& x) {
    // The maxima over entries pass over NaN.
    if (!scale_finite(x.data(), 1.0 / (order - 1.0), cells)) throw_beyond_numbers();
  });
}

float upper_single(double value) {
  return static_cast<float>(value * kSingle + kMinSingle);
}

double change(double after, double before) {
  return max_or_nan(after * (1.0 + kCostDifferenceMargin) - before, 0.0);
}

}  // namespace

void require_moments(double log_moment) {
  if (!(log_moment < kLogExtended)) throw_beyond_numbers();
}

SensitivityTable::SensitivityTable(const QGrid& grid, const std::optional<AnswerTable>& ladder,
                                   double order, double log_cap, std::int64_t first,
                                   std::int64_t last, unsigned threads)
    : height_(ladder ? ladder->last() / kMaxRows + 1 : 1),
      first_(first / height_),
      last_(last / height_),
      cells_(grid.size()) {
  const auto rows = static_cast<std::size_t>(last_ - first_ + 1);
  values_ = {rows, cells_};
  row_largest_.assign(rows, 0.0F);
  double log_moment = log_cap;
  if (ladder) {
    const double sigma1 = ladder->check().sigma1;
    log_moment += 0.5 * order * (order - 1.0) / (sigma1 * sigma1);
  }
  require_moments(log_moment);
  if (log_moment < kLogDouble) {
    fill<double>(grid, ladder, order, threads);
  } else {
    fill<Extended>(grid, ladder, order, threads);
  }
  for (const float value : row_largest_) largest_ = std::max(largest_, value);
}

template <class Real>
void SensitivityTable::fill(const QGrid& grid, const std::optional<AnswerTable>& ladder,
                            double order, unsigned threads) {
  const AtEnds<Real> upwards = excesses_of<Real>(grid.upwards());
  const AtEnds<Real> downwards = excesses_of<Real>(grid.downwards());
  const std::size_t rows = row_largest_.size();
  const std::int64_t lowest = ladder ? ladder->first() : 0;
  const std::int64_t highest = ladder ? ladder->last() : 0;
  parallel_for((rows + kRowsPerTask - 1) / kRowsPerTask, threads, [&](std::size_t task) {
    const std::int64_t first_row = first_ + static_cast<std::int64_t>(task * kRowsPerTask);
    const std::int64_t end_row =
        std::min(first_row + static_cast<std::int64_t>(kRowsPerTask), last_ + 1);
    const std::int64_t begin = first_row * height_;
    const std::int64_t end = std::min(end_row * height_, highest + 1);
    std::array<Row, 3> kept;  // of v - 1, v and v + 1, by v modulo 3
    const auto kept_row = [&](std::int64_t v) -> Row& {
      return kept[static_cast<std::size_t>(v + 3) % 3];
    };
    const auto prepare = [&](std::int64_t v) {
      if (v < lowest || v > highest) return;
      const Lines<Real> lines = lines_at<Real>(ladder, v, order);
      fill_costs(upwards, lines, order, kept_row(v).upwards);
      fill_costs(downwards, lines, order, kept_row(v).downwards);
    };
    std::vector<double> entries(cells_);
    prepare(begin - 1);
    prepare(begin);
    for (std::int64_t v = begin; v < end; ++v) {
      prepare(v + 1);
      const Row& here = kept_row(v);
      if (v % height_ == 0) std::fill(entries.begin(), entries.end(), 0.0);
      for (std::int64_t w = std::max(v - 1, lowest); w <= std::min(v + 1, highest); ++w) {
        const Row& there = kept_row(w);
        const auto raise = [&](const AtEnds<double>& after, const AtEnds<double>& before) {
          for (std::size_t k = 0; k < cells_; ++k) {
            const double low =
                after.after_low[k] * (1.0 + kCostDifferenceMargin) - before.before_low[k];
            const double high =
                after.after_high[k] * (1.0 + kCostDifferenceMargin) - before.before_high[k];
            const double larger = low > high ? low : high;
            entries[k] = entries[k] > larger ? entries[k] : larger;
          }
        };
        raise(there.upwards, here.upwards);
        raise(here.downwards, there.downwards);
      }
      if ((v + 1) % height_ != 0 && v + 1 < end) continue;
      const std::size_t row = index(row_of(v));
      std::transform(entries.begin(), entries.end(), values_.row(row).begin(), upper_single);
      values_.index(row);
      row_largest_[row] = values_.largest(row, 0, cells_);
    }
  });
}

CheckSensitivity::CheckSensitivity(const ThresholdCheck& check, std::int64_t teachers,
                                   double order) {
  const AnswerTable ladder(check, {}, 0, teachers, teachers);
  const double cap = threshold_data_independent(check.sigma1, order);
  for (std::int64_t v = 0; v <= teachers; ++v) {
    double largest = -std::numeric_limits<double>::infinity();
    if (v < teachers) largest = log_bernoulli_excess(ladder.step(v), order);
    if (v > 0) {
      largest = max_or_nan(largest, log_bernoulli_excess(reversed(ladder.step(v - 1)), order));
    }
    costs_.push_back(cost_of_log_excess(largest, order, cap));
  }
  steps_.resize(costs_.size());
  for (std::size_t v = 0; v < costs_.size(); ++v) {
    for (const std::size_t w : {v - 1, v, v + 1}) {  // v - 1 wraps around at 0
      if (w >= costs_.size()) continue;
      steps_[v].up = max_or_nan(steps_[v].up, change(costs_[w], costs_[v]));
      steps_[v].down = max_or_nan(steps_[v].down, change(costs_[v], costs_[w]));
    }
  }
}

void CheckSensitivity::around(std::int64_t v, std::vector<CheckStep>& steps) const {
  const auto last = static_cast<std::int64_t>(steps_.size()) - 1;
  CheckStep largest;
  for (std::size_t d = 0; d < steps.size(); ++d) {
    const auto distance = static_cast<std::int64_t>(d);
    for (const std::int64_t w : {v - distance, v + distance}) {
      if (w < 0 || w > last) continue;
      const CheckStep& step = steps_[static_cast<std::size_t>(w)];
      largest = {max_or_nan(largest.up, step.up), max_or_nan(largest.down, step.down)};
    }
    steps[d] = largest;
  }
}

NoisyMaxSensitivity::NoisyMaxSensitivity(const QGrid& grid, double order, double log_cap) {
  require_moments(log_cap);
  const auto cost = [order](const Extended& excess) {
    using std::log1p;
    return static_cast<double>(log1p(excess)) / (order - 1.0);
  };
  const auto largest = [&](const ExcessStep& step) {
    return max_or_nan(change(cost(step.low + step.rise), cost(step.low)),
                      change(cost(step.high + step.rise), cost(step.high)));
  };
  for (std::size_t k = 0; k < grid.size(); ++k) {
    up.push_back(largest(grid.upwards()[k]));
    down.push_back(largest(grid.downwards()[k]));
  }
}

}  // namespace pate
