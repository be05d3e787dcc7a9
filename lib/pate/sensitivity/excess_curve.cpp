#include "pate/sensitivity/excess_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "pate/bounds/data_independent.hpp"
#include "pate/bounds/tradeoff.hpp"
#include "pate/math/log_space.hpp"
#include "pate/sensitivity/vote_profile.hpp"

namespace pate {

namespace {

constexpr double kLogNegligible = -90.0;
// More than the nodes of a cell of QCells in its width of 1/4.
constexpr double kSpacing = 0.25 / 32.0;

double unanimous_log_q(const Aggregator& aggregator, std::int64_t teachers, std::int64_t classes) {
  const double term = std::visit(
      [teachers](const auto& mechanism) { return log_pair_probability(mechanism, teachers); },
      aggregator.noisy_max);
  const auto m = static_cast<double>(classes);
  return std::min(term + std::log(m - 1.0), std::log1p(-1.0 / m));
}

double log_cap_of(const Aggregator& aggregator, double order) {
  if (const auto* gaussian = std::get_if<GaussianNoisyMax>(&aggregator.noisy_max)) {
    const double mu = std::numbers::sqrt2 / gaussian->sigma;
    return log_expm1(0.5 * order * (order - 1.0) * mu * mu);
  }
  const double gamma = std::get<LaplaceNoisyMax>(aggregator.noisy_max).gamma();
  return log_expm1((order - 1.0) * laplace_noisy_max_data_independent(gamma, order));
}

}  // namespace

ExcessCurve::ExcessCurve(const Aggregator& aggregator, std::int64_t teachers, std::int64_t classes,
                         double order, unsigned threads)
    : aggregator_(aggregator),
      order_(order),
      log_cap_(log_cap_of(aggregator, order)),
      floor_(unanimous_log_q(aggregator, teachers, classes)),
      unanimous_(floor_) {
  double high = std::log1p(-1.0 / static_cast<double>(classes));
  const double cap = high;
  if (direct(floor_) < kLogNegligible) {
    // The excess grows with q: halve until the floor is known to a thousandth.
    while (high - floor_ > 1e-3 * std::abs(floor_)) {
      const double middle = 0.5 * (floor_ + high);
      (direct(middle) < kLogNegligible ? floor_ : high) = middle;
    }
  }
  if (!aggregator.is_gaussian()) return;
  std::vector<double> covered;
  const double first = std::log(-cap) - kSpacing;
  const double last = std::log(-floor_) + 2.0 * kSpacing;
  const auto steps = static_cast<int>(std::ceil((last - first) / kSpacing));
  for (int i = 0; i < steps; ++i) covered.push_back(-std::exp(first + i * kSpacing));
  cells_.emplace(covered);
  table_.emplace(*cells_,
                 std::numbers::sqrt2 / std::get<GaussianNoisyMax>(aggregator.noisy_max).sigma);
  at_order_ = std::move(table_->at_orders(std::span(&order, 1), threads).front());
}

double ExcessCurve::direct(double log_q) const {
  if (log_q == -std::numeric_limits<double>::infinity()) return log_q;
  if (const auto* gaussian = std::get_if<GaussianNoisyMax>(&aggregator_.noisy_max)) {
    const double mu = std::numbers::sqrt2 / gaussian->sigma;
    return std::min(gaussian_tradeoff_log_excess(log_q, mu, order_).forward, log_cap_);
  }
  const double gamma = std::get<LaplaceNoisyMax>(aggregator_.noisy_max).gamma();
  return std::min(laplace_tradeoff_log_excess(log_q, gamma, order_).forward, log_cap_);
}

double ExcessCurve::log_excess(double log_q) const {
  if (!cells_ || log_q < floor_) return direct(log_q);
  return std::min(table_->log_excess(at_order_, cells_->locate(log_q)).forward, log_cap_);
}

}  // namespace pate
