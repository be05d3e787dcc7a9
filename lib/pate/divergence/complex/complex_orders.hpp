#pragma once

#include <cstddef>
#include <vector>

namespace pate {

/// Where the moments of a run's privacy loss L are looked at: E e^{(a + i k w) L} for every a of
/// `reals` and k = 0 .. terms; w is `step`. A certificate holds for any choice (README): it must be
/// fixed before the votes are seen only where what it says is published.
struct ComplexOrders {
  std::vector<double> reals;  ///< real parts a > 0, increasing; Renyi's order is a + 1
  double step = 0.0;          ///< w > 0, between imaginary parts
  int terms = 0;              ///< K >= 1, imaginary parts beyond 0 on each side
  /// Standard deviation mu0 >= 0 of a Gaussian loss that is added to the run's, which ends the tail
  /// of the sum over k.
  double smoothing = 0.0;

  /// Numbers by real part, then k.
  [[nodiscard]] std::size_t row() const { return static_cast<std::size_t>(terms) + 1; }
  [[nodiscard]] std::size_t size() const { return reals.size() * row(); }
  [[nodiscard]] double imaginary(std::size_t k) const { return step * static_cast<double>(k); }

  /// Renyi's orders of the real parts, a + 1.
  [[nodiscard]] std::vector<double> renyi() const;

  bool operator==(const ComplexOrders&) const = default;
};

/// Throws `parameter_error` unless there is a real part and the numbers are as said above.
void validate(const ComplexOrders& orders);

/// The orders that suit an epsilon of about `epsilon` > 0 at delta in (0, 1): a0 = 13 epsilon^-0.75
/// log(1/delta)/log(1e5) times 0.3, 0.5, 0.75, 1 and 1.25, rounded half up to halves; from epsilon
/// = 1 on w = 4/epsilon, K = 30 epsilon^0.5, mu0 = 0.02 epsilon^0.5, below w = 4 epsilon^-0.5, mu0
/// = 0.02 epsilon^0.75, K = 3.5/(w mu0). A function of what is public, so that a declared budget
/// may use it.
[[nodiscard]] ComplexOrders complex_orders(double epsilon, double delta);

}  // namespace pate
