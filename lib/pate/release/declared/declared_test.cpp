#include "pate/release/declared/declared_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/numerics/log_space.hpp"

namespace pate {

namespace {

constexpr double kTestRounding = 1e-12;
constexpr CostUnits kNothingFits = -1;
constexpr double kMostUnits = 0x1p61;

// By the epsilon up to which they serve; found on dumps at hand, and flat around them.
constexpr std::array kOrdersTo025{12.0, 16.0, 20.0, 24.0, 32.0, 40.0, 50.0, 64.0, 80.0, 100.0};
constexpr std::array kOrdersTo06{6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 20.0, 24.0, 30.0, 40.0};
constexpr std::array kOrdersTo2{4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 20.0, 24.0};
constexpr std::array kOrdersTo4{2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0};
constexpr std::array kOrdersAbove{1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0};

// floor(2^40 (epsilon - fall - term)), with what the three may have lost taken off.
CostUnits threshold_units(double epsilon, double fall, double term) {
  const double left = epsilon - fall - term - kTestRounding * (epsilon + fall + std::abs(term));
  if (!(left >= 0.0)) return kNothingFits;
  const double units = std::floor(std::ldexp(left, -kUnitExponent));
  return units < kMostUnits ? static_cast<CostUnits>(units) : static_cast<CostUnits>(kMostUnits);
}

std::vector<double> orders_of(double epsilon) {
  const std::span<const double> orders = declared_orders(epsilon);
  return {orders.begin(), orders.end()};
}

}  // namespace

double DeclaredBudget::fallback_epsilon() const {
  return has_fallback ? 0.5 * epsilon : 0.0;
}

double DeclaredBudget::fallback_delta() const {
  return has_fallback ? 0.1 * delta : 0.0;
}

double DeclaredBudget::test_delta() const {
  if (!has_fallback) return delta;
  double left = 0.9 * delta;
  while (Dyadic(left) + Dyadic(fallback_delta()) > Dyadic(delta)) left = std::nextafter(left, 0.0);
  return left;
}

LadderTerms DeclaredBudget::ladder() const {
  // Halving is exact: what is left of epsilon is what the failing branch may grow by.
  return {epsilon, has_fallback ? epsilon - fallback_epsilon() : epsilon, test_delta()};
}

std::span<const DeclaredOrders> declared_order_tables() {
  static const std::array<DeclaredOrders, 5> kTables{{{0.0, 0.25, kOrdersTo025},
                                                      {0.25, 0.6, kOrdersTo06},
                                                      {0.6, 2.0, kOrdersTo2},
                                                      {2.0, 4.0, kOrdersTo4},
                                                      {4.0, kInfinity, kOrdersAbove}}};
  return kTables;
}

std::span<const double> declared_orders(double epsilon) {
  for (const DeclaredOrders& table : declared_order_tables()) {
    if (epsilon < table.below) return table.orders;
  }
  return declared_order_tables().back().orders;
}

DeclaredTest::DeclaredTest(const DeclaredBudget& budget)
    : DeclaredTest(budget.epsilon, budget.test_delta(), PassLadder(budget.ladder()),
                   orders_of(budget.epsilon)) {}

DeclaredTest::DeclaredTest(double epsilon, double delta, PassLadder ladder,
                           std::vector<double> orders)
    : ladder_(std::move(ladder)), orders_(std::move(orders)) {
  validate_delta(delta);
  if (orders_.empty()) throw parameter_error("a declared budget needs at least one Renyi order");
  for (const double order : orders_) {
    require(order > 1.0, "a Renyi order must be above 1, got {}", order);
    std::vector<CostUnits>& units = thresholds_.emplace_back();
    for (std::size_t i = 0; i < ladder_.last(); ++i) {
      // Above the last level p_i is more than delta, so this is below 1.
      const double share = delta / ladder_.pass(i) * (1.0 - kTestRounding);
      units.push_back(share < 1.0
                          ? threshold_units(epsilon, ladder_.fall(i),
                                            conversion_term(Conversion::improved, order, share))
                          : kNothingFits);
    }
  }
}

std::size_t DeclaredTest::level(const CostsByOrder& costs) const {
  if (costs.size() != orders_.size() || costs.front().empty()) {
    throw parameter_error("a declared budget needs the costs of the run at each of its orders");
  }
  const std::size_t distances = costs.front().size();
  for (const std::vector<CostUnits>& at : costs) {
    if (at.size() != distances || !std::ranges::is_sorted(at)) {
      throw parameter_error("costs within a distance must not fall with the distance");
    }
  }
  std::size_t level = 0;
  for (std::size_t i = 0; i < ladder_.last(); ++i) {
    // holds(i, d) for d = 0..held-1, and no further.
    std::size_t held = 0;
    for (std::size_t k = 0; k < costs.size(); ++k) {
      const auto end = std::ranges::upper_bound(costs[k], thresholds_[k][i]);
      held = std::max(held, static_cast<std::size_t>(end - costs[k].begin()));
    }
    // Beyond all teachers nothing changes.
    if (held < distances && i + 1 > held) level = std::max(level, i + 1 - held);
  }
  return level;
}

std::size_t DeclaredTest::best_level() const {
  return level(CostsByOrder(orders_.size(), std::vector<CostUnits>{0}));
}

}  // namespace pate
