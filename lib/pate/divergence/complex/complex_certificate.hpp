#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pate/divergence/complex/complex_orders.hpp"

namespace pate {

/// Sums over queries of log |m(a + i k w)|, which may be of either sign: integers in units of
/// 2^-40, each term rounded up, so that neither the order of the terms nor how they are grouped
/// changes a bit.
class LogModulusSums {
 public:
  explicit LogModulusSums(std::size_t size) : units_(size, 0), infinite_(size, 0) {}

  /// Adds one term to each sum, `count` times: 0 <= count < 2^53. What is beyond 2^20, or not a
  /// number, makes its sum infinite.
  void add(std::span<const double> logs, std::int64_t count);
  void add(const LogModulusSums& other);

  [[nodiscard]] std::size_t size() const { return units_.size(); }
  /// The sums, rounded up.
  [[nodiscard]] std::vector<double> values() const;

 private:
  __extension__ using Units = __int128;  // more than 2^60 queries would be needed to fill it
  std::vector<Units> units_;
  std::vector<char> infinite_;
};

/// An upper bound on the hockey-stick divergence of a run from the moduli of its moments:
///
///     delta(eps) <= min over a in A of e^{-a eps} min(B_a, R_a),
///     B_a = (w / 2 pi) sum over |k| <= K of e^{U(a,k) + mu0^2 (a + a^2 - (kw)^2) / 2} / |z (1 +
///     z)| + rest, rest = e^{U(a,0) + mu0^2 (a + a^2) / 2 - (K w mu0)^2 / 2} / (pi K w),    z = a +
///     i k w, R_a = e^{U(a,0)} a^a / (a + 1)^{a + 1},
///
/// U(a, k) at least the logarithm of |E e^{zL}|. R_a is what the improved conversion makes of the
/// Renyi moment of order a + 1. Proof in the README. Rounded outwards, in the logarithm, by 1e-11
/// and 4e-15 of what it is the sum of.
class ComplexCertificate {
 public:
  /// `logs`: U by real part, then k. Real parts with a U(a, .) that is not finite are left out.
  /// `distance`: so many times 1e-9 the logarithms of delta are raised, which is far more than
  /// rounding makes of two certificates: where no U of the first is above the second's, and its
  /// distance is less, it is below the second in what is computed, too.
  ComplexCertificate(const ComplexOrders& orders, std::span<const double> logs,
                     std::int64_t distance = 0);

  /// log of a bound on delta at any real epsilon, at most 0: that where nothing is known.
  [[nodiscard]] double log_delta(double epsilon) const;
  /// Whether delta(epsilon) is at most e^log_delta < 1.
  [[nodiscard]] bool holds(double epsilon, double log_delta) const;
  /// An epsilon >= 0 for delta in (0, 1): rounded upwards; +inf where there is none.
  [[nodiscard]] double epsilon(double delta) const;

 private:
  struct Line {
    double real;
    double log_sum;
  };
  std::vector<Line> lines_;
};

}  // namespace pate
