#pragma once

#include <cstdint>
#include <span>

#include "pate/release/curve/complex_curve.hpp"
#include "pate/release/curve/costs_within_distance.hpp"

namespace pate {

/// What a release through a curve by complex orders fixes before the votes are seen.
struct ComplexParameters {
  double orders_for = 0.0;  ///< the epsilon that its complex orders suit
  double floor = 0.0;       ///< where the curve begins
  double s = 0.0;           ///< noise on the index
  double beta = 0.0;        ///< growth of the curve with the index
};

inline constexpr double kLeastOrdersFor = 0.01;
inline constexpr double kMostOrdersFor = 1000.0;
/// Throws `parameter_error` unless orders_for is in [0.01, 1000], floor in [0, 1000], s in the
/// domain of DiscreteGaussian, beta in (1e-6, 10], all finite.
void validate(const ComplexParameters& parameters);

/// The complex orders of a curve: those of a declared budget of `orders_for` (`order_cell`), so
/// that tables serve for both. Throws as `certificate_rule` where there are no complex moments.
[[nodiscard]] ComplexOrders curve_orders(const CostSpec& question, double orders_for, double delta);

/// The largest epsilon that such a release has to publish, whatever the votes: what a flat curve
/// must be at to cover costs of `most`, the sums over queries of the largest moduli of all keys.
[[nodiscard]] double flat_epsilon(const ComplexOrders& orders, const DiscreteGaussian& noise,
                                  double delta, std::span<const CostUnits> most,
                                  std::int64_t teachers);

/// How far beyond C a curve goes: noise that takes an index down is made up for by what is above.
inline constexpr double kCurveCap = 1.3;

/// R(y) = floor + (C - floor) min(e^(beta y), 1.3), rounded up to 2^-30, C the `flat_epsilon`, and
/// `floor` below all that is looked at; indices are at least log(1e-4) / beta.
/// Throws `parameter_error` for parameters or a delta out of range, `validity_error` where C is not
/// finite, or a curve would have more places than can be looked at.
[[nodiscard]] ComplexCurve complex_curve(const ComplexParameters& parameters,
                                         const ComplexOrders& orders, double delta,
                                         std::span<const CostUnits> most, std::int64_t teachers,
                                         unsigned threads = 0);

}  // namespace pate
