#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <list>
#include <utility>
#include <variant>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/release/declared/smallest_budget.hpp"

using namespace pate;

namespace {

constexpr std::array kPasses{.9, .99, .999};

// A made-up run: min(.02 a + .0004 a d, .05 a) at order a.
CostsByOrder made_up_costs(const std::vector<double>& orders, std::int64_t teachers = 100) {
  CostsByOrder costs;
  for (const double order : orders) {
    std::vector<CostUnits>& at = costs.emplace_back();
    for (std::int64_t d = 0; d <= teachers; ++d) {
      const double cost =
          std::min(.02 * order + .0004 * order * static_cast<double>(d), .05 * order);
      at.push_back(static_cast<CostUnits>(std::ceil(std::ldexp(cost, 40))));
    }
  }
  return costs;
}

}  // namespace

TEST_CASE("smallest declared epsilon: as a reference of its own finds it") {
  // From a separate program, by bisection: the probability of a fixed level falls with epsilon, so
  // the two may differ by a few steps.
  const std::vector<double> orders{4, 6, 8, 12, 16};
  const std::array reference{.934649, .952943, .972056};
  const auto found =
      smallest_declared_at({1.0, 1e-5, false}, kPasses, made_up_costs(orders), orders, 1e-4);
  for (std::size_t k = 0; k < reference.size(); ++k) {
    REQUIRE(found[k]);
    CHECK(*found[k] == doctest::Approx(reference[k]).epsilon(2e-3));
  }
}

TEST_CASE("smallest declared epsilon: none where the largest that is looked at does not pass") {
  const std::vector<double> orders{4, 6, 8, 12, 16};
  for (const double largest : {0.5, 0.9}) {
    for (const auto& found :
         smallest_declared_at({1.0, 1e-5, false}, kPasses, made_up_costs(orders), orders, 1e-2,
                              kLeastDeclaredEpsilon, largest)) {
      CHECK_FALSE(found);
    }
  }
}

TEST_CASE("smallest declared epsilon: the same from wherever the search begins") {
  RunCosts costs;
  const auto costs_at = [&](const OrderCell& cell) -> const RunCosts& {
    costs = made_up_costs(std::get<std::vector<double>>(cell.orders));
    return costs;
  };
  const std::array one{.9};
  const auto from = [&](double at_hand) {
    return smallest_declared({at_hand, 1e-5, false}, Certificate::renyi, one, costs_at).front();
  };
  const auto found = from(1.0);
  REQUIRE(found);
  CHECK(*found > 0.6);
  CHECK(*found < 2.0);
  CHECK(from(0.1) == found);
  CHECK(from(9.0) == found);
}

TEST_CASE("smallest declared epsilon: the run passes there, and not a step before") {
  const auto costs_at = [](const OrderCell& cell) -> const RunCosts& {
    static RunCosts costs;
    costs = made_up_costs(std::get<std::vector<double>>(cell.orders));
    return costs;
  };
  const auto passes = [&](double epsilon) {
    const BudgetTest test(Certificate::renyi, {epsilon, 1e-5, false});
    return test.ladder().pass(test.level(costs_at({0.0, 0.0, test.orders()})));
  };
  for (const double at_hand : {.1, 1.0, 3.0, 9.0}) {  // wherever the search begins
    const auto found =
        smallest_declared({at_hand, 1e-5, false}, Certificate::renyi, kPasses, costs_at);
    for (std::size_t k = 0; k < kPasses.size(); ++k) {
      REQUIRE(found[k]);
      CHECK(passes(*found[k]) >= kPasses[k]);
      for (int step = 1; step < 50; ++step) {
        CHECK(passes(*found[k] - .001 * step) < kPasses[k]);
      }
    }
    CHECK(*found[0] <= *found[1]);
    CHECK(*found[1] <= *found[2]);
  }
}

namespace {

// A made-up run with moments of a Gaussian loss of variance v = .04 + .0008 d, or .1 at most:
// log |m(a + iy)| = v (a + a^2 - y^2) / 2.
ComplexCosts gaussian_costs(const ComplexOrders& orders, std::int64_t teachers = 100) {
  ComplexCosts costs{teachers, orders, {}};
  for (std::int64_t d = 0; d <= teachers; ++d) {
    const double v = std::min(.04 + .0008 * static_cast<double>(d), .1);
    std::vector<CostUnits>& at = costs.units.emplace_back();
    for (const double a : orders.reals) {
      for (std::size_t k = 0; k < orders.row(); ++k) {
        const double y = orders.imaginary(k);
        at.push_back(
            static_cast<CostUnits>(std::ceil(std::ldexp(v * (a + a * a - y * y) / 2.0, 40))));
      }
    }
  }
  return costs;
}

}  // namespace

TEST_CASE("smallest declared epsilon: by complex orders, below that by Renyi orders of the same") {
  std::list<std::pair<TestOrders, RunCosts>> known;
  const auto costs_at = [&](const OrderCell& cell) -> const RunCosts& {
    const TestOrders& orders = cell.orders;
    for (const auto& [its, costs] : known) {
      if (its == orders) return costs;
    }
    if (const auto* const complex = std::get_if<ComplexOrders>(&orders)) {
      return known.emplace_back(orders, CertifiedCosts(gaussian_costs(*complex))).second;
    }
    CostsByOrder by_order;
    for (const double order : std::get<std::vector<double>>(orders)) {
      std::vector<CostUnits>& at = by_order.emplace_back();
      for (int d = 0; d <= 100; ++d) {
        const double v = std::min(.04 + .0008 * d, .1);
        at.push_back(static_cast<CostUnits>(std::ceil(std::ldexp(v * order / 2.0, 40))));
      }
    }
    return known.emplace_back(orders, std::move(by_order)).second;
  };
  const auto passes = [&](double epsilon) {
    const BudgetTest test(Certificate::complex, {epsilon, 1e-5, false});
    return test.ladder().pass(test.level(costs_at({0.0, 0.0, test.orders()})));
  };
  const DeclaredBudget like{1.0, 1e-5, false};
  const auto renyi = smallest_declared(like, Certificate::renyi, kPasses, costs_at);
  const auto by_hand = smallest_declared(like, Certificate::complex, kPasses, costs_at);
  for (const double at_hand : {.3, 1.0, 5.0}) {
    known.clear();
    const auto found =
        smallest_declared({at_hand, 1e-5, false}, Certificate::complex, kPasses, costs_at);
    CHECK(known.size() <= 5);  // every cell costs time
    for (std::size_t k = 0; k < kPasses.size(); ++k) {
      REQUIRE(found[k]);
      CHECK(passes(*found[k]) >= kPasses[k]);
      CHECK(*found[k] < .95 * *renyi[k]);
      CHECK(*found[k] == *by_hand[k]);
      for (int step = 1; step < 10; ++step) CHECK(passes(*found[k] - .001 * step) < kPasses[k]);
    }
  }
}

TEST_CASE("order cells: a function of epsilon, whose cells meet and hold it") {
  for (const Certificate certificate : {Certificate::renyi, Certificate::complex}) {
    OrderCell last = order_cell(certificate, .01, 1e-5);
    for (double epsilon = .01; epsilon < 100.0; epsilon *= 1.003) {
      const OrderCell cell = order_cell(certificate, epsilon, 1e-5);
      CHECK(cell.from <= epsilon * (1.0 + 1e-12));
      CHECK(epsilon <= cell.below * (1.0 + 1e-12));
      const bool is_next = cell.from == doctest::Approx(last.below).epsilon(1e-12);
      CHECK((is_next || cell.orders == last.orders));
      last = cell;
    }
  }
}

TEST_CASE("order cells: whatever is larger than every epsilon has the last orders") {
  const DeclaredOrders& last = declared_order_tables().back();
  CHECK(declared_orders(HUGE_VAL).data() == last.orders.data());
  const OrderCell cell = order_cell(Certificate::renyi, HUGE_VAL, 1e-5);
  CHECK(cell.from == last.from);
  CHECK(std::ranges::equal(std::get<std::vector<double>>(cell.orders), last.orders));
}

TEST_CASE("budget test: costs of another certificate, or of other orders, are refused") {
  const DeclaredBudget budget{1.0, 1e-5, false};
  const BudgetTest complex(Certificate::complex, budget);
  const BudgetTest renyi(Certificate::renyi, budget);
  const auto& orders = std::get<ComplexOrders>(complex.orders());
  const RunCosts costs = CertifiedCosts(gaussian_costs(orders));
  CHECK(complex.level(costs) < complex.ladder().last());
  CHECK_THROWS_AS((void)renyi.level(costs), parameter_error);
  CHECK_THROWS_AS((void)complex.level(made_up_costs(renyi.renyi_orders())), parameter_error);
  ComplexOrders others = orders;
  others.step *= 2.0;
  CHECK_THROWS_AS((void)complex.level(CertifiedCosts(gaussian_costs(others))), parameter_error);
  // Nothing passes with more than what is as good as no cost.
  CHECK(complex.best_level() <= complex.level(costs));
  for (const double epsilon : {.02, .1, 1.0, 5.0, 20.0}) {
    const BudgetTest test(Certificate::complex, {epsilon, 1e-5, false});
    const auto& its = std::get<ComplexOrders>(test.orders());
    // A run that tells nothing at all: |m| = 1 everywhere.
    const ComplexCosts nothing{0, its, {std::vector<CostUnits>(its.size(), 0)}};
    CHECK(test.best_level() <= test.level(CertifiedCosts(nothing)));
  }
}

TEST_CASE("declared test: edges of costs and thresholds") {
  const std::vector<double> orders{8.0};
  const DeclaredTest test(1.0, 1e-5, PassLadder({1.0, 1.0, 1e-5}), orders);
  const std::size_t last = test.ladder().last();
  // What costs nothing is at the best level, what costs more than any threshold at the last.
  CHECK(test.level({std::vector<CostUnits>(5, 0)}) == test.best_level());
  CHECK(test.level({std::vector<CostUnits>(5, CostUnits{1} << 60)}) == last);
  // One unit decides.
  CostUnits least = CostUnits{1} << 60;
  for (std::size_t i = 0; i < last; ++i) least = std::min(least, test.threshold(i, 0));
  CHECK(test.level({std::vector<CostUnits>(5, least)}) == 0);
  CHECK(test.level({std::vector<CostUnits>(5, least + 1)}) > 0);
  // A budget alone has the orders of its epsilon, and what is left beside a fallback.
  for (const bool has_fallback : {false, true}) {
    const DeclaredBudget budget{1.0, 1e-5, has_fallback};
    const DeclaredTest of_budget(budget);
    const BudgetTest by_rule(Certificate::renyi, budget);
    const auto costs = made_up_costs(by_rule.renyi_orders());
    CHECK(std::ranges::equal(of_budget.orders(), by_rule.renyi_orders()));
    CHECK(of_budget.level(costs) == by_rule.level(costs));
    CHECK(of_budget.best_level() == by_rule.best_level());
  }
  CHECK_THROWS_AS((void)test.level({}), parameter_error);
  CHECK_THROWS_AS((void)test.level({{}}), parameter_error);
  CHECK_THROWS_AS((void)test.level({{2, 1}}), parameter_error);
  CHECK_THROWS_AS((void)test.level({{1, 2}, {1, 2}}), parameter_error);
  CHECK_THROWS_AS(DeclaredTest(1.0, 1e-5, PassLadder({1.0, 1.0, 1e-5}), {}), parameter_error);
  CHECK_THROWS_AS(DeclaredTest(1.0, 1e-5, PassLadder({1.0, 1.0, 1e-5}), {1.0}), parameter_error);
  CHECK_THROWS_AS(DeclaredTest(1.0, 1e-5, PassLadder({1.0, 1.0, 1e-5}), {std::nan("")}),
                  parameter_error);
}
