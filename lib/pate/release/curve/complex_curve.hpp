#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/divergence/complex/complex_orders.hpp"
#include "pate/mechanisms/sampling/discrete_gaussian.hpp"
#include "pate/release/curve/published_moments.hpp"
#include "pate/release/declared/complex_costs.hpp"

namespace pate {

/// What a run looks like at one distance: the terms of the sum below but for |Phi|.
struct CurveSide {
  CurveSide(const ComplexOrders& orders, std::span<const CostUnits> units, std::int64_t distance);

  std::vector<double> weights;  ///< by real part: k = 0 .. terms, and what is beyond
  std::vector<double> scales;   ///< by real part: the logarithm that weights are relative to
};

/// The logarithm of the sum of `ComplexCurve` at one of its real parts, the largest of k = -1, 0,
/// 1, of moments as `CurveMoments` has them.
[[nodiscard]] double log_curve_excess(const CurveSide& side, const ComplexOrders& orders,
                                      std::size_t real, std::span<const double> log_moments,
                                      std::span<const double> shares);

/// A curve from which an epsilon is published, as `PublicCurve`, with the certificate by complex
/// orders in the place of one Renyi order: a non-decreasing table R over the integers, constant
/// beyond its ends. The index of a run gets noise Z, R of the sum is published. With r_z = R(t + z)
/// - log(p_z / p_(z-k)), zeta = a + i j w and U(a, j) at least log |E e^(zeta L)| of the run, what
/// is told at index t exceeds e^R by at most
///
///     min over a of max over k = -1, 0, 1 of (w / 2 pi) sum over j of e^U(a,j) |Phi| / |zeta (1 +
///     zeta)|,    Phi = sum over z of p_z e^(-zeta r_z),
///
/// since L and Z are independent given the run: Lemma 1 of divergence/complex, at epsilon r_z,
/// added up over z. A Gaussian loss of standard deviation `orders.smoothing` is added as there;
/// beyond `orders.terms` |Phi| is at most what it is at j = 0. For lists of queries fixed
/// beforehand, and a curve that does not depend on labels.
class ComplexCurve {
 public:
  /// R(first + i) = values[i], indices from t_min. Throws `parameter_error` for a curve that falls,
  /// is negative or 1e9 and more, and as `validate(orders)`.
  ComplexCurve(ComplexOrders orders, const DiscreteGaussian& noise, double delta,
               std::int64_t first, std::vector<double> values, std::int64_t t_min,
               unsigned threads = 0);

  [[nodiscard]] const ComplexOrders& orders() const { return orders_; }
  [[nodiscard]] const DiscreteGaussian& noise() const { return noise_; }
  [[nodiscard]] double delta() const { return delta_; }
  [[nodiscard]] std::int64_t t_min() const { return t_min_; }
  [[nodiscard]] std::int64_t t_max() const;  ///< nothing changes from there on
  [[nodiscard]] double floor() const { return values_.front(); }
  [[nodiscard]] double ceiling() const { return values_.back(); }
  /// R(y).
  [[nodiscard]] double epsilon(std::int64_t y) const;

  /// cond(U, t): whether the sum is at most delta. Domain: t >= t_min. |Phi| is not monotone in t.
  [[nodiscard]] bool holds(const CurveSide& side, std::int64_t t) const;

  /// The index of a run: the smallest t >= t_min with cond(U(d), t + d) for ALL d >= 0, where U(d)
  /// is U(M) beyond M teachers. Conditions up to d = M do not do: since |Phi| rises and falls with
  /// t, indices of neighbours would be more than one apart (README). Throws `parameter_error` for
  /// costs of other orders or not of every distance, and `validity_error` where the curve ends too
  /// low for U(M), which is public. Private.
  [[nodiscard]] std::int64_t index(const ComplexCosts& costs) const;

  /// Of what is published at index g.
  [[nodiscard]] PublishedMoments published(std::int64_t g) const;

 private:
  void tabulate(unsigned threads);

  ComplexOrders orders_;
  DiscreteGaussian noise_;
  double delta_;
  std::int64_t first_;
  std::vector<double> values_;
  std::int64_t t_min_;
  std::size_t width_ = 0;
  // By t from t_min, then k = -1, 0, 1, real part and j: |Phi| / Phi(a), and the logarithms of
  // Phi(a) without j.
  std::vector<double> shares_;
  std::vector<double> log_moments_;
};

}  // namespace pate
