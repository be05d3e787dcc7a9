#include "pate/release/curve/complex_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/complex/certificate_terms.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/release/curve/curve_moments.hpp"

namespace pate {

namespace {

constexpr std::size_t kShifts = CurveMoments::kShifts;

}  // namespace

CurveSide::CurveSide(const ComplexOrders& orders, std::span<const CostUnits> units,
                     std::int64_t distance) {
  for (std::size_t i = 0; i < orders.reals.size(); ++i) {
    const auto row = units.subspan(i * orders.row(), orders.row());
    const CertificateTerms terms(orders, i, [&](std::size_t j) { return cost_of_units(row[j]); });
    const double largest = terms.largest();
    for (const double exponent : terms.exponents) weights.push_back(std::exp(exponent - largest));
    scales.push_back(largest + kExponentRounding * terms.size + kSumRounding +
                     kDistanceStep * static_cast<double>(distance));
  }
}

ComplexCurve::ComplexCurve(ComplexOrders orders, const DiscreteGaussian& noise, double delta,
                           std::int64_t first, std::vector<double> values, std::int64_t t_min,
                           unsigned threads)
    : orders_(std::move(orders)),
      noise_(noise),
      delta_(delta),
      first_(first),
      values_(std::move(values)),
      t_min_(t_min) {
  validate(orders_);
  validate_delta(delta);
  require(!values_.empty() && values_.front() >= 0.0 && values_.back() < 1e9,
          "a curve must be >= 0 and below 1e9");
  for (std::size_t i = 1; i < values_.size(); ++i) {
    if (!(values_[i] >= values_[i - 1])) throw parameter_error("a curve must not fall");
  }
  tabulate(threads);
}

void ComplexCurve::tabulate(unsigned threads) {
  const CurveMoments moments(orders_, noise_, values_.back() - values_.front());
  const std::int64_t half = moments.half_width();
  const std::int64_t end = first_ + static_cast<std::int64_t>(values_.size()) - 1;
  const std::int64_t places = std::max<std::int64_t>(end + half - t_min_, 0) + 1;
  width_ = kShifts * orders_.reals.size();
  log_moments_.assign(static_cast<std::size_t>(places) * width_, 0.0);
  const std::size_t shares = width_ * orders_.row();
  shares_.assign(static_cast<std::size_t>(places) * shares, 0.0);
  parallel_for(static_cast<std::size_t>(places), threads, [&](std::size_t place) {
    const std::int64_t t = t_min_ + static_cast<std::int64_t>(place);
    std::vector<double> around;
    for (std::int64_t z = -half; z <= half; ++z) around.push_back(epsilon(t + z));
    CurveMoments::Scratch scratch;
    moments.compute(around, scratch, std::span(log_moments_).subspan(place * width_, width_),
                    std::span(shares_).subspan(place * shares, shares));
  });
}

std::int64_t ComplexCurve::t_max() const {
  return t_min_ + static_cast<std::int64_t>(log_moments_.size() / width_) - 1;
}

double ComplexCurve::epsilon(std::int64_t y) const {
  const auto last = static_cast<std::int64_t>(values_.size()) - 1;
  return values_[static_cast<std::size_t>(std::clamp<std::int64_t>(y - first_, 0, last))];
}

double log_curve_excess(const CurveSide& side, const ComplexOrders& orders, std::size_t real,
                        std::span<const double> log_moments, std::span<const double> shares) {
  const std::size_t reals = orders.reals.size();
  const std::size_t row = orders.row();
  double largest = -kInfinity;
  for (std::size_t shift = 0; shift < kShifts; ++shift) {
    const std::size_t at = shift * reals + real;
    const double* const weights = side.weights.data() + real * (row + 1);
    double sum = weights[row];  // beyond the terms |Phi| <= Phi(a)
    for (std::size_t j = 0; j < row; ++j) sum += weights[j] * shares[at * row + j];
    largest = max_or_nan(largest, side.scales[real] + log_moments[at] + std::log(sum));
  }
  return largest;
}

bool ComplexCurve::holds(const CurveSide& side, std::int64_t t) const {
  const auto place = static_cast<std::size_t>(std::min(t, t_max()) - t_min_);
  const std::size_t shares = width_ * orders_.row();
  const double log_delta = std::log(delta_) - kSumRounding;
  for (std::size_t i = 0; i < orders_.reals.size(); ++i) {
    const double log =
        log_curve_excess(side, orders_, i, std::span(log_moments_).subspan(place * width_, width_),
                         std::span(shares_).subspan(place * shares, shares));
    if (log <= log_delta) return true;  // false of what is no number
  }
  return false;
}

std::int64_t ComplexCurve::index(const ComplexCosts& costs) const {
  const auto last = static_cast<std::size_t>(costs.teachers);
  require(costs.orders == orders_ && costs.units.size() == last + 1,
          "an index needs moduli at the orders of its curve, at every distance");
  std::vector<CurveSide> sides;
  for (std::size_t d = 0; d <= last; ++d) {
    sides.emplace_back(orders_, costs.units[d], static_cast<std::int64_t>(d));
  }
  if (!holds(sides.back(), t_max())) {
    throw validity_error(fmt::format(
        "the curve ends at {}, below what the run may cost whatever the votes", values_.back()));
  }
  // From t_max on nothing changes but U, which stops growing at M.
  const auto good = [&](std::int64_t t) {
    const std::int64_t furthest = std::max(costs.teachers, t_max() - t);
    for (std::int64_t d = 0; d <= furthest; ++d) {
      if (!holds(sides[static_cast<std::size_t>(std::min(d, costs.teachers))], t + d)) return false;
    }
    return true;
  };
  std::int64_t t = t_min_;
  while (!good(t)) ++t;
  return t;
}

PublishedMoments ComplexCurve::published(std::int64_t g) const {
  return published_moments(
      noise_, [&](std::int64_t y) { return epsilon(y); }, g);
}

}  // namespace pate
