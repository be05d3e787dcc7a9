#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "pate/as_published/cost_curve.hpp"

namespace pate {

/// `PublishedCostCurve::local_sensitivity` below q1 for very many values of q, by polynomials in
/// cells of sqrt(-log q); the table depends on the curve and the lowest q alone, never on votes.
/// Within 1e-10 relative. Where a cell's polynomial has not converged, and where the values are too
/// small for it, the function itself is evaluated.
class LocalSensitivityTable {
 public:
  /// For log q from `lowest_log_q` to curve.log_q1(). The curve must outlive the table.
  LocalSensitivityTable(const PublishedCostCurve& curve, double lowest_log_q);

  /// Domain: log_q < curve.log_q1().
  [[nodiscard]] double operator()(double log_q) const;

 private:
  static constexpr std::size_t kTerms = 12;
  using Cell = std::array<double, kTerms>;  // coefficients of powers; the first is NaN if unusable

  [[nodiscard]] Cell make_cell(std::size_t number) const;

  const PublishedCostCurve& curve_;
  double first_;  // left end of the first cell, in sqrt(-log q)
  std::vector<Cell> cells_;
};

}  // namespace pate
