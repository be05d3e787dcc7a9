#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pate/divergence/complex/complex_orders.hpp"
#include "pate/mechanisms/sampling/discrete_gaussian.hpp"

namespace pate {

/// Moments of a curve R under the noise Z of its index, at complex orders zeta = a + i j w:
///
///     Phi(zeta) = sum over z of p_z e^(-zeta r_z),    r_z = R(t + z) - log(p_z / p_(z-k)),
///
/// for k = -1, 0, 1. Upper bounds on |Phi|: sums in logarithms, as a probability of zero times a
/// large moment would be no number, with more than rounding can make of them and what lies beyond
/// the half-width, less than e^-90 of Phi(a).
class CurveMoments {
 public:
  static constexpr std::size_t kShifts = 3;  ///< k = -1, 0, 1

  /// For curves that rise by `span` at most.
  CurveMoments(const ComplexOrders& orders, const DiscreteGaussian& noise, double span);

  /// The half-width of curves that rise by `span` at most.
  [[nodiscard]] static std::int64_t half_width(const ComplexOrders& orders,
                                               const DiscreteGaussian& noise, double span);

  /// R is looked at from t - half_width() to t + half_width().
  [[nodiscard]] std::int64_t half_width() const { return half_; }

  /// What is needed beside, one for each thread.
  struct Scratch {
    std::vector<double> r, weights, angles, moduli;
    std::vector<const double*> cosines, sines;
    std::vector<std::size_t> places;
  };
  /// Of R(t - half_width()) ..., by k, then real part: log Phi(a), and for each |Phi| / Phi(a) by
  /// j.
  void compute(std::span<const double> values, Scratch& scratch, std::span<double> log_moments,
               std::span<double> shares) const;

 private:
  ComplexOrders orders_;
  std::int64_t half_;
  std::size_t stride_;              // of rows by j
  std::vector<double> log_p_;       // by z from -half
  std::vector<double> log_ratios_;  // log(p_z / p_(z-k)), by z, then k
};

}  // namespace pate
