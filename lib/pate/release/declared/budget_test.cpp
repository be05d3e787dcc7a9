#include "pate/release/declared/budget_test.hpp"

#include <utility>

#include "pate/base/error.hpp"

namespace pate {

namespace {

std::variant<DeclaredTest, ComplexTest> test_with(double epsilon, double delta, PassLadder ladder,
                                                  const TestOrders& orders) {
  if (std::holds_alternative<ComplexOrders>(orders)) {
    return ComplexTest(epsilon, delta, std::move(ladder));
  }
  return DeclaredTest(epsilon, delta, std::move(ladder), std::get<std::vector<double>>(orders));
}

}  // namespace

BudgetTest::BudgetTest(const CertificateRule& rule, const DeclaredBudget& budget)
    // In braces from left to right: the ladder refuses what is no budget, with the limits.
    : BudgetTest{budget.epsilon, budget.test_delta(), PassLadder(budget.ladder()),
                 order_cell(rule, budget.epsilon, budget.delta).orders} {}

BudgetTest::BudgetTest(double epsilon, double delta, PassLadder ladder, TestOrders orders)
    : orders_(std::move(orders)), test_(test_with(epsilon, delta, std::move(ladder), orders_)) {}

const PassLadder& BudgetTest::ladder() const {
  return std::visit([](const auto& test) -> const PassLadder& { return test.ladder(); }, test_);
}

std::vector<double> BudgetTest::renyi_orders() const {
  if (const ComplexOrders* const complex = complex_orders()) return complex->renyi();
  return std::get<std::vector<double>>(orders_);
}

std::size_t BudgetTest::level(const RunCosts& costs) const {
  const auto refuse = [] {
    throw parameter_error("a test needs costs of its own certificate, at its own orders");
  };
  if (const auto* const complex = std::get_if<ComplexTest>(&test_)) {
    const auto* const its = std::get_if<CertifiedCosts>(&costs);
    if (its == nullptr || its->costs().orders != std::get<ComplexOrders>(orders_)) refuse();
    return complex->level(*its);
  }
  const auto* const its = std::get_if<CostsByOrder>(&costs);
  if (its == nullptr) refuse();
  return std::get<DeclaredTest>(test_).level(*its);
}

std::size_t BudgetTest::best_level() const {
  if (const auto* const complex = std::get_if<ComplexTest>(&test_)) {
    return complex->best_level(std::get<ComplexOrders>(orders_));
  }
  return std::get<DeclaredTest>(test_).best_level();
}

}  // namespace pate
