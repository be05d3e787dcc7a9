#pragma once

#include <cstddef>
#include <vector>

#include "pate/release/declared/complex_costs.hpp"
#include "pate/release/declared/declared_test.hpp"

namespace pate {

/// Costs of a run with what they certify at every distance, so that it is computed once.
class CertifiedCosts {
 public:
  explicit CertifiedCosts(ComplexCosts costs);

  [[nodiscard]] const ComplexCosts& costs() const { return costs_; }
  [[nodiscard]] std::size_t distances() const { return certificates_.size(); }
  /// The certificate of all runs within d teachers. Domain: d < distances().
  [[nodiscard]] const ComplexCertificate& at(std::size_t d) const { return certificates_[d]; }

 private:
  ComplexCosts costs_;
  std::vector<ComplexCertificate> certificates_;
};

/// The test of `DeclaredTest` with the certificate by complex orders in the place of that by Renyi
/// costs:
///
///     holds(i, d)  :  delta_D(epsilon - log(p_i / p_(i+1)); d) <= delta / p_i.
///
/// (C1) to (C3) of README.md hold: costs are nested as integers, and what is computed of them is
/// raised by more than rounding with every teacher of distance (`ComplexCertificate`). For lists of
/// queries fixed beforehand.
class ComplexTest {
 public:
  ComplexTest(double epsilon, double delta, PassLadder ladder);

  [[nodiscard]] const PassLadder& ladder() const { return ladder_; }

  /// holds(i, d) of the certificate at distance d. Domain: level < ladder().last().
  [[nodiscard]] bool holds(std::size_t level, const ComplexCertificate& certificate) const;
  /// The level of a run. Throws `parameter_error` where costs end at a distance that a condition
  /// asks for and M teachers are further. Private.
  [[nodiscard]] std::size_t level(const CertifiedCosts& costs) const;
  [[nodiscard]] std::size_t level(const ComplexCosts& costs) const {
    return level(CertifiedCosts(costs));
  }

  /// The level of a run with E e^(aL) = 1 whose other moduli are as good as zero, at every
  /// distance: no certificate at these orders says less of any run, so that none passes with a
  /// larger probability. Public.
  [[nodiscard]] std::size_t best_level(const ComplexOrders& orders) const;

 private:
  double epsilon_;
  PassLadder ladder_;
  std::vector<double> log_delta_;  // by level: log(delta / p_i), rounded down
};

}  // namespace pate
