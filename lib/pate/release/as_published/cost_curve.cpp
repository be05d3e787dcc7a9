#include "pate/release/as_published/cost_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

// Of the table.
constexpr double kWidth = 0.25;
constexpr double kTolerance = 3e-11;
// Smaller values are at their floor, where they are no smooth function.
constexpr double kSmallest = 1e-290;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

constexpr int kCells = 128;           // to begin with, evenly in log(-log q)
constexpr double kResolution = 1e-6;  // of -log q
constexpr double kRounding = 1e-12;   // of the cost
constexpr double kZero = 1e-299;      // costs are at least 1e-300 where they are not zero

// A value of the function and the cost it was computed from, whose rounding it has.
struct Sample {
  double log_q;
  double value;
  double cost;
};

using Function = std::function<Sample(double log_q)>;

bool falls(const Sample& a, const Sample& b) {
  return !(b.value >= a.value - kRounding * (a.cost + b.cost));
}

bool rises_evenly(const Sample& a, const Sample& middle, const Sample& b) {
  if (b.value <= kZero) return true;
  if (a.value <= kZero) return false;
  const double rise = std::log(b.value / a.value);
  const double half = std::log(middle.value / a.value);
  return half >= 0.4 * rise && half <= 0.6 * rise;
}

// The first descent between `a` and `b`. Cells are looked at from the left; what is still to come
// are their right ends, the nearest last.
std::optional<Descent> descent_within(const Function& function, Sample a, const Sample& b) {
  std::vector<Sample> right_ends{b};
  while (!right_ends.empty()) {
    const Sample right = right_ends.back();
    if (falls(a, right)) return Descent{a.log_q, right.log_q};
    if (right.log_q - a.log_q > kResolution * -right.log_q) {
      const Sample middle = function(0.5 * (a.log_q + right.log_q));
      if (falls(a, middle)) return Descent{a.log_q, middle.log_q};
      if (falls(middle, right)) return Descent{middle.log_q, right.log_q};
      if (!rises_evenly(a, middle, right)) {
        right_ends.push_back(middle);
        continue;
      }
    }
    a = right;
    right_ends.pop_back();
  }
  return std::nullopt;
}

std::optional<Descent> first_descent(const Function& function, double low, double high) {
  const double ratio = std::log(low / high) / kCells;
  Sample left = function(low);
  for (int i = 1; i <= kCells; ++i) {
    const Sample right = function(i == kCells ? high : low * std::exp(-ratio * i));
    if (const auto descent = descent_within(function, left, right)) return descent;
    left = right;
  }
  return std::nullopt;
}

std::string describe(const char* condition, const char* function, const Descent& descent,
                     const PublishedCostCurve& curve) {
  return fmt::format(
      "condition {} of the published smooth sensitivity does not hold for sigma2 = {}, order = {}, "
      "{} classes: {} falls between log q = {:.6g} and {:.6g}; another order or sigma2 may do",
      condition, curve.sigma(), curve.order(), curve.classes(), function, descent.log_q_from,
      descent.log_q_to);
}

}  // namespace

PublishedCostCurve::PublishedCostCurve(double sigma, double order, std::int64_t classes)
    : sigma_(sigma), order_(order), classes_(classes) {
  require_positive(sigma, "sigma2");
  require(order > 1.0 && std::isfinite(order), "order must be > 1 and finite, got {}", order);
  if (classes < 2) {
    throw parameter_error(fmt::format("classes must be at least 2, got {}", classes));
  }
  log_others_ = std::log(static_cast<double>(classes - 1));
  data_independent_ = data_independent_cost(GaussianNoisyMax{sigma}, order);
  log_q0_ = find_log_q0();
  log_q1_ = log_q_lower(log_q0_);
  // B_U(q1) is q0 by definition; recomputed it might fall short of a jump of the cost there.
  const double at_q1 = cost(log_q1_);
  largest_ = std::max(data_independent_ - at_q1, at_q1 - cost(log_q_lower(log_q1_)));
}

double PublishedCostCurve::theorem(double log_q) const {
  return GaussianPublishedBound(log_q, sigma_).cost(order_, kInfinity);
}

double PublishedCostCurve::find_log_q0() const {
  // Here the theorem's conditions hold, and for smaller q all the more.
  const double high =
      -std::max(std::pow(1.0 + 1.0 / sigma_, 2), std::pow((order_ - 0.99) / sigma_, 2));
  const auto excess = [this](double log_q) { return theorem(log_q) - data_independent_; };
  const double at_high = excess(high);
  if (at_high < 0.0) return high;
  double low = 2.0 * high;
  while (excess(low) > 0.0) low *= 1.5;
  std::uintmax_t evaluations = 200;
  const auto [left, right] =
      boost::math::tools::toms748_solve(excess, low, high, excess(low), at_high,
                                        boost::math::tools::eps_tolerance<double>(52), evaluations);
  return 0.5 * (left + right);
}

double PublishedCostCurve::cost(double log_q) const {
  return log_q >= log_q0_ ? data_independent_ : std::min(theorem(log_q), data_independent_);
}

double PublishedCostCurve::log_q_shifted(double log_q, double shift) const {
  return std::min(log_others_ + log_shifted_tail(log_q - log_others_, shift), 0.0);
}

double PublishedCostCurve::log_q_upper(double log_q) const {
  return log_q_shifted(log_q, std::numbers::sqrt2 / sigma_);
}

double PublishedCostCurve::log_q_lower(double log_q) const {
  return log_q_shifted(log_q, -std::numbers::sqrt2 / sigma_);
}

double PublishedCostCurve::local_sensitivity(double log_q) const {
  if (log_q >= log_q1_ && log_q <= log_q0_) return largest_;
  const double here = cost(log_q);
  return std::max(cost(log_q_upper(log_q)) - here, here - cost(log_q_lower(log_q)));
}

LocalSensitivityTable::LocalSensitivityTable(const PublishedCostCurve& curve, double lowest_log_q)
    : curve_(curve), first_(std::sqrt(-curve.log_q1())) {
  const double last = std::sqrt(-lowest_log_q);
  while (first_ + kWidth * static_cast<double>(cells_.size()) <= last) {
    // Sensitivities fall with q: once they are too small for one cell they are for all beyond.
    const double end = first_ + kWidth * static_cast<double>(cells_.size() + 1);
    if (!(curve.local_sensitivity(-end * end) > kSmallest)) break;
    cells_.push_back(make_cell(cells_.size()));
  }
}

LocalSensitivityTable::Cell LocalSensitivityTable::make_cell(std::size_t number) const {
  const double middle = first_ + kWidth * (static_cast<double>(number) + 0.5);
  Cell values{};
  Cell angles{};
  for (std::size_t k = 0; k < kTerms; ++k) {
    angles[k] = std::numbers::pi * (static_cast<double>(k) + 0.5) / static_cast<double>(kTerms);
    const double x = middle + 0.5 * kWidth * std::cos(angles[k]);
    values[k] = std::log(curve_.local_sensitivity(-x * x));
  }
  Cell chebyshev{};
  for (std::size_t n = 0; n < kTerms; ++n) {
    for (std::size_t k = 0; k < kTerms; ++k) {
      chebyshev[n] += values[k] * std::cos(static_cast<double>(n) * angles[k]);
    }
    chebyshev[n] *= (n == 0 ? 1.0 : 2.0) / static_cast<double>(kTerms);
  }
  const double rest = std::abs(chebyshev[kTerms - 1]) + std::abs(chebyshev[kTerms - 2]);
  Cell powers{};
  if (!(rest < kTolerance)) {
    powers[0] = kNaN;
    return powers;
  }
  // T_0 = 1, T_1 = s, T_(n+1) = 2 s T_n - T_(n-1), as coefficients of powers of s.
  Cell before{};
  Cell current{};
  before[0] = 1.0;
  current[1] = 1.0;
  powers[0] = chebyshev[0];
  for (std::size_t n = 1; n < kTerms; ++n) {
    Cell next{};
    for (std::size_t i = 0; i < kTerms; ++i) {
      powers[i] += chebyshev[n] * current[i];
      next[i] = (i > 0 ? 2.0 * current[i - 1] : 0.0) - before[i];
    }
    before = current;
    current = next;
  }
  return powers;
}

double LocalSensitivityTable::operator()(double log_q) const {
  const double position = (std::sqrt(-log_q) - first_) / kWidth;
  const auto number = static_cast<std::size_t>(position);
  if (!(position >= 0.0 && number < cells_.size())) return curve_.local_sensitivity(log_q);
  const Cell& cell = cells_[number];
  if (std::isnan(cell[0])) return curve_.local_sensitivity(log_q);
  const double s = 2.0 * (position - static_cast<double>(number)) - 1.0;
  double value = 0.0;
  for (std::size_t i = kTerms; i-- > 0;) value = value * s + cell[i];
  return std::exp(value);
}

CurveConditions check_conditions(const PublishedCostCurve& curve, double lowest_log_q) {
  CurveConditions conditions;
  if (!(lowest_log_q < curve.log_q1())) return conditions;
  conditions.c5_fails = first_descent(
      [&curve](double log_q) {
        const double cost = curve.cost(log_q);
        return Sample{log_q, cost, cost};
      },
      lowest_log_q, curve.log_q0());
  conditions.c6_fails = first_descent(
      [&curve](double log_q) {
        // B_U(q1) is q0.
        const double upper = log_q < curve.log_q1() ? curve.log_q_upper(log_q) : curve.log_q0();
        const double cost = curve.cost(upper);
        return Sample{log_q, cost - curve.cost(log_q), cost};
      },
      lowest_log_q, curve.log_q1());
  return conditions;
}

void require(const CurveConditions& conditions, const PublishedCostCurve& curve) {
  if (conditions.c5_fails) {
    throw validity_error(describe("C5", "the cost", *conditions.c5_fails, curve));
  }
  if (conditions.c6_fails) {
    throw validity_error(
        describe("C6", "what one vote may add to the cost", *conditions.c6_fails, curve));
  }
}

}  // namespace pate
