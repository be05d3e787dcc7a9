#include "pate/release/curve/complex_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/release/curve/curve_moments.hpp"
#include "pate/release/curve/curve_values.hpp"
#include "pate/release/declared/certificate.hpp"

namespace pate {

namespace {

// Numbers that a curve has by index: a release would take hours beyond.
constexpr double kMostPlaces = 1e5;

// The noise of an index alone, on a flat curve.
struct FlatMoments {
  FlatMoments(const ComplexOrders& orders, const DiscreteGaussian& noise) {
    const CurveMoments moments(orders, noise, 0.0);
    const std::size_t width = CurveMoments::kShifts * orders.reals.size();
    logs.resize(width);
    shares.resize(width * orders.row());
    const std::vector<double> values(static_cast<std::size_t>(2 * moments.half_width() + 1), 0.0);
    CurveMoments::Scratch scratch;
    moments.compute(values, scratch, logs, shares);
  }
  std::vector<double> logs, shares;
};

}  // namespace

void validate(const ComplexParameters& parameters) {
  const auto require = [](bool good, const char* what, double found) {
    if (!good) throw parameter_error(fmt::format("{}, got {}", what, found));
  };
  require(parameters.orders_for >= kLeastOrdersFor && parameters.orders_for <= kMostOrdersFor,
          "the epsilon that complex orders suit must be in [0.01, 1000]", parameters.orders_for);
  require(parameters.floor >= 0.0 && parameters.floor <= kMostOrdersFor,
          "the floor of a curve must be in [0, 1000]", parameters.floor);
  require(parameters.beta > 1e-6 && parameters.beta <= 10.0,
          "beta of a curve must be > 1e-6 and <= 10", parameters.beta);
  (void)DiscreteGaussian(parameters.s);
}

ComplexOrders curve_orders(const CostSpec& question, double orders_for, double delta) {
  const CertificateRule rule = certificate_rule(Certificate::complex, question);
  return std::get<ComplexOrders>(order_cell(rule, orders_for, delta).orders);
}

double flat_epsilon(const ComplexOrders& orders, const DiscreteGaussian& noise, double delta,
                    std::span<const CostUnits> most, std::int64_t teachers) {
  const CurveSide side(orders, most, teachers);
  const FlatMoments flat(orders, noise);
  double least = kInfinity;
  for (std::size_t i = 0; i < orders.reals.size(); ++i) {
    // A curve at c has e^(-a c) of the moments of one at 0.
    const double log = log_curve_excess(side, orders, i, flat.logs, flat.shares);
    const double epsilon = (log - std::log(delta)) / orders.reals[i];
    if (epsilon < least) least = epsilon;
  }
  return std::max(least, 0.0);
}

ComplexCurve complex_curve(const ComplexParameters& parameters, const ComplexOrders& orders,
                           double delta, std::span<const CostUnits> most, std::int64_t teachers,
                           unsigned threads) {
  validate(parameters);
  validate_delta(delta);
  const DiscreteGaussian noise(parameters.s);
  constexpr double kMargin = 1e-9;  // what is rounded on the way to a condition, and more
  const double flat = flat_epsilon(orders, noise, delta, most, teachers);
  const double least = std::max(flat, parameters.floor) * (1.0 + kMargin) + kMargin;
  const double growth = least - parameters.floor;
  const double ceiling = curve_value(parameters.floor + kCurveCap * growth);
  if (!(ceiling < 1e9)) {
    throw validity_error("the run may cost more than a release can count, whatever the votes");
  }
  const std::int64_t half = CurveMoments::half_width(orders, noise, ceiling - parameters.floor);
  const std::int64_t t_min = first_index(parameters.beta);
  const std::int64_t first = t_min - half - 1;
  const auto places = static_cast<double>(half - t_min);
  if (!(places * static_cast<double>(orders.size()) < kMostPlaces * 165.0)) {
    throw validity_error(
        "with this s and beta the curve has more places than can be looked at: choose a smaller s "
        "or a larger beta");
  }
  std::vector<double> values{parameters.floor};
  const std::int64_t last = last_index(parameters.beta, kCurveCap);
  for (std::int64_t y = first + 1; y <= last; ++y) {
    const double share = std::exp(parameters.beta * static_cast<double>(y));
    values.push_back(std::min(curve_value(parameters.floor + growth * share), ceiling));
  }
  values.back() = ceiling;
  return {orders, noise, delta, first, std::move(values), t_min, threads};
}

}  // namespace pate
