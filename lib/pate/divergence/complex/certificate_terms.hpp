#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "pate/divergence/complex/complex_orders.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

/// Relative to the parts of an exponent, and of a sum: many times what they lose to rounding.
inline constexpr double kExponentRounding = 4e-15;
inline constexpr double kSumRounding = 1e-11;
/// Added to the logarithm of a sum for every vote of distance, which rounding cannot undo.
inline constexpr double kDistanceStep = 1e-9;

/// The terms of Lemma 1 at one real part a, as exponents: those of j = 0 .. terms, which have a
/// factor step/(2 pi |zeta (1 + zeta)|), twice that but for j = 0, then what is beyond the last;
/// with the Gaussian loss of standard deviation `smoothing` that is added.
struct CertificateTerms {
  std::vector<double> exponents;
  double size = 0.0;  ///< the largest sum of the parts of an exponent

  /// `log(j)` is an upper bound on log |E e^(zeta L)|. Terms below e^-700 count as that; j = 0 has
  /// none below 1.
  template <class Log>
  CertificateTerms(const ComplexOrders& orders, std::size_t real, const Log& log) {
    constexpr double kLeastLog = -700.0;
    const double a = orders.reals[real];
    const double squared = orders.smoothing * orders.smoothing;
    const auto take = [&](double log_modulus, double gaussian, double log_factor) {
      exponents.push_back(log_modulus + gaussian + log_factor);
      size = max_or_nan(size, std::abs(log_modulus) + std::abs(gaussian) + std::abs(log_factor));
    };
    const double at_real = squared * (a + a * a) / 2.0;
    const double width = std::log(orders.step / (2.0 * std::numbers::pi));
    for (std::size_t j = 0; j < orders.row(); ++j) {
      const double y = orders.imaginary(j);
      take(std::max(log(j), kLeastLog), at_real - squared * y * y / 2.0,
           width - std::log(std::hypot(a, y)) - std::log(std::hypot(a + 1.0, y)) +
               (j == 0 ? 0.0 : std::numbers::ln2));
    }
    const double last = orders.imaginary(orders.row() - 1);
    take(std::max(log(std::size_t{0}), kLeastLog), at_real - squared * last * last / 2.0,
         -std::log(std::numbers::pi * last));
  }

  [[nodiscard]] double largest() const { return std::ranges::max(exponents); }
};

}  // namespace pate
