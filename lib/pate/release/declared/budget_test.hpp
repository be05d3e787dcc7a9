#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "pate/release/declared/certificate.hpp"
#include "pate/release/declared/complex_test.hpp"
#include "pate/release/declared/declared_test.hpp"

namespace pate {

/// The private test of a budget by one of the certificates: a `DeclaredTest` or a `ComplexTest`,
/// with the orders at which it looks at a run.
class BudgetTest {
 public:
  /// With the orders of `order_cell` for the epsilon and delta of the budget.
  BudgetTest(const CertificateRule& rule, const DeclaredBudget& budget);
  /// With another ladder and other orders, for the same condition. Throws as the tests do.
  BudgetTest(double epsilon, double delta, PassLadder ladder, TestOrders orders);

  [[nodiscard]] Certificate certificate() const {
    return std::holds_alternative<ComplexTest>(test_) ? Certificate::complex : Certificate::renyi;
  }
  [[nodiscard]] const PassLadder& ladder() const;
  [[nodiscard]] const TestOrders& orders() const { return orders_; }
  /// The Renyi orders among them: of complex orders a + 1 for every real part a.
  [[nodiscard]] std::vector<double> renyi_orders() const;
  /// The complex orders, if it looks at those.
  [[nodiscard]] const ComplexOrders* complex_orders() const {
    return std::get_if<ComplexOrders>(&orders_);
  }

  /// The level of a run. Throws `parameter_error` for costs of another certificate or of other
  /// orders than its own. Private.
  [[nodiscard]] std::size_t level(const RunCosts& costs) const;
  /// No run passes with a larger probability than one of this level. Public.
  [[nodiscard]] std::size_t best_level() const;

 private:
  TestOrders orders_;
  std::variant<DeclaredTest, ComplexTest> test_;
};

}  // namespace pate
