#include "pate/accounting/planning/plan.hpp"
#include "pate/divergence/bounds/query_cost.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "pate/base/error.hpp"
#include "pate/divergence/bounds/sampled_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

double epsilon(const Plan& plan, EpsilonMethod conversion) {
  for (const CostEntry& cost : plan.costs) {
    if (cost.conversion == conversion) return cost.epsilon;
  }
  return kNaN;
}

}  // namespace

TEST_SUITE("planning") {
  TEST_CASE("queries that a sample of the teachers answers") {
    PlannedRun run;
    run.sigma2 = 4.0;
    run.queries = 1000;
    run.neighbours = {Adjacency::add_remove, 1};
    const Plan all = plan(run, {1e-5, {}, {}});
    run.sampling = Sampling{0.1};
    const Plan sampled = plan(run, {1e-5, {}, {}});
    // numpy, a Fourier transform of the losses on a grid of 2e-6, rounded up and down: the truth is
    // from 3.431694 to 3.433572 where the teacher is there, 3.320560 to 3.322508 where it is not.
    const double profile = epsilon(sampled, EpsilonMethod::profile);
    CHECK(profile >= 3.431694);
    CHECK(profile <= 3.4336 * 1.01);
    CHECK(sampled.costs[sampled.headline].conversion == EpsilonMethod::profile);
    CHECK(profile < epsilon(sampled, EpsilonMethod::optimal));
    CHECK(epsilon(sampled, EpsilonMethod::optimal) < epsilon(all, EpsilonMethod::optimal));
    // What is added to other runs is the cost with samples.
    CHECK(sampled.steps.rdp(8.0).total() == 1000.0 * sampled_cost(*run.sampled(), 8.0));
    CHECK(!sampled.steps.squared_mu());
    CHECK(guarantee_of(sampled).assumes.size() == guarantee_of(all).assumes.size() + 1);
    // From 1.679003 to 1.679404 by the same.
    run = {};
    run.sigma2 = 10.0;
    run.queries = 200;
    run.neighbours = {Adjacency::add_remove, 1};
    run.sampling = Sampling{0.3};
    const double other = epsilon(plan(run, {1e-5, {}, {}}), EpsilonMethod::profile);
    CHECK(other >= 1.679003);
    CHECK(other <= 1.6795 * 1.01);
    // A check is one mechanism with its maximum: 1/sigma1^2 + 1/sigma2^2 decides.
    run.sigma2 = run.sigma1 = 10.0 * std::sqrt(2.0);
    CHECK(epsilon(plan(run, {1e-5, {}, {}}), EpsilonMethod::profile) ==
          doctest::Approx(other).epsilon(1e-9));
  }

  TEST_CASE("the defaults of private kNN, where a vote moves, and as if it appeared") {
    // mpmath at 25 digits: a Fourier integral of the moments of the losses at a + it, forward,
    // which is the larger direction, at 1,000 queries and delta 1e-5.
    struct Known {
      double sigma2, rate, moves, appears;
    };
    for (const Known& known : {Known{45.1, 0.2, 0.72008823275211, 0.49298877762866},
                               Known{25.0, 0.05, 0.30285741773252, 0.20732574197822},
                               Known{28.0, 0.2, 1.2164518361047, 0.83049182180639}}) {
      PlannedRun run;
      run.queries = 1000;
      run.sigma2 = known.sigma2;
      run.sampling = Sampling{known.rate, SampleOf::records};
      const Plan moves = plan(run, {1e-5, {}, {}});
      CHECK(moves.costs[moves.headline].epsilon >= known.moves);
      CHECK(moves.costs[moves.headline].epsilon <= known.moves * 1.001);
      CHECK(moves.costs[moves.headline].releasable);
      CHECK(guarantee_of(moves).promise.starts_with("Had any one record not been there"));
      run.sampling = Sampling{known.rate, SampleOf::teachers};
      CHECK_THROWS_AS((void)plan(run, {1e-5, {}, {}}), parameter_error);
      run.neighbours = {Adjacency::add_remove, 1};
      const Plan appears = plan(run, {1e-5, {}, {}});
      CHECK(appears.costs[appears.headline].epsilon >= known.appears);
      CHECK(appears.costs[appears.headline].epsilon <= known.appears * 1.001);
    }
  }

  TEST_CASE("where samples answer a calibration keeps its target, to three digits") {
    PlannedRun run;
    run.queries = 50;
    run.neighbours = {Adjacency::add_remove, 1};
    run.sampling = Sampling{0.2};
    const PlanSettings settings{1e-5, {}, {}};
    const auto cost = [&](double sigma2, std::int64_t queries) {
      PlannedRun its = run;
      its.sigma2 = sigma2;
      its.queries = queries;
      const Plan found = plan(its, settings);
      return found.costs[found.headline].epsilon;
    };
    for (const double target : {0.3, 20.0}) {
      const Plan solved = solve(run, settings, PlanParameter::sigma2, target);
      CAPTURE(target);
      REQUIRE(solved.solved);
      CHECK(solved.costs[solved.headline].epsilon <= target);
      CHECK(cost(solved.solved->value, 50) == solved.costs[solved.headline].epsilon);
      CHECK(cost(solved.solved->value * (1.0 - 1.2e-3), 50) > target);
    }
    run.sigma2 = 3.0;
    const Plan solved = solve(run, settings, PlanParameter::queries, 0.7);
    const std::int64_t most = solved.run.queries;
    REQUIRE(most > 1);
    CHECK(cost(3.0, most) <= 0.7);
    CHECK(cost(3.0, most + 1 + most / 900) > 0.7);
  }

  TEST_CASE("what S17 prints of LNMax whatever the votes is there, and larger") {
    PlannedRun run;
    run.laplace_scale = 20.0;
    run.queries = 1000;
    const double delta = 1e-6;
    const Plan result = plan(run, {delta, {}, {}});
    // 4 k gamma^2 + 2 gamma sqrt(2 k log(1/delta)), printed as 26.
    CHECK(covers(epsilon(result, EpsilonMethod::strong),
                 10.0 + 0.1 * std::sqrt(2000.0 * std::log(1e6))));
    double moments = 1e9;
    for (int l = 1; l <= 8; ++l) {
      moments = std::min(moments, (2.0 / 400.0 * 1000.0 * l * (l + 1) + std::log(1e6)) / l);
    }
    CHECK(covers(epsilon(result, EpsilonMethod::moments), moments));
    for (const auto printed : {EpsilonMethod::moments, EpsilonMethod::strong}) {
      for (const auto ours :
           {EpsilonMethod::improved, EpsilonMethod::classic, EpsilonMethod::kov}) {
        CHECK(epsilon(result, ours) < epsilon(result, printed));
      }
    }
    run = {};
    run.sigma2 = 40.0;
    run.queries = 10;
    CHECK(std::isnan(epsilon(plan(run, {delta, {}, {}}), EpsilonMethod::moments)));
  }

  TEST_CASE("a thousand answers of GNMax") {
    PlannedRun run;
    run.sigma2 = 40.0;
    run.queries = 1000;
    const Plan result = plan(run, {1e-5, {}, {}});
    CHECK(covers(epsilon(result, EpsilonMethod::gdp), 4.98330640597));
    // Known to the digits shown; classic on the continuum of orders.
    CHECK(epsilon(result, EpsilonMethod::improved) == doctest::Approx(5.3777).epsilon(1e-5));
    CHECK(epsilon(result, EpsilonMethod::classic) == doctest::Approx(5.98991507).epsilon(2e-9));
    CHECK(result.costs[result.headline].conversion == EpsilonMethod::gdp);
    CHECK(result.steps.maxima.at({GaussianNoisyMax{40.0}}) == 1000);
    CHECK(result.rdp.size() == result.orders.size());
  }

  TEST_CASE("gdp against the oracle, for runs of one and of many steps") {
    for (const OracleRow& row : oracle("gdp_epsilon")) {
      const double mu = row.number("mu");
      const double reference = row.number("epsilon");
      if (!(mu > 1e-6 && mu < 1e6)) continue;
      for (const std::int64_t queries : {1, 64, 4096}) {
        PlannedRun run;
        // mu^2 = queries * 2 / sigma^2; powers of four keep the digits of mu but for one rounding.
        run.sigma2 = std::sqrt(2.0 * static_cast<double>(queries)) / mu;
        run.queries = queries;
        const double got = epsilon(plan(run, {row.number("delta"), {}, {}}), EpsilonMethod::gdp);
        if (reference == 0.0) {
          CHECK_MESSAGE(got == 0.0, row.text());
        } else {
          CHECK_MESSAGE(covers(got, reference), row.text(), show({{"got", got}}));
        }
      }
    }
  }

  TEST_CASE("every query pays the threshold, the answers pay the noisy maximum") {
    PlannedRun run;
    run.sigma1 = 150.0;
    run.sigma2 = 40.0;
    run.queries = 1000;
    run.max_answers = 300;
    const Plan result = plan(run, {1e-5, {}, std::vector<double>{8.0}});
    const double mu = std::sqrt(1000.0 / 22500.0 + 300.0 * 2.0 / 1600.0);
    CHECK(
        covers(epsilon(result, EpsilonMethod::gdp), gaussian_dp_epsilon(mu, 1e-5) * (1.0 - 5e-10)));
    REQUIRE(result.rdp.size() == 1);
    CHECK(result.rdp[0].selection == 1000.0 * threshold_data_independent(150.0, 8.0));
    CHECK(result.rdp[0].noisy_max == 300.0 * data_independent_cost(GaussianNoisyMax{40.0}, 8.0));
    CHECK(result.notices.size() == 1);  // the only order is the highest that was allowed
    // More answers than queries there cannot be.
    run.max_answers = 5000;
    const Plan all = plan(run, {1e-5, {}, {}});
    CHECK(all.run.answers() == 1000);
    run.max_answers.reset();
    CHECK(plan(run, {1e-5, {}, {}}).costs[0].epsilon == all.costs[0].epsilon);
  }

  TEST_CASE("Laplace noise: the smallest of RDP, pure and exact composition is the headline") {
    PlannedRun run;
    run.laplace_scale = 20.0;
    for (const std::int64_t queries : {1, 2, 10, 100, 1000}) {
      run.queries = queries;
      const Plan result = plan(run, {1e-5, {}, {}});
      REQUIRE(result.costs.size() == 7);
      const auto k = static_cast<double>(queries);
      CHECK(covers(epsilon(result, EpsilonMethod::pure), 0.1 * k));
      CHECK(epsilon(result, EpsilonMethod::kov) == composed_pure_dp_epsilon(0.1, queries, 1e-5));
      const double headline = result.costs[result.headline].epsilon;
      for (const CostEntry& cost : result.costs) CHECK(cost.epsilon >= headline);
      CHECK(result.costs[result.headline].releasable);
    }
  }

  TEST_CASE("the conversion picks the headline where it applies") {
    PlannedRun run;
    run.sigma2 = 40.0;
    run.queries = 10;
    const Plan classic = plan(run, {1e-5, EpsilonMethod::classic, {}});
    CHECK(classic.costs[classic.headline].conversion == EpsilonMethod::classic);
    CHECK_THROWS_WITH(static_cast<void>(plan(run, {1e-5, EpsilonMethod::kov, {}})),
                      "conversion kov does not go with this noise; computed are optimal, "
                      "improved, classic, gdp");
  }

  TEST_CASE("a plan that makes no sense is refused") {
    const auto refused = [](const PlannedRun& run, const std::string& words, double delta = 1e-5) {
      CHECK_THROWS_WITH_AS(static_cast<void>(plan(run, {delta, {}, {}})), words.c_str(),
                           parameter_error);
    };
    PlannedRun good;
    good.sigma2 = 40.0;
    good.sigma1 = 150.0;
    good.queries = 10;
    good.max_answers = 5;
    CHECK_NOTHROW(static_cast<void>(plan(good, {1e-5, {}, {}})));
    for (const double delta : {0.0, 1.0, -1.0, kNaN}) {
      refused(good, fmt::format("delta must be > 0 and < 1, got {}", delta), delta);
    }
    for (const double bad : {0.0, -1.0, kNaN, kInfinity, 1e-200}) {
      const std::string words =
          fmt::format(" must be {}, got {}",
                      bad == 1e-200 ? "between 1e-100 and 1e+15" : "> 0 and finite", bad);
      PlannedRun run = good;
      run.sigma2 = bad;
      refused(run, "sigma2" + words);
      run = good;
      run.sigma1 = bad;
      refused(run, "sigma1" + words);
      run = {};
      run.queries = 1;
      run.laplace_scale = bad;
      refused(run, "laplace-scale" + words);
    }
    for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, kMaxPlannedQueries + 1}) {
      PlannedRun run = good;
      run.queries = bad;
      refused(run, fmt::format("queries must be at least 1 and at most 1000000000, got {}", bad));
    }
    PlannedRun run = good;
    run.max_answers = 0;
    refused(run, "max-answers must be at least 1, got 0");
    run = good;
    run.sigma1.reset();
    refused(run, "max-answers needs sigma1: without a threshold every query is answered");
    run = good;
    const std::string no_maximum =
        "a plan needs the noise of the maximum: sigma2 or laplace-scale, one";
    run.laplace_scale = 20.0;
    refused(run, no_maximum);
    run.sigma2.reset();
    run.max_answers.reset();
    refused(run, "a threshold check (sigma1) goes with Gaussian noise (sigma2), not with Laplace");
    run = good;
    run.sigma2.reset();
    refused(run, no_maximum);
    run = good;
    run.one_noise = true;
    refused(run, "one noise goes with laplace-scale in a plan");
  }
}

namespace {

double headline(const Plan& plan) {
  return plan.costs[plan.headline].epsilon;
}

double* noise_of(PlannedRun& run, PlanParameter parameter) {
  if (parameter == PlanParameter::sigma2) return &*run.sigma2;
  if (parameter == PlanParameter::sigma1) return &*run.sigma1;
  return &*run.laplace_scale;
}

// A run like those people plan, Laplace, GNMax or Confident.
PlannedRun random_run(Random& random) {
  PlannedRun run;
  run.queries = static_cast<std::int64_t>(random.log_uniform(1.0, 1e5));
  const std::int64_t kind = random.integer(0, 2);
  if (kind == 0) {
    run.laplace_scale = random.log_uniform(1.0, 1e3);
    return run;
  }
  run.sigma2 = random.log_uniform(1.0, 1e3);
  if (kind == 2) {
    run.sigma1 = random.log_uniform(1.0, 1e3);
    run.max_answers = random.integer(1, run.queries);
  }
  return run;
}

std::vector<PlanParameter> parameters(const PlannedRun& run) {
  if (run.laplace_scale) return {PlanParameter::laplace_scale, PlanParameter::queries};
  if (!run.sigma1) return {PlanParameter::sigma2, PlanParameter::queries};
  return {PlanParameter::sigma2, PlanParameter::sigma1, PlanParameter::queries,
          PlanParameter::max_answers};
}

// Nothing better than what was found keeps the target.
void check_best(const Plan& solved, const PlanSettings& settings, double epsilon) {
  PlannedRun run = solved.run;
  const auto message = show({{"value", solved.solved->value},
                             {"epsilon", epsilon},
                             {"delta", settings.delta},
                             {"queries", static_cast<double>(run.queries)}});
  CHECK_MESSAGE(headline(solved) <= epsilon, message);
  CHECK_MESSAGE(headline(plan(run, settings)) == headline(solved), message);
  switch (solved.solved->parameter) {
    case PlanParameter::queries:
      ++run.queries;
      break;
    case PlanParameter::max_answers:
      ++*run.max_answers;
      if (*run.max_answers > run.queries) return;
      break;
    default:
      *noise_of(run, solved.solved->parameter) *= 1.0 - 1e-9;
  }
  CHECK_MESSAGE(headline(plan(run, settings)) > epsilon * (1.0 - 1e-12), message);
}

}  // namespace

TEST_SUITE("planning") {
  TEST_CASE("plugged back in, a calibration keeps its target, and nothing better does") {
    Random random(731);
    int solved = 0;
    int out_of_reach = 0;
    for (int i = 0; i < 300; ++i) {
      const PlannedRun run = random_run(random);
      const double epsilon = random.log_uniform(0.02, 50.0);
      PlanSettings settings{random.log_uniform(1e-12, 1e-2), {}, {}};
      if (random.integer(0, 3) == 0) settings.conversion = EpsilonMethod::improved;
      if (random.integer(0, 7) == 0) settings.orders = {1.5, 4.0, 16.0, 64.0};
      for (const PlanParameter parameter : parameters(run)) {
        try {
          check_best(solve(run, settings, parameter, epsilon), settings, epsilon);
          ++solved;
        } catch (const validity_error&) {
          // Then the best value there is fails too.
          PlannedRun best = run;
          if (parameter == PlanParameter::queries) {
            best.queries = 1;
          } else if (parameter == PlanParameter::max_answers) {
            best.max_answers = 1;
          } else {
            *noise_of(best, parameter) = pate::kMaxNoise;
          }
          CHECK(headline(plan(best, settings)) > epsilon);
          ++out_of_reach;
        }
      }
    }
    CHECK(solved > 500);
    CHECK(out_of_reach > 30);
  }

  TEST_CASE("a calibration finds the run that a plan was made for") {
    PlannedRun run;
    run.sigma2 = 40.0;
    run.queries = 1000;
    const PlanSettings settings{1e-5, {}, {}};
    const double epsilon = headline(plan(run, settings));
    const Plan noise = solve(run, settings, PlanParameter::sigma2, epsilon);
    CHECK(relative_error(noise.solved->value, 40.0) < 1e-9);
    CHECK(*noise.run.sigma2 == noise.solved->value);
    CHECK(solve(run, settings, PlanParameter::queries, epsilon).run.queries == 1000);
    CHECK(solve(run, settings, PlanParameter::queries, epsilon * (1.0 - 1e-12)).run.queries == 999);
    // The parameter's own value is not read.
    run.sigma2.reset();
    CHECK(solve(run, settings, PlanParameter::sigma2, epsilon).solved->value ==
          noise.solved->value);
  }

  TEST_CASE("limits of a calibration are told") {
    PlannedRun run;
    run.sigma2 = 1e9;
    run.queries = 10;
    const PlanSettings settings{1e-5, {}, {}};
    const Plan most = solve(run, settings, PlanParameter::queries, 5.0);
    CHECK(most.run.queries == kMaxPlannedQueries);
    REQUIRE(!most.notices.empty());
    CHECK(most.notices.back().code == "solved_at_limit");
    run.sigma1 = 1e9;
    const Plan every = solve(run, settings, PlanParameter::max_answers, 5.0);
    CHECK(every.run.max_answers == 10);
    CHECK(every.notices.back().code == "solved_at_limit");
  }

  TEST_CASE("a target out of reach, or none") {
    PlannedRun run;
    run.sigma1 = 5.0;
    run.queries = 1000;
    const PlanSettings settings{1e-5, {}, {}};
    CHECK_THROWS_WITH_AS(static_cast<void>(solve(run, settings, PlanParameter::sigma2, 3.0)),
                         "no value of sigma2 keeps epsilon 3 at delta 1e-05: with a noise of "
                         "1e+15 votes epsilon is still 46.21121020046037",
                         validity_error);
    run.sigma2 = 1.0;
    CHECK_THROWS_WITH_AS(static_cast<void>(solve(run, settings, PlanParameter::queries, 1.0)),
                         "no value of queries keeps epsilon 1 at delta 1e-05: one query costs "
                         "6.650903176124715 already",
                         validity_error);
    CHECK_THROWS_WITH_AS(static_cast<void>(solve(run, settings, PlanParameter::max_answers, 1.0)),
                         "no value of max_answers keeps epsilon 1 at delta 1e-05: one answer to "
                         "1000 queries costs 47.873228921495034 already",
                         validity_error);
    for (const double epsilon : {-1.0, kNaN, kInfinity}) {
      CHECK_THROWS_WITH_AS(static_cast<void>(solve(run, settings, PlanParameter::sigma2, epsilon)),
                           fmt::format("epsilon must be >= 0 and finite, got {}", epsilon).c_str(),
                           parameter_error);
    }
    PlannedRun laplace;
    laplace.laplace_scale = 3.0;
    laplace.queries = 4;
    CHECK_THROWS_WITH_AS(static_cast<void>(solve(laplace, settings, PlanParameter::sigma2, 1.0)),
                         "a plan needs the noise of the maximum: sigma2 or laplace-scale, one",
                         parameter_error);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(solve(laplace, settings, PlanParameter::max_answers, 1.0)),
        "max-answers needs sigma1: without a threshold every query is answered", parameter_error);
  }
}
