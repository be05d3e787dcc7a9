#pragma once

#include <cstddef>
#include <vector>

#include "pate/release/declared/complex_costs.hpp"
#include "pate/release/declared/declared_test.hpp"

namespace pate {

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
  explicit ComplexTest(const DeclaredBudget& budget);
  /// With another ladder, for the same condition.
  ComplexTest(double epsilon, double delta, PassLadder ladder);

  [[nodiscard]] const PassLadder& ladder() const { return ladder_; }

  /// holds(i, d) of the certificate at distance d. Domain: level < ladder().last().
  [[nodiscard]] bool holds(std::size_t level, const ComplexCertificate& certificate) const;
  /// The level of a run. Throws `parameter_error` where costs end at a distance that a condition
  /// asks for and M teachers are further. Private.
  [[nodiscard]] std::size_t level(const ComplexCosts& costs) const;

 private:
  double epsilon_;
  PassLadder ladder_;
  std::vector<double> log_delta_;  // by level: log(delta / p_i), rounded down
};

}  // namespace pate
