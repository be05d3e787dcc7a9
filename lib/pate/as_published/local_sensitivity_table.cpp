#include "pate/as_published/local_sensitivity_table.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace pate {

namespace {

constexpr double kWidth = 0.25;
constexpr double kTolerance = 3e-11;
// Smaller values are at their floor, where they are no smooth function.
constexpr double kSmallest = 1e-290;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

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

}  // namespace pate
