#include "pate/accounting/bound_at_orders.hpp"

#include <doctest/doctest.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "pate/accounting/cost_sums.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "support/accuracy.hpp"
#include "support/crowded_queries.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

const std::vector<double> kOrders{2.0, 9.0};

Mechanism checked(const NoisyMax& noisy_max) {
  Aggregator result;
  result.noisy_max = noisy_max;
  result.selection = ThresholdCheck{155.0, 30.0};
  return result;
}

QCells::Position at_log_q(double log_q) {
  return {log_q, QCells::kNoCell, {}};
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("bounds that do not go by q are none of queries") {
    Random random(77);
    const QueryCounts counts = crowded_queries(random, 20, 3, 1e-3, 5.0);
    const CostInputs inputs(counts, checked(NoisyMax{GaussianNoisyMax{20.0}}), {}, 1);
    for (const Bound bound : {Bound::data_independent, Bound::tilted, Bound::complex, Bound::exact,
                              Bound::exact_per_teacher, Bound::released, Bound::declared}) {
      CHECK_THROWS_WITH_AS((void)bound_at_orders(bound, inputs, kOrders, 1),
                           "only the published and the trade-off bound depend on queries through q",
                           parameter_error);
    }
  }

  TEST_CASE("the published bound has no cost of a query as one mechanism") {
    Random random(78);
    const QueryCounts counts = crowded_queries(random, 20, 3, 1e-3, 5.0);
    const CostInputs inputs(counts, checked(NoisyMax{GaussianNoisyMax{20.0}}), {}, 1);
    const auto costs = bound_at_orders(Bound::published, inputs, kOrders, 1);
    const std::array<std::size_t, 2> all{0, 1};
    std::array<double, 2> to{-1.0, -1.0};
    CHECK_THROWS_WITH_AS(costs->joint(150, at_log_q(-3.0), all, to),
                         "only the trade-off bound sees a query as one mechanism",
                         std::logic_error);
    CHECK_THROWS_WITH_AS((void)costs->joint_at_nodes(0, 150, 0),
                         "only the trade-off bound sees a query as one mechanism",
                         std::logic_error);
    // What cannot go wrong costs nothing.
    costs->noisy_max(at_log_q(-kInfinity), all, to);
    CHECK(to == std::array{0.0, 0.0});
    bound_at_orders(Bound::tradeoff, inputs, kOrders, 1)
        ->noisy_max(at_log_q(-kInfinity), std::span(all).first(1), to);
    CHECK(to == std::array{0.0, 0.0});
  }

  TEST_CASE("a maximum behind a test of stability cannot go wrong, and has no cost of its own") {
    Random random(79);
    const QueryCounts counts = crowded_queries(random, 20, 3, 1e-3, 5.0);
    const CostInputs inputs(counts, StabilityTest::with_laplace(0.5, 1e-6), {}, 1);
    const auto costs = bound_at_orders(Bound::tradeoff, inputs, kOrders, 1);
    const std::array<std::size_t, 2> all{0, 1};
    std::array<double, 2> to{-1.0, -1.0};
    costs->noisy_max(at_log_q(-kInfinity), all, to);
    CHECK(to == std::array{0.0, 0.0});
    CHECK_THROWS_WITH_AS(costs->noisy_max(at_log_q(-3.0), all, to),
                         "a selection goes with Gaussian noise, or with PTR", parameter_error);
  }

  TEST_CASE("without a table a query costs by the trade-off bound what a step costs") {
    Random random(80);
    const QueryCounts counts = crowded_queries(random, 20, 3, 1e-3, 5.0);
    const std::array<std::size_t, 2> all{0, 1};
    std::array<double, 2> to{};
    Aggregator plain;
    plain.noisy_max = LaplaceNoisyMax{20.0};
    const CostInputs of_plain(counts, plain, {}, 1);
    bound_at_orders(Bound::tradeoff, of_plain, kOrders, 1)->noisy_max(at_log_q(-3.0), all, to);
    for (const std::size_t j : all) {
      CHECK(to.at(j) == tradeoff_cost(plain.step({}), -3.0, kOrders[j]).larger());
    }
  }

  TEST_CASE("a reading that sums over queries do not have is infinite, and values without a name") {
    RunCost cost{};
    cost.selection = 1.0;
    cost.noisy_max_expected = 2.0;
    cost.noisy_max_realized = 4.0;
    cost.joint = 8.0;
    CHECK(cost.rdp(GuaranteeKind::joint) == 8.0);
    CHECK(cost.rdp(GuaranteeKind::expected) == 3.0);
    CHECK(cost.rdp(GuaranteeKind::realized) == 5.0);
    CHECK(cost.rdp(GuaranteeKind::worst_case) == 11.0);
    CHECK(cost.rdp(GuaranteeKind::released) == kInfinity);
    CHECK(name(static_cast<Bound>(99)).empty());
    CHECK(name(static_cast<Layout>(99)).empty());
  }
}
