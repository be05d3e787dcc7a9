// Runs that other suites plan with votes at hand, and where searches of a plan end.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "pate/accounting/planning/plan.hpp"
#include "pate/accounting/sampled_profile.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "support/accuracy.hpp"

using namespace pate;
using namespace pate_test;

namespace {

double epsilon_by(const Plan& plan, EpsilonMethod conversion) {
  for (const CostEntry& cost : plan.costs) {
    if (cost.conversion == conversion) return cost.epsilon;
  }
  return kNaN;
}

double headline_of_plan(const PlannedRun& run, const PlanSettings& settings) {
  const Plan its = plan(run, settings);
  return its.costs[its.headline].epsilon;
}

const PlanSettings kSettings{1e-5, {}, {}};

PlannedRun tested_run() {
  PlannedRun run;
  run.queries = 10;
  run.ptr_delta = 1e-8;
  return run;
}

PlannedRun sampled_run(double rate, std::int64_t queries) {
  PlannedRun run;
  run.queries = queries;
  run.neighbours = {Adjacency::add_remove, 1};
  run.sampling = Sampling{rate};
  return run;
}

}  // namespace

TEST_SUITE("planning") {
  TEST_CASE("a test of every query costs its epsilons, or its noise as one Gaussian, and deltas") {
    PlannedRun run = tested_run();
    run.ptr_laplace = 0.25;
    const Plan laplace = plan(run, kSettings);
    CHECK(covers(epsilon_by(laplace, EpsilonMethod::pure), 2.5));
    CHECK(epsilon_by(laplace, EpsilonMethod::kov) ==
          doctest::Approx(composed_pure_dp_epsilon(0.25, 10, 1e-5 - 1e-7)).epsilon(1e-9));
    CHECK(covers(laplace.steps.delta(), 1e-7));
    CHECK(std::isnan(epsilon_by(laplace, EpsilonMethod::strong)));
    CHECK(!run.noisy_max());
    run = tested_run();
    run.ptr_sigma = 3.0;
    const Plan gaussian = plan(run, kSettings);
    CHECK(epsilon_by(gaussian, EpsilonMethod::gdp) ==
          doctest::Approx(gaussian_dp_epsilon(std::sqrt(10.0) / 3.0, 1e-5 - 1e-7)).epsilon(1e-9));
    // Refusals tell of votes too, and so they do where there is a threshold.
    CHECK(guarantee_of(gaussian).promise.find("the answers and refusals of such a run") !=
          std::string::npos);
    const Plan found =
        solve(run, kSettings, PlanParameter::ptr_sigma, gaussian.costs[gaussian.headline].epsilon);
    CHECK(relative_error(*found.run.ptr_sigma, 3.0) < 1e-9);
    CHECK(found.solved->value == *found.run.ptr_sigma);
    // Nothing is left of delta for the eleventh query, however much noise there is.
    run.ptr_delta = 0.95e-6;
    run.ptr_sigma = 1e6;
    const Plan most = solve(run, kSettings, PlanParameter::queries, 1.0);
    CHECK(most.run.queries == 10);
    for (const Notice& notice : most.notices) CHECK(notice.code != "solved_at_limit");
  }

  TEST_CASE("rounds of a sparse test: what one costs, and all that may be refused") {
    PlannedRun run = tested_run();
    run.ptr_sparse = 2.0;
    run.max_refusals = 1;
    // One round is (2, delta)-DP.
    CHECK(covers(epsilon_by(plan(run, kSettings), EpsilonMethod::pure), 2.0));
    CHECK_THROWS_WITH_AS((void)solve(run, kSettings, PlanParameter::max_refusals, 1.5),
                         doctest::Contains("no value of max_refusals keeps epsilon 1.5 at delta "
                                           "1e-05: one refusal costs 1.9999"),
                         validity_error);
    const Plan all = solve(run, kSettings, PlanParameter::max_refusals, 20.5);
    CHECK(all.run.max_refusals == 10);
    CHECK(covers(epsilon_by(all, EpsilonMethod::pure), 20.0));
    REQUIRE(!all.notices.empty());
    CHECK(all.notices.back().message == "max_refusals: every query may be refused");
    const Plan some = solve(run, kSettings, PlanParameter::max_refusals, 7.0);
    CHECK(some.solved->value == 3.0);
    run.ptr_sparse.reset();
    const Plan noise = solve(run, {1e-5, {}, std::vector<double>{8.0, 16.0}},
                             PlanParameter::ptr_sparse_sigma, 3.0);
    run.ptr_sparse_sigma = *noise.run.ptr_sparse_sigma * (1.0 - 1e-9);
    CHECK(headline_of_plan(run, {1e-5, {}, std::vector<double>{8.0, 16.0}}) > 3.0);
  }

  TEST_CASE("a test of stability is given by one noise, its delta and, if sparse, refusals") {
    const auto refused = [](const std::function<void(PlannedRun&)>& change,
                            const char* words =
                                "PTR needs ptr-delta and one of ptr-laplace, ptr-sigma, "
                                "ptr-sparse and ptr-sparse-sigma, the last two with max-refusals, "
                                "and no other noise; max-answers changes no cost of it") {
      PlannedRun run = tested_run();
      run.ptr_laplace = 0.25;
      change(run);
      CHECK_THROWS_WITH_AS(validate(run), doctest::Contains(words), parameter_error);
    };
    refused([](PlannedRun& run) { run.sigma2 = 4.0; });
    refused([](PlannedRun& run) { run.sigma1 = 4.0; });
    refused([](PlannedRun& run) { run.laplace_scale = 4.0; });
    refused([](PlannedRun& run) { run.max_answers = 4; });
    refused([](PlannedRun& run) { run.ptr_sigma = 4.0; });
    refused([](PlannedRun& run) { run.ptr_delta.reset(); });
    refused([](PlannedRun& run) { run.ptr_laplace.reset(); });
    refused([](PlannedRun& run) { run.max_refusals = 4; });
    refused([](PlannedRun& run) {
      run = {};
      run.sigma2 = 4.0;
      run.max_refusals = 4;
    });
    refused([](PlannedRun& run) {
      run.ptr_laplace.reset();
      run.ptr_sparse = 0.5;
    });
    refused([](PlannedRun& run) { run.neighbours.teachers = 2; },
            "PTR is known for one teacher that votes otherwise, not for 2 teachers");
    refused([](PlannedRun& run) { run.ptr_delta = 0.2; }, "0.2");
    refused(
        [](PlannedRun& run) {
          run = {};
          run.queries = 0;
          run.sigma2 = 4.0;
        },
        "queries must be at least 1 and at most 1000000000, got 0");
  }

  TEST_CASE("one noise on one of two counts costs half of one on both") {
    PlannedRun run;
    run.queries = 10;
    run.laplace_scale = 20.0;
    CHECK(covers(epsilon_by(plan(run, kSettings), EpsilonMethod::pure), 1.0));
    run.one_noise = true;
    const Plan one = plan(run, kSettings);
    CHECK(covers(epsilon_by(one, EpsilonMethod::pure), 0.5));
    CHECK(guarantee_of(one).promise.find("the answers of such a run") != std::string::npos);
    const Plan found =
        solve(run, {1e-5, EpsilonMethod::pure, {}}, PlanParameter::laplace_scale, 0.25);
    CHECK(relative_error(*found.run.laplace_scale, 40.0) < 1e-9);
    run.laplace_scale.reset();
    run.sigma2 = 20.0;
    CHECK_THROWS_WITH_AS(validate(run), "one noise goes with laplace-scale in a plan",
                         parameter_error);
    run.one_noise = false;
    const Plan check = solve(run, {1e-5, EpsilonMethod::gdp, {}}, PlanParameter::sigma1, 2.0);
    // The noise that leaves mu^2 = mu(2)^2 - 10 * 2/400.
    CHECK(gaussian_dp_epsilon(std::sqrt(0.05 + 10.0 / *check.run.sigma1 / *check.run.sigma1),
                              1e-5) == doctest::Approx(2.0).epsilon(1e-9));
  }

  TEST_CASE("the smallest noise there is keeps a target that nobody has") {
    PlannedRun run;
    run.queries = 1;
    const Plan all = solve(run, kSettings, PlanParameter::sigma2, 1e300);
    CHECK(all.solved->value == 1e-100);
    CHECK(all.notices.back().message == "sigma2: the smallest noise there is keeps the target");
    // No profile has a grid for such an epsilon.
    PlannedRun sampled = sampled_run(0.2, 1);
    sampled.sigma2 = 1e-100;
    CHECK(std::isnan(epsilon_by(plan(sampled, kSettings), EpsilonMethod::profile)));
  }

  TEST_CASE("of a few queries that samples answer: noise and counts within a thousandth") {
    PlannedRun run = sampled_run(0.3, 2);
    const PlanSettings few{1e-5, {}, std::vector<double>{6.0, 12.0, 24.0}};
    const Plan noise = solve(run, few, PlanParameter::sigma2, 1.0);
    CHECK(noise.costs[noise.headline].conversion == EpsilonMethod::profile);
    CHECK(noise.costs[noise.headline].epsilon <= 1.0);
    run.sigma2 = *noise.run.sigma2 * (1.0 - 1.2e-3);
    CHECK(headline_of_plan(run, few) > 1.0);
    // Counts below a thousand are exact.
    run.sigma2 = 5.0;
    run.queries = 3;
    const double of_three = headline_of_plan(run, few);
    const Plan three = solve(run, few, PlanParameter::queries, of_three);
    CHECK(three.run.queries == 3);
    CHECK(three.costs[three.headline].epsilon == of_three);
    run.queries = 1;
    const double of_one = headline_of_plan(run, few);
    CHECK(solve(run, few, PlanParameter::queries, of_one).run.queries == 1);
    CHECK_THROWS_WITH_AS((void)solve(run, few, PlanParameter::queries, 0.99 * of_one),
                         doctest::Contains("one query costs"), validity_error);
  }

  TEST_CASE("queries that samples answer: Gaussian noise, every answer, one teacher more or less") {
    PlannedRun run = sampled_run(0.3, 20);
    run.sigma2 = run.sigma1 = 10.0;
    CHECK_NOTHROW(validate(run));
    const auto refused = [&](const char* words, void (*change)(PlannedRun&)) {
      PlannedRun its = run;
      change(its);
      CHECK_THROWS_WITH_AS((void)plan(its, kSettings), doctest::Contains(words), parameter_error);
    };
    refused("not for 1 teacher that votes otherwise", [](PlannedRun& its) { its.neighbours = {}; });
    refused(" exclude \1max-answers", [](PlannedRun& its) { its.max_answers = 10; });
    refused("above 0 and below 1, got 1;", [](PlannedRun& its) { its.sampling = Sampling{1.0}; });
    refused("above 0 and below 1, got nan;",
            [](PlannedRun& its) { its.sampling = Sampling{kNaN}; });
    refused("are known for Gaussian noise on every count (\1sigma2)", [](PlannedRun& its) {
      its.sigma1.reset();
      its.sigma2.reset();
      its.laplace_scale = 5.0;
    });
  }

  TEST_CASE("where samples answer a conversion that is asked for is kept by RDP, to all digits") {
    PlannedRun run = sampled_run(0.2, 20);
    run.sigma2 = 6.0;
    const PlanSettings by_rdp{1e-5, EpsilonMethod::improved, std::vector<double>{4.0, 8.0, 12.0}};
    const double target = headline_of_plan(run, by_rdp);
    const Plan found = solve(run, by_rdp, PlanParameter::sigma2, target);
    CHECK(relative_error(*found.run.sigma2, 6.0) < 1e-9);
    CHECK(solve(run, by_rdp, PlanParameter::queries, target).run.queries == 20);
  }

  TEST_CASE("the profile of samples is left out where nothing says how fine it must be") {
    const SampledGaussian sampled{0.2, 5.0, 0.0};
    CostEntry entry{Bound::data_independent, GuaranteeKind::worst_case, EpsilonMethod::optimal};
    entry.epsilon = 1.0;
    CHECK(!sampled_profile_entry(sampled, 10, 1e-5, {}));
    CHECK(!sampled_profile_entry(sampled, 10, 1e-5, {&entry, 1}));  // has no order
    entry.order = 8.0;
    entry.epsilon = kInfinity;
    CHECK(!sampled_profile_entry(sampled, 10, 1e-5, {&entry, 1}));
    entry.epsilon = 1.0;
    CHECK(sampled_profile_entry(sampled, 10, 1e-5, {&entry, 1}));
  }
}
