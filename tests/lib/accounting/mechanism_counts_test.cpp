#include "pate/accounting/mechanism_counts.hpp"
#include "pate/divergence/bounds/query_cost.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include "pate/accounting/cost_entries.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "support/accuracy.hpp"

using namespace pate;
using namespace pate_test;

namespace {

const Aggregator kConfident{ThresholdCheck{200.0, 150.0}, {GaussianNoisyMax{40.0}}, false};
const Aggregator kLnmax{std::nullopt, {LaplaceNoisyMax{20.0}}, false};

std::vector<CostEntry> entries(const MechanismCounts& steps) {
  std::vector<Notice> notices;
  return data_independent_entries(steps, default_orders(), {1e-5, false}, notices);
}

const CostEntry* find(const std::vector<CostEntry>& costs, EpsilonMethod conversion) {
  for (const CostEntry& cost : costs) {
    if (cost.conversion == conversion) return &cost;
  }
  return nullptr;
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("steps for several teachers cost what S votes move, and add up with their like only") {
    const MechanismCounts one = steps_of(kConfident, {}, 640, 640);
    MechanismCounts two = steps_of(kConfident, {Adjacency::replace, 2}, 640, 640);
    const MechanismCounts added = steps_of(kConfident, {Adjacency::add_remove, 1}, 640, 640);
    CHECK(relative_error(*two.squared_mu(), 4.0 * *one.squared_mu()) < 1e-14);
    CHECK(relative_error(*added.squared_mu(), 640.0 / 1600.0 + 640.0 / 22500.0) < 1e-14);
    CHECK(relative_error(two.rdp(7.0).selection, 4.0 * one.rdp(7.0).selection) < 1e-9);
    CHECK(relative_error(added.rdp(7.0).selection, one.rdp(7.0).selection) < 1e-14);
    CHECK(relative_error(added.rdp(7.0).noisy_max, 0.5 * one.rdp(7.0).noisy_max) < 1e-9);
    const CostEntry* const gdp = find(entries(two), EpsilonMethod::gdp);
    REQUIRE(gdp != nullptr);
    CHECK_THROWS_WITH_AS(
        two.add(one),
        "steps for different neighbours (neighbours, teachers-per-person) have no cost together",
        parameter_error);
    CHECK_THROWS_WITH_AS(
        two.add(added),
        "steps for different neighbours (neighbours, teachers-per-person) have no cost together",
        parameter_error);
    two.add(two);
    CHECK(two.threshold_checks.at(150.0) == 1280);
    MechanismCounts sum;  // of nothing: takes the neighbours of what is added
    sum.add(added);
    CHECK(sum == added);

    const MechanismCounts laplace = steps_of(kLnmax, {Adjacency::add_remove, 3}, 10, 10);
    CHECK(relative_error(laplace.pure_steps()->front().epsilon, 3.0 / 20.0) < 1e-15);
  }

  TEST_CASE("the steps of a run: a check for every query, a maximum for every answer") {
    const MechanismCounts steps = steps_of(kConfident, {}, 1000, 300);
    CHECK(steps.threshold_checks.at(150.0) == 1000);
    CHECK(steps.maxima.at({GaussianNoisyMax{40.0}}) == 300);
    CHECK(steps.maxima.size() == 1);
    const QueryCost cost = steps.rdp(10.0);
    CHECK(cost.selection == 1000.0 * threshold_data_independent(150.0, 10.0));
    CHECK(cost.noisy_max == 300.0 * data_independent_cost(GaussianNoisyMax{40.0}, 10.0));
    CHECK(relative_error(*steps.squared_mu(), 1000.0 / 22500.0 + 600.0 / 1600.0) < 1e-15);
    CHECK(steps_of(kLnmax, {}, 7, 7).maxima.at({LaplaceNoisyMax{20.0}}) == 7);
    CHECK(!steps_of(kLnmax, {}, 7, 7).squared_mu());
    CHECK(steps_of(kConfident, {}, 0, 0).empty());
    CHECK(!steps.empty());
    CHECK_THROWS_WITH_AS(static_cast<void>(steps_of(kConfident, {}, 3, 4)),
                         "answers must be >= 0 and at most the queries, 3, got 4", parameter_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(steps_of(kConfident, {}, 3, -1)),
                         "answers must be >= 0 and at most the queries, 3, got -1",
                         parameter_error);
  }

  TEST_CASE("counts add up by noise, and two parts cost what the whole costs, to the last bit") {
    MechanismCounts sum = steps_of(kConfident, {}, 400, 100);
    sum.add(steps_of(kConfident, {}, 600, 200));
    const MechanismCounts whole = steps_of(kConfident, {}, 1000, 300);
    CHECK(sum.threshold_checks == whole.threshold_checks);
    CHECK(sum.maxima == whole.maxima);
    const auto of_sum = entries(sum);
    const auto of_whole = entries(whole);
    REQUIRE(of_sum.size() == of_whole.size());
    for (std::size_t i = 0; i < of_sum.size(); ++i) {
      CHECK(of_sum[i].epsilon == of_whole[i].epsilon);
    }
    MechanismCounts many = steps_of(kLnmax, {}, std::int64_t{1} << 52, std::int64_t{1} << 52);
    many.add(many);
    CHECK(many.maxima.at({LaplaceNoisyMax{20.0}}) == std::int64_t{1} << 53);
    CHECK_THROWS_WITH_AS(many.add(steps_of(kLnmax, {}, 1, 1)),
                         "steps of noise 20 must be at most 2^53, got 9007199254740992 and 1",
                         parameter_error);
    // Every kind of step is named by its noise.
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    const auto refused = [&](const char* noise, const auto& put) {
      MechanismCounts its;
      put(its, kMost);
      MechanismCounts one;
      put(one, 1);
      CHECK_THROWS_WITH_AS(
          its.add(one),
          fmt::format("steps of noise {} must be at most 2^53, got {} and 1", noise, kMost).c_str(),
          parameter_error);
    };
    refused("150", [](auto& its, std::int64_t n) { its.threshold_checks[150.0] = n; });
    refused("7", [](auto& its, std::int64_t n) { its.laplace_checks[7.0] = n; });
    refused("9", [](auto& its, std::int64_t n) { its.sparse_rounds[9.0] = n; });
    refused("5", [](auto& its, std::int64_t n) { its.gaussian_sparse_rounds[{5.0, 12}] = n; });
    refused("4", [](auto& its, std::int64_t n) { its.sampled_queries[{0.1, 4.0, 0.0}] = n; });
  }

  TEST_CASE("steps whose cost is not known for the neighbours have none, and say for whom it is") {
    for (const Neighbours& others :
         {Neighbours{Adjacency::replace, 2}, Neighbours{Adjacency::add_remove, 2}}) {
      const auto refused = [&](const auto& put) {
        MechanismCounts its;
        its.neighbours = others;
        put(its);
        const std::string words = "not for " + in_words(others);
        CHECK_THROWS_WITH_AS((void)its.rdp(3.0), doctest::Contains(words.c_str()), parameter_error);
        CHECK_THROWS_WITH_AS((void)its.pure_epsilons(), doctest::Contains(words.c_str()),
                             parameter_error);
      };
      refused([](auto& its) { its.sampled_queries[{0.1, 4.0, 0.0}] = 2; });
      refused([](auto& its) { its.laplace_checks[5.0] = 1; });
      refused([](auto& its) { its.sparse_rounds[5.0] = 1; });
      refused([](auto& its) { its.gaussian_sparse_rounds[{5.0, 3}] = 1; });
      refused([](auto& its) { its.tested_pluralities[1e-9] = 1; });
    }
    MechanismCounts known;
    known.neighbours = {Adjacency::add_remove, 1};
    known.sampled_queries[{0.1, 4.0, 0.0}] = 2;
    CHECK(known.rdp(3.0).total() > 0.0);
  }

  TEST_CASE("which conversions apply depends on the kinds of noise") {
    using enum EpsilonMethod;
    const auto gaussian = entries(steps_of(kConfident, {}, 10, 10));
    CHECK(find(gaussian, gdp) != nullptr);
    CHECK(find(gaussian, pure) == nullptr);
    const auto laplace = entries(steps_of(kLnmax, {}, 10, 10));
    CHECK(find(laplace, gdp) == nullptr);
    CHECK(find(laplace, pure)->epsilon >= 1.0);
    CHECK(find(laplace, pure)->epsilon <= 1.0 + 1e-9);
    CHECK(find(laplace, pure)->delta == 0.0);
    CHECK(find(laplace, kov) != nullptr);

    MechanismCounts two_scales = steps_of(kLnmax, {}, 10, 10);
    two_scales.maxima[{LaplaceNoisyMax{40.0}}] = 20;
    const auto mixed_scales = entries(two_scales);
    CHECK(find(mixed_scales, kov) == nullptr);
    CHECK(find(mixed_scales, pure)->epsilon >= 2.0);
    CHECK(find(mixed_scales, pure)->epsilon <= 2.0 + 1e-9);

    MechanismCounts mixed = steps_of(kConfident, {}, 10, 10);
    mixed.add(steps_of(kLnmax, {}, 10, 10));
    const auto both = entries(mixed);
    CHECK(both.size() == 3);
    // RDP adds: more than either alone.
    CHECK(find(both, improved)->epsilon > find(gaussian, improved)->epsilon);
    CHECK(find(both, improved)->epsilon > find(laplace, improved)->epsilon);
    for (const CostEntry& cost : both) CHECK(cost.releasable);
  }

  TEST_CASE("no steps cost nothing") {
    for (const Aggregator& aggregator : {kConfident, kLnmax}) {
      for (const CostEntry& cost : entries(steps_of(aggregator, {}, 0, 0))) {
        CHECK(cost.epsilon == 0.0);
        CHECK(!cost.order);
      }
    }
  }
}
