#include "pate/planning/plan.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "pate/bounds/step_cost.hpp"
#include "pate/error.hpp"
#include "pate/rdp/gaussian_dp.hpp"
#include "pate/rdp/pure_dp.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"

using namespace pate;
using namespace pate_test;

namespace {

double epsilon(const Plan& plan, ReportedConversion conversion) {
  for (const CostEntry& cost : plan.costs) {
    if (cost.conversion == conversion) return cost.epsilon;
  }
  return kNaN;
}

}  // namespace

TEST_SUITE("planning") {
  TEST_CASE("a thousand answers of GNMax") {
    PlannedRun run;
    run.sigma2 = 40.0;
    run.queries = 1000;
    const Plan result = plan(run, {1e-5, {}, {}});
    CHECK(covers(epsilon(result, ReportedConversion::gdp), 4.98330640597));
    // Known to the digits shown; classic on the continuum of orders.
    CHECK(epsilon(result, ReportedConversion::improved) == doctest::Approx(5.3777).epsilon(1e-5));
    CHECK(epsilon(result, ReportedConversion::classic) ==
          doctest::Approx(5.98991507).epsilon(2e-9));
    CHECK(result.costs[result.headline].conversion == ReportedConversion::gdp);
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
        const double got =
            epsilon(plan(run, {row.number("delta"), {}, {}}), ReportedConversion::gdp);
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
    CHECK(covers(epsilon(result, ReportedConversion::gdp),
                 gaussian_dp_epsilon(mu, 1e-5) * (1.0 - 5e-10)));
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
      REQUIRE(result.costs.size() == 4);
      const auto k = static_cast<double>(queries);
      CHECK(covers(epsilon(result, ReportedConversion::pure), 0.1 * k));
      CHECK(epsilon(result, ReportedConversion::kov) ==
            composed_pure_dp_epsilon(0.1, queries, 1e-5));
      const double headline = result.costs[result.headline].epsilon;
      for (const CostEntry& cost : result.costs) CHECK(cost.epsilon >= headline);
      CHECK(result.costs[result.headline].releasable);
    }
  }

  TEST_CASE("the conversion picks the headline where it applies") {
    PlannedRun run;
    run.sigma2 = 40.0;
    run.queries = 10;
    const Plan classic = plan(run, {1e-5, ReportedConversion::classic, {}});
    CHECK(classic.costs[classic.headline].conversion == ReportedConversion::classic);
    CHECK_THROWS_WITH(static_cast<void>(plan(run, {1e-5, ReportedConversion::kov, {}})),
                      "conversion kov does not go with this noise; computed are improved, "
                      "classic, gdp");
  }

  TEST_CASE("a plan that makes no sense is refused") {
    const auto refused = [](const PlannedRun& run, double delta = 1e-5) {
      CHECK_THROWS_AS(static_cast<void>(plan(run, {delta, {}, {}})), parameter_error);
    };
    PlannedRun good;
    good.sigma2 = 40.0;
    good.sigma1 = 150.0;
    good.queries = 10;
    good.max_answers = 5;
    CHECK_NOTHROW(static_cast<void>(plan(good, {1e-5, {}, {}})));
    for (const double delta : {0.0, 1.0, -1.0, kNaN}) refused(good, delta);
    for (const double bad : {0.0, -1.0, kNaN, kInfinity, 1e-200}) {
      PlannedRun run = good;
      run.sigma2 = bad;
      refused(run);
      run = good;
      run.sigma1 = bad;
      refused(run);
      run = {};
      run.queries = 1;
      run.laplace_scale = bad;
      refused(run);
    }
    for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, kMostPlannedQueries + 1}) {
      PlannedRun run = good;
      run.queries = bad;
      refused(run);
    }
    PlannedRun run = good;
    run.max_answers = 0;
    refused(run);
    run = good;
    run.sigma1.reset();  // max_answers without a threshold
    refused(run);
    run = good;
    run.laplace_scale = 20.0;
    refused(run);
    run.sigma2.reset();
    run.max_answers.reset();  // a threshold before Laplace noise
    refused(run);
    run = good;
    run.sigma2.reset();
    refused(run);
  }
}
