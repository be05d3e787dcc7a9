#include "pate/as_published/release.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "pate/error.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("as_published") {
  TEST_CASE("the published release cost against the oracle") {
    for (const OracleRow& row : oracle("gnss_cost_as_published")) {
      const double got =
          gnss_cost(row.number("lambda"), row.number("beta"), row.number("sigma_ss"));
      CHECK_MESSAGE(relative_error(got, row.number("cost")) < 1e-12, row.text());
    }
  }

  TEST_CASE("the published release cost has the domain of Theorem 23") {
    CHECK_NOTHROW((void)gnss_cost(10.0, 0.0499, 5.0));
    CHECK_THROWS_AS((void)gnss_cost(10.0, 0.05, 5.0), validity_error);
    CHECK_THROWS_AS((void)gnss_cost(10.0, 0.051, 5.0), validity_error);
    CHECK_THROWS_AS((void)gnss_cost(1.0, 0.01, 5.0), validity_error);
    CHECK_THROWS_AS((void)gnss_cost(kNaN, 0.01, 5.0), validity_error);
    CHECK_THROWS_AS((void)gnss_cost(10.0, 0.0, 5.0), parameter_error);
    CHECK_THROWS_AS((void)gnss_cost(10.0, kNaN, 5.0), parameter_error);
    CHECK_THROWS_AS((void)gnss_cost(10.0, 0.01, 0.0), parameter_error);
    CHECK_THROWS_AS((void)gnss_cost(10.0, 0.01, kNaN), parameter_error);
  }

  TEST_CASE("smooth sensitivity is the largest discounted local sensitivity") {
    const std::vector<double> local{1.0, 1.5, 1.5, 4.0};
    CHECK(gnss_smooth_sensitivity(local, 1.0) == 1.0);
    CHECK(relative_error(gnss_smooth_sensitivity(local, 0.1), 4.0 * std::exp(-0.3)) < 1e-15);
    CHECK(relative_error(gnss_smooth_sensitivity(local, 0.4), 4.0 * std::exp(-1.2)) < 1e-15);
    CHECK(gnss_smooth_sensitivity({}, 0.1) == 0.0);
    CHECK(gnss_smooth_sensitivity(std::vector{0.0, 0.0}, 0.1) == 0.0);
  }

  TEST_CASE("parameters that are not given are the best of S18's") {
    std::vector<double> local;
    for (int d = 0; d < 250; ++d) local.push_back(0.2 / (1.0 + std::exp(-0.05 * (d - 40))));
    constexpr double order = 14.0;
    const Gnss best = choose_gnss(local, order, {}, {});
    bool found = false;
    for (int k = 0; k < 20; ++k) {
      const double beta = (0.30 + 0.01 * k) / order;
      const Gnss gnss = choose_gnss(local, order, beta, {});
      CHECK(gnss.beta == beta);
      CHECK(relative_error(gnss.sigma_ss, std::cbrt(order * std::exp(2.0 * beta) /
                                                    gnss_smooth_sensitivity(local, beta))) < 1e-15);
      CHECK(gnss.cost == gnss_cost(order, beta, gnss.sigma_ss));
      CHECK(gnss.sd == gnss.smooth_sensitivity * gnss.sigma_ss);
      CHECK(best.cost + 2.0 * best.sd <= (gnss.cost + 2.0 * gnss.sd) * (1.0 + 1e-14));
      found = found || relative_error(best.beta, beta) < 1e-14;
    }
    CHECK(found);
    // The cube root is the best sigma_ss for a beta.
    for (const double factor : {0.9, 1.1}) {
      const Gnss other = choose_gnss(local, order, best.beta, factor * best.sigma_ss);
      CHECK(other.sigma_ss == factor * best.sigma_ss);
      CHECK(other.cost + 2.0 * other.sd > best.cost + 2.0 * best.sd);
    }
  }

  TEST_CASE("without sensitivity there is no noise") {
    const std::vector<double> local(10, 0.0);
    const Gnss gnss = choose_gnss(local, 14.0, {}, {});
    CHECK(gnss.sd == 0.0);
    CHECK(gnss.smooth_sensitivity == 0.0);
    CHECK(gnss.sigma_ss == kInfinity);
    CHECK(std::isfinite(gnss.cost));
    CHECK(choose_gnss(local, 14.0, 0.02, 5.0).cost == gnss_cost(14.0, 0.02, 5.0));
  }
}
