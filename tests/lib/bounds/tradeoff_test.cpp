#include "pate/bounds/tradeoff.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "pate/bounds/data_independent.hpp"
#include "pate/bounds/published.hpp"
#include "pate/mechanisms/gaussian_noisy_max.hpp"
#include "pate/rdp/orders.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

struct Input {
  double log_q, noise, order;  // sigma or gamma
};

std::string show_input(const Input& at) {
  return show({{"log_q", at.log_q}, {"noise", at.noise}, {"order", at.order}});
}

Input random_gaussian(Random& random) {
  return {-random.log_uniform(1e-3, 2000.0), random.log_uniform(0.3, 1e6),
          1.0 + random.log_uniform(0.01, 1e4)};
}

Input random_laplace(Random& random) {
  return {-random.log_uniform(1e-3, 2000.0), random.log_uniform(1e-6, 5.0),
          1.0 + random.log_uniform(0.01, 1e4)};
}

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("the Gaussian trade-off against the oracle in both directions") {
    for (const OracleRow& row : oracle("tradeoff_gaussian")) {
      const BothDirections got = gaussian_noisy_max_tradeoff(
          row.number("log_q"), row.number("sigma"), row.number("lambda"));
      CHECK_MESSAGE(covers(got.forward, row.number("forward")), row.text(),
                    show({{"forward", got.forward}}));
      CHECK_MESSAGE(covers(got.reverse, row.number("reverse")), row.text(),
                    show({{"reverse", got.reverse}}));
      CHECK_MESSAGE(covers(got.larger(), row.number("rdp")), row.text());
    }
  }

  TEST_CASE("the Laplace trade-off against the oracle in both directions") {
    for (const OracleRow& row : oracle("tradeoff_laplace")) {
      const BothDirections got = laplace_noisy_max_tradeoff(
          row.number("log_q"), row.number("gamma"), row.number("lambda"));
      const double rdp = row.number("rdp");
      CHECK_MESSAGE(covers(got.larger(), rdp), row.text(), show({{"got", got.larger()}}));
      if (!row.has("forward")) continue;
      // The oracle's directions are not capped by the data-independent cost; its rdp is.
      CHECK_MESSAGE(covers(got.forward, std::min(row.number("forward"), rdp)), row.text(),
                    show({{"forward", got.forward}}));
      CHECK_MESSAGE(covers(got.reverse, std::min(row.number("reverse"), rdp)), row.text(),
                    show({{"reverse", got.reverse}}));
    }
  }

  TEST_CASE("the trade-off of the printed examples") {
    const GaussianNoisyMax mechanism{40.0};
    const auto forward = [&](std::vector<std::int32_t> counts, double order) {
      counts.resize(10);
      return gaussian_noisy_max_tradeoff(log_q(mechanism, counts), 40.0, order).forward;
    };
    CHECK(relative_error(forward({200, 50}, 10.0), 4.01671e-4) < 1e-5);
    CHECK(relative_error(forward({200, 50}, 20.0), 1.23462e-3) < 1e-5);
    CHECK(relative_error(forward({240, 10}, 20.0), 6.43701e-5) < 1e-5);
    CHECK(relative_error(forward({150, 60, 40}, 10.0), 3.05396e-3) < 1e-5);
    CHECK(relative_error(forward({130, 120}, 10.0), 5.87588e-3) < 1e-5);
  }

  TEST_CASE("the Gaussian trade-off is at most Theorem 6 and the data-independent cost") {
    Random random(251);
    int smaller = 0;
    for (int i = 0; i < 5000; ++i) {
      const Input at = random_gaussian(random);
      const BothDirections cost = gaussian_noisy_max_tradeoff(at.log_q, at.noise, at.order);
      const double published = gaussian_noisy_max_published(at.log_q, at.noise, at.order);
      CHECK_MESSAGE(cost.forward <= published * (1.0 + 1e-12), show_input(at));
      CHECK_MESSAGE(cost.larger() <= gaussian_noisy_max_data_independent(at.noise, at.order),
                    show_input(at));
      CHECK_MESSAGE(std::min(cost.forward, cost.reverse) > 0.0, show_input(at));
      smaller += cost.forward < 0.9 * published ? 1 : 0;
    }
    CHECK(smaller > 1000);
  }

  TEST_CASE("the Laplace trade-off is at most Theorem 3 and the data-independent cost") {
    Random random(252);
    for (int i = 0; i < 20000; ++i) {
      const Input at = random_laplace(random);
      const BothDirections cost = laplace_noisy_max_tradeoff(at.log_q, at.noise, at.order);
      CHECK_MESSAGE(
          cost.forward <= laplace_noisy_max_published(at.log_q, at.noise, at.order) * (1.0 + 1e-9),
          show_input(at));
      CHECK_MESSAGE(cost.larger() <= laplace_noisy_max_data_independent(at.noise, at.order),
                    show_input(at));
      CHECK_MESSAGE(std::min(cost.forward, cost.reverse) > 0.0, show_input(at));
    }
  }

  TEST_CASE("the trade-off never falls when q grows") {
    Random random(253);
    for (int i = 0; i < 5000; ++i) {
      const Input at = random_gaussian(random);
      const double larger_q = at.log_q * (1.0 - random.log_uniform(1e-6, 0.5));
      const BothDirections low = gaussian_noisy_max_tradeoff(at.log_q, at.noise, at.order);
      const BothDirections high = gaussian_noisy_max_tradeoff(larger_q, at.noise, at.order);
      CHECK_MESSAGE(low.forward <= high.forward * (1.0 + 2e-11), show_input(at), larger_q);
      CHECK_MESSAGE(low.reverse <= high.reverse * (1.0 + 2e-11), show_input(at), larger_q);
      const Input la = random_laplace(random);
      const double larger_la = la.log_q * (1.0 - random.log_uniform(1e-6, 0.5));
      const BothDirections low_la = laplace_noisy_max_tradeoff(la.log_q, la.noise, la.order);
      const BothDirections high_la = laplace_noisy_max_tradeoff(larger_la, la.noise, la.order);
      CHECK_MESSAGE(low_la.forward <= high_la.forward * (1.0 + 1e-12), show_input(la), larger_la);
      CHECK_MESSAGE(low_la.reverse <= high_la.reverse * (1.0 + 1e-12), show_input(la), larger_la);
    }
  }

  TEST_CASE("the trade-off never falls when the order grows") {
    Random random(254);
    for (int i = 0; i < 40; ++i) {
      const Input at = random_gaussian(random);
      const Input la = random_laplace(random);
      BothDirections gaussian, laplace;
      for (const double order : default_orders()) {
        const BothDirections next = gaussian_noisy_max_tradeoff(at.log_q, at.noise, order);
        CHECK_MESSAGE(next.forward >= gaussian.forward * (1.0 - 2e-11), show_input(at), order);
        CHECK_MESSAGE(next.reverse >= gaussian.reverse * (1.0 - 2e-11), show_input(at), order);
        const BothDirections next_la = laplace_noisy_max_tradeoff(la.log_q, la.noise, order);
        CHECK_MESSAGE(next_la.forward >= laplace.forward * (1.0 - 1e-12), show_input(la), order);
        CHECK_MESSAGE(next_la.reverse >= laplace.reverse * (1.0 - 1e-12), show_input(la), order);
        gaussian = next;
        laplace = next_la;
      }
    }
  }

  TEST_CASE("the trade-off costs nothing at q 0 and everything near q 1") {
    for (const double order : {1.01, 2.0, 20.0, 1000.0}) {
      const BothDirections none = gaussian_noisy_max_tradeoff(-kInfinity, 40.0, order);
      CHECK(none.larger() == 0.0);
      CHECK(laplace_noisy_max_tradeoff(-kInfinity, 0.05, order).larger() == 0.0);
      CHECK(covers(gaussian_noisy_max_tradeoff(-1e5, 40.0, 2.0).larger(), 0.0));
      CHECK(covers(laplace_noisy_max_tradeoff(-1e5, 0.05, order).larger(), 0.0));
      const double most = gaussian_noisy_max_data_independent(40.0, order);
      CHECK(gaussian_noisy_max_tradeoff(-1e-6, 40.0, order).larger() > 0.99 * most);
    }
  }

  TEST_CASE("a cost from its excess is outward and capped") {
    CHECK(covers(cost_of_log_excess(std::log(0.5), 3.0, 1.0), 0.5 * std::log(1.5)));
    CHECK(cost_of_log_excess(5.0, 2.0, 1.0) == 1.0);
    CHECK(cost_of_log_excess(kInfinity, 2.0, 7.0) == 7.0);
    CHECK(cost_of_log_excess(-kInfinity, 2.0, 1.0) == kSmallestReported);
    CHECK(covers(cost_of_log_excess(5000.0, 11.0, 1e9), 500.0));
  }
}
