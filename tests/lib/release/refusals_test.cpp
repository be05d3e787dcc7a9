#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/release/curve/complex_curve.hpp"
#include "pate/release/curve/complex_parameters.hpp"
#include "pate/release/curve/complex_plan.hpp"
#include "pate/release/curve/curve_plan.hpp"
#include "pate/release/curve/curve_release.hpp"
#include "pate/release/declared/at_most_plan.hpp"
#include "pate/release/declared/declared_run.hpp"
#include "pate/release/declared/pass_ladder.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/release/smooth/release_plan.hpp"
#include "support/curve_votes.hpp"
#include "support/temp_directory.hpp"

// What cannot be released or declared is refused in words, before anything is computed of votes.

using namespace pate;
using pate::test::message_of;
using pate_test::curve_question;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <typename Error = parameter_error>
std::string refusal(const std::function<void()>& action) {
  return message_of<Error>(action);
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

VoteProfile some_votes(const CostSpec& question) {
  return pate_test::favouring_votes(question, 0.8, 5, 3);
}

}  // namespace

TEST_SUITE_BEGIN("release");

TEST_CASE("refused: costs that there are not for an aggregator") {
  const auto said = [](const std::function<void(CostSpec&)>& change) {
    CostSpec question = curve_question(12, 3, 4.0);
    change(question);
    return refusal([&] { validate(question); });
  };
  CHECK(said([](CostSpec&) {}) == "[no exception]");
  CHECK(said([](CostSpec& its) { its.classes = 1; }) ==
        "with a single class nothing depends on the votes");
  CHECK(said([](CostSpec& its) { its.teachers = 0; }) == "a release needs at least one teacher");
  CHECK(says(said([](CostSpec& its) { its.cost = CurveCost::exact; }),
             "the exact cost can be released for two classes with Gaussian noise"));
  CHECK(says(said([](CostSpec& its) { its.aggregator.noisy_max = LaplaceNoisyMax{20.0}; }),
             "threshold"));
  CHECK(says(said([](CostSpec& its) {
               its.aggregator.selection.reset();
               its.aggregator.noisy_max = LaplaceNoisyMax{20.0};
             }),
             "the tilted cost is one of Gaussian noise; use the trade-off cost"));
  CHECK(said([](CostSpec& its) {
          its.aggregator.selection.reset();
          its.reading = ReleasedCost::realized;
        }) == "the realized cost is one of aggregators with a threshold");
}

TEST_CASE("refused: curves that fall, are no numbers, or end below what a run may cost") {
  const CostSpec question = curve_question(6, 2, 3.0);
  const ComplexOrders orders = curve_orders(question, 2.0, 1e-4);
  const DiscreteGaussian noise(3.0);
  const auto said = [&](std::vector<double> values, double delta = 1e-4) {
    return refusal([&] { (void)ComplexCurve(orders, noise, delta, 0, std::move(values), 0); });
  };
  CHECK(said({0.5, 1.0}) == "[no exception]");
  for (const std::vector<double>& values :
       {std::vector<double>{}, {-1.0, 2.0}, {kNaN}, {1.0, 1e9}, {1.0, kInfinity}}) {
    CHECK(said(values) == "a curve must be >= 0 and below 1e9");
  }
  CHECK(said({2.0, 1.0, 3.0}) == "a curve must not fall");
  CHECK(said({2.0, kNaN, 3.0}) == "a curve must not fall");
  for (const double delta : {0.0, 1.0, kNaN}) {
    CHECK(said({1.0}, delta) != "[no exception]");
  }
  const auto parameters = [](const ComplexParameters& its) {
    return refusal([&] { validate(its); });
  };
  CHECK(parameters({2.0, 1.0, 4.0, 0.1}) == "[no exception]");
  CHECK(parameters({0.001, 1.0, 4.0, 0.1}) ==
        "the epsilon that complex orders suit must be in [0.01, 1000], got 0.001");
  CHECK(parameters({2.0, 1001.0, 4.0, 0.1}) ==
        "the floor of a curve must be in [0, 1000], got 1001");
  CHECK(parameters({2.0, 1.0, 4.0, 11.0}) == "beta of a curve must be > 1e-6 and <= 10, got 11");
  ComplexCosts costs{6, orders, {}};
  CHECK(refusal([&] { (void)ComplexCurve(orders, noise, 1e-4, 0, {1.0}, 0).index(costs); }) ==
        "an index needs moduli at the orders of its curve, at every distance");
}

TEST_CASE("refused: releases through a curve of other votes than they were set up for") {
  CurveSettings settings;
  settings.question = curve_question(6, 2, 3.0);
  settings.parameters = {3.0, 3.0, 0.2};
  settings.delta = 1e-4;
  settings.queries = 5;
  const VoteProfile votes = some_votes(settings.question);
  const auto said = [&](const std::function<void(CurveSettings&)>& change) {
    CurveSettings changed = settings;
    change(changed);
    return refusal([&] { (void)CurveMechanism(changed); });
  };
  CHECK(said([](CurveSettings&) {}) == "[no exception]");
  CHECK(said([](CurveSettings& its) { its.queries = 0; }) ==
        "0 queries of which 0 were answered cannot be released");
  CHECK(said([](CurveSettings& its) { its.answered = 6; }) ==
        "5 queries of which 6 were answered cannot be released");
  CHECK(said([](CurveSettings& its) { its.answered = -1; }) ==
        "5 queries of which -1 were answered cannot be released");
  for (const double added : {-1.0, kNaN, kInfinity}) {
    CHECK(says(said([&](CurveSettings& its) { its.added_rdp = added; }),
               "an added cost must be >= 0 and finite, got "));
  }
  CHECK(says(refusal<validity_error>([&] {
               CurveSettings changed = settings;
               changed.added_rdp = 1e300;
               (void)CurveMechanism(changed);
             }),
             "count"));
  VoteProfile others = votes;
  others.queries = 4;
  const std::string other = "the votes are not those that the release was set up for";
  CHECK(refusal([&] { (void)CurveMechanism(settings).place(others); }) == other);
  settings.question.reading = ReleasedCost::realized;
  settings.answered = 2;
  others = votes;
  others.has_decisions = false;
  CHECK(refusal([&] { (void)CurveMechanism(settings).place(others); }) == other);
  others.has_decisions = true;
  others.answered = 3;
  CHECK(refusal([&] { (void)CurveMechanism(settings).place(others); }) == other);
}

TEST_CASE("refused: runs without queries, by every method") {
  VoteProfile none = some_votes(curve_question(6, 2, 3.0)).without_queries();
  none.queries = 0;
  CurvePlanSettings curve;
  curve.delta = 1e-5;
  CHECK(refusal([&] { (void)curve_plan(none, curve); }) ==
        "a release through a curve needs at least one query, got none");
  ComplexPlanSettings complex;
  complex.delta = 1e-5;
  CHECK(refusal([&] { (void)complex_plan(none, complex); }) ==
        "a release through a curve needs at least one query, got none");
  AtMostSettings claim;
  claim.delta = 1e-5;
  claim.claim = 1.0;
  CHECK(refusal([&] { (void)at_most_plan(none, claim); }) ==
        "a claim needs at least one query, got none");
  // Parameters from the labels need the labels.
  VoteProfile votes = some_votes(curve_question(6, 2, 3.0));
  votes.has_decisions = false;
  curve.origin = ParameterOrigin::released_labels;
  CHECK(refusal([&] { (void)curve_plan(votes, curve); }) ==
        "parameters from the labels need to know which queries were answered");
}

TEST_CASE("refused: budgets that cannot be declared, and what follows a failed test") {
  DeclaredSettings settings;
  settings.question = curve_question(6, 2, 0.0);
  settings.budget = {2.0, 1e-3, false};
  settings.queries = 5;
  const auto said = [&](const std::function<void(DeclaredSettings&)>& change) {
    DeclaredSettings changed = settings;
    change(changed);
    try {
      (void)DeclaredMechanism(changed);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(said([](auto&) {}) == "");
  CHECK(said([](auto& its) { its.queries = 0; }) ==
        "a declared budget needs at least one query, got none");
  CHECK(said([](auto& its) { its.question.reading = ReleasedCost::realized; }) ==
        "a declared budget counts every query: its reading is joint");
  for (const std::int64_t after : {0, 6, -3}) {
    CHECK(said([&](auto& its) {
            its.budget.has_fallback = true;
            its.fallback_queries = after;
          }) == "a failed test can be followed by 1 to 5 queries, got " + std::to_string(after));
  }
  const std::string dear = said([](auto& its) {
    its.budget.has_fallback = true;
    its.queries = its.fallback_queries = 5000;
  });
  CHECK(says(dear, "5000 queries after a failed test cost epsilon = "));
  CHECK(says(dear, " whatever the votes, where 1 is kept for them; at most "));
  CHECK(said([](auto& its) {
          its.budget = {60.0, 1e-3, true};
          its.fallback_queries = 1;
        }) == "");
  CHECK(says(said([](auto& its) {
               its.budget = {2.0, 1e-12, false};
               its.certificate = Certificate::renyi;
             }),
             "epsilon = 2 at delta = 1e-12 is out of reach: even answers that cost nothing would "
             "pass with probability "));
  VoteProfile votes = some_votes(settings.question);
  votes.queries = 4;
  CHECK(refusal([&] { (void)DeclaredMechanism(settings).level(votes, CurveTableSource()); }) ==
        "the votes are not those that the budget was declared for");

  const auto ladder = [](const LadderTerms& terms) {
    return refusal([&] { (void)PassLadder(terms); });
  };
  CHECK(ladder({1.0, 1.0, 1e-5}) == "[no exception]");
  for (const double wrong : {0.0, -1.0, 1e9, kNaN, kInfinity}) {
    CHECK(says(ladder({wrong, 1.0, 1e-5}), "an epsilon that is told beforehand must be from "));
    CHECK(says(ladder({1.0, wrong, 1e-5}), "the growth of a ladder must be from "));
  }
  for (const double wrong : {0.0, 1.0, -1.0, 2.0, kNaN}) {
    CHECK(says(ladder({1.0, 1.0, wrong}), "the delta of a declared budget must be from "));
  }
  for (const double wrong : {-0.5, 1e9, kNaN}) {
    CHECK(says(refusal([&] { (void)exp_rounded_down(wrong, 64); }), "e^x is wanted for x from 0"));
  }
}

TEST_CASE("refused: certificates by complex orders where moments by key are not known") {
  const auto said = [](const std::function<void(CostSpec&)>& change) {
    CostSpec question = joint_question(Aggregator{{}, GaussianNoisyMax{40.0}}, {}, 300, 5);
    change(question);
    CHECK(has_complex_moments(question) == (refusal([&] {
                                              check_certificate(Certificate::complex, question);
                                            }) == "[no exception]"));
    CHECK_NOTHROW(check_certificate(Certificate::renyi, question));
    const Certificate usual = default_certificate(question);
    CHECK(usual == (has_complex_moments(question) && question.teachers <= 400
                        ? Certificate::complex
                        : Certificate::renyi));
    return refusal([&] { (void)certificate_rule(Certificate::complex, question); });
  };
  const auto needs = [](const std::string& what) {
    return "a certificate by complex orders needs " + what +
           ": use that by Renyi orders (\1certificate renyi)";
  };
  CHECK(said([](CostSpec&) {}) == "[no exception]");
  CHECK(said([](CostSpec& its) { its.teachers = 2000; }) == "[no exception]");
  CHECK(said([](CostSpec& its) { its.teachers = 2001; }) == needs("2000 teachers at most"));
  CHECK(said([](CostSpec& its) { its.aggregator.noisy_max = LaplaceNoisyMax{40.0}; }) ==
        needs("Gaussian noise"));
  CHECK(said([](CostSpec& its) {
          its.aggregator.selection = ThresholdCheck{150.0, 40.0};
          its.aggregator.interactive = true;
        }) == needs("no student"));
  CHECK(said([](CostSpec& its) { its.reading = ReleasedCost::realized; }) ==
        needs("costs of every query"));
  CHECK(says(said([](CostSpec& its) { its.neighbours.teachers = 2; }),
             "needs one teacher that votes otherwise, not 2 teachers of a person"));
  // 302 / 60, rounded up.
  CHECK(said([](CostSpec& its) { its.aggregator.noisy_max.noise = GaussianNoisyMax{5.0}; }) ==
        needs("sigma2 of a sixtieth of the teachers, 5.034 or more"));
  CHECK(said([](CostSpec& its) { its.aggregator.noisy_max.noise = GaussianNoisyMax{5.034}; }) ==
        "[no exception]");
}

TEST_CASE("refused: costs by complex orders that end too near, or are beyond what can be counted") {
  const CostSpec question = curve_question(6, 2, 3.0);
  const ComplexOrders orders = curve_orders(question, 2.0, 1e-4);
  const ComplexTest test(2.0, 1e-4, PassLadder({2.0, 2.0, 1e-4}));
  const auto at_distances = [&](std::int64_t teachers, std::size_t size) {
    return ComplexCosts{
        teachers, orders, {size, std::vector<CostUnits>(orders.size(), CostUnits{0})}};
  };
  const auto said = [&](std::int64_t teachers, std::size_t size) {
    return refusal([&] { (void)test.level(at_distances(teachers, size)); });
  };
  const std::string missing = "a declared budget needs the moduli of the run at every distance";
  const std::size_t last = test.ladder().last();
  CHECK(said(1000, 0) == missing);
  CHECK(said(1000, last - 1) == missing);
  CHECK(said(1000, last) == "[no exception]");
  CHECK(said(3, 4) == "[no exception]");  // all distances there are
  VoteProfile votes = some_votes(question);
  votes.distinct.front().count = 40'000;  // 32 each make 2^20 and more
  CHECK(refusal<validity_error>([&] {
          (void)run_costs(question, {&votes, 1}, orders, CurveTableSource(), 1);
        }) == "the run may cost more than a declared budget can count");
}

TEST_CASE("refused: releases by smooth sensitivity at orders and confidences that are none") {
  const VoteProfile votes = some_votes(curve_question(6, 3, 3.0));
  for (const double order : {1.0, 0.0, kNaN, kInfinity}) {
    CHECK(says(refusal([&] { (void)cost_at_order(votes, order, {}); }),
               "the order must be > 1 and finite, got "));
  }
  VoteProfile undecided = votes;
  undecided.has_decisions = false;
  CostChoice realized;
  realized.cost = ReleasedCost::realized;
  CHECK(refusal([&] { (void)cost_at_order(undecided, 3.0, realized); }) ==
        "the realized cost needs a threshold and the decisions of the run");
  realized.bound = ReleasedBound::exact;
  VoteProfile decided = votes;
  decided.has_decisions = true;
  CHECK(refusal([&] { (void)cost_at_order(decided, 3.0, realized); }) ==
        "the exact cost has no realized reading; release the joint one, or the trade-off bound");
  const auto parameters = [](const ReleaseParameters& its) {
    return refusal([&] { validate(its); });
  };
  CHECK(parameters({4.0, 0.1, 3.0}) == "[no exception]");
  for (const double order : {1.0, kNaN, 2e9}) {
    CHECK(says(parameters({order, 0.1, 3.0}), "the order of a release must be from 1 + 1e-9"));
  }
  for (const double beta : {0.0, -0.1, largest_beta(4.0), kNaN}) {
    CHECK(
        says(parameters({4.0, beta, 3.0}), "beta must be > 0 and < 1/2 log(order / (order - 1))"));
  }
  for (const double sigma : {0.0, -1.0, kNaN, kInfinity}) {
    CHECK(says(parameters({4.0, 0.1, sigma}), "sigma-ss must be > 0 and finite, got "));
  }
  for (const double confidence : {0.49, 1.0, kNaN, -1.0}) {
    CHECK(says(refusal([&] { (void)safety_factor(confidence, 1e-5); }),
               "confidence must be >= 0.5 and < 1, got "));
  }
  CHECK(safety_factor(0.5, 1e-5) == 0.0);
  // Unset it fails with probability delta, and at most half of the time.
  CHECK(safety_factor({}, 0.7) == 0.0);
  CHECK(safety_factor({}, 0.001) >= safety_factor(0.999, 0.001) * (1.0 - 1e-9));
}

TEST_SUITE_END();
