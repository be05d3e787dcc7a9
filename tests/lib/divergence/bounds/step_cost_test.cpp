#include "pate/divergence/bounds/step_cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "pate/divergence/rdp/orders.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/numerics/margin.hpp"
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
  TEST_CASE("two Laplace mechanisms against the oracle") {
    for (const OracleRow& row : oracle("laplace_data_independent")) {
      const double got =
          data_independent_cost(LaplaceNoisyMax{1.0 / row.number("gamma")}, row.number("lambda"));
      CHECK_MESSAGE(covers(got, row.number("rdp")), row.text(), " got ", got);
    }
  }

  TEST_CASE("near order 1 with noise below one vote") {
    // Both distributions hardly overlap, either tail of the best split may be minute, and moments
    // are within 1e-9 of 1. References at 100 digits, by tests/verify.
    struct Point {
      double sigma, log_q, order, forward, reverse;
    };
    for (const Point& at :
         std::vector<Point>{{0.005516822294037333, -5.711555547537635, 1.0000000588149724,
                             32170.261778826117, 32856.555758345036},
                            {0.40477426319413956, -0.008071749904141364, 1.0000000012133226,
                             6.1034318623365922, 6.1034335225587169},
                            {0.0291046309258918, -0.0029859100078843703, 1.0000000093200616,
                             1180.5266762619483, 1180.5266926257651},
                            {0.031985095894484665, -0.17113249019920457, 1.0000444087168052,
                             976.58986700365445, 977.51621864279109},
                            {0.03360287863668443, -1.797926028355927, 1.0000000157857325,
                             845.27595560278998, 885.61923396646012}}) {
      const BothDirections got = tradeoff_cost(GaussianNoisyMax{at.sigma}, at.log_q, at.order);
      const std::string text =
          show({{"sigma", at.sigma}, {"log_q", at.log_q}, {"order", at.order}});
      CHECK_MESSAGE(covers(got.forward, at.forward), text, got.forward);
      CHECK_MESSAGE(covers(got.reverse, at.reverse), text, got.reverse);
    }
  }

  TEST_CASE("Theorem 3 with noise of a thousandth of a vote") {
    CHECK(covers(published_cost(LaplaceNoisyMax{0.0010811984030077515}, -35923.07132663721,
                                27.813524084275446),
                 510.06221695064732));
  }

  TEST_CASE("data-independent Gaussian costs are the formulas") {
    Random random(201);
    for (int i = 0; i < 1000; ++i) {
      const double sigma = random.log_uniform(0.1, 1e7);
      const double order = 1.0 + random.log_uniform(0.01, 1e4);
      const auto s = static_cast<long double>(sigma);
      CHECK(covers(data_independent_cost(GaussianNoisyMax{sigma}, order),
                   static_cast<double>(order / (s * s))));
      CHECK(covers(threshold_data_independent(sigma, order),
                   static_cast<double>(order / (2.0L * s * s))));
    }
    CHECK(covers(data_independent_cost(GaussianNoisyMax{1e160}, 2.0), 0.0));  // below e-300
    CHECK(covers(threshold_data_independent(1e160, 2.0), 0.0));
  }

  TEST_CASE("two Laplace mechanisms in the limits of little and of much noise") {
    for (const double order : {1.01, 2.0, 30.0, 1000.0}) {
      // Little privacy loss: order gamma^2 to first order in order gamma.
      const double gamma = 1e-9 / order;
      CHECK(relative_error(data_independent_cost(LaplaceNoisyMax{1.0 / gamma}, order),
                           order * gamma * gamma) < 1e-8);
      // Much: the first term alone, on both sides of where the exponentials overflow.
      for (const double up : {100.0, 699.0, 701.0, 1e5}) {
        const double large = up / (order - 1.0);
        const double expected =
            2.0 * large + 2.0 * std::log(order / (2.0 * order - 1.0)) / (order - 1.0);
        CHECK_MESSAGE(covers(data_independent_cost(LaplaceNoisyMax{1.0 / large}, order),
                             expected * (1.0 - 1e-14)),
                      show({{"gamma", large}, {"order", order}}));
      }
    }
  }

  TEST_CASE("two Laplace mechanisms cost less than S17's bounds and more at higher orders") {
    Random random(202);
    for (int i = 0; i < 500; ++i) {
      const double gamma = random.log_uniform(1e-6, 10.0);
      double previous = 0.0;
      for (const double order : default_orders()) {
        const double cost = data_independent_cost(LaplaceNoisyMax{1.0 / gamma}, order);
        CHECK(cost <= std::min(2.0 * gamma * gamma * order, 2.0 * gamma) * (1.0 + 1e-9));
        CHECK_MESSAGE(cost >= previous * (1.0 - 1e-13), show({{"gamma", gamma}, {"order", order}}));
        previous = cost;
      }
    }
    CHECK(relative_error(data_independent_cost(LaplaceNoisyMax{1.0 / 0.05}, 9.0), 0.0215) < 0.01);
  }

  TEST_CASE("the margin is outward and never zero") {
    CHECK(with_margin(1.0) > 1.0);
    CHECK(with_margin(1.0) <= 1.0 + 1e-9);
    CHECK(with_margin(0.0) == 1e-300);
    CHECK(with_margin(1e-310) == 1e-300);
    CHECK(with_margin(kInfinity) == kInfinity);
  }

  TEST_CASE("Theorem 6 against the oracle") {
    for (const OracleRow& row : oracle("rdp_gnmax")) {
      const double got = published_cost(GaussianNoisyMax{row.number("sigma")}, row.number("log_q"),
                                        row.number("lambda"));
      CHECK_MESSAGE(covers(got, row.number("rdp")), row.text(), show({{"got", got}}));
    }
  }

  TEST_CASE("Theorem 3 of LNMax against the oracle") {
    for (const OracleRow& row : oracle("rdp_lnmax")) {
      const double got = published_cost(LaplaceNoisyMax{1.0 / row.number("gamma")},
                                        row.number("log_q"), row.number("lambda"));
      CHECK_MESSAGE(covers(got, row.number("rdp")), row.text(), show({{"got", got}}));
    }
  }

  TEST_CASE("Theorem 6 gives the printed examples") {
    const GaussianNoisyMax mechanism{40.0};
    const auto cost = [&](std::vector<std::int32_t> counts, double order) {
      counts.resize(10);
      return published_cost(GaussianNoisyMax{40.0}, log_q(mechanism, counts), order);
    };
    CHECK(relative_error(cost({200, 50}, 10.0), 1.78944e-3) < 1e-5);
    CHECK(relative_error(cost({200, 50}, 20.0), 2.90776e-3) < 1e-5);
    CHECK(relative_error(cost({240, 10}, 20.0), 1.17100e-4) < 1e-5);
    CHECK(cost({130, 120}, 10.0) == data_independent_cost(GaussianNoisyMax{40.0}, 10.0));
  }

  TEST_CASE("the published bound for many orders is the function at each") {
    Random random(211);
    for (int i = 0; i < 300; ++i) {
      const double sigma = random.log_uniform(1.0, 1000.0);
      const double log_q = -random.log_uniform(1e-3, 4000.0);
      const GaussianPublishedBound bound(log_q, sigma);
      for (const double order : default_orders()) {
        const double independent = data_independent_cost(GaussianNoisyMax{sigma}, order);
        const double cost = published_cost(GaussianNoisyMax{sigma}, log_q, order);
        CHECK(bound.cost(order, independent) == cost);
        CHECK(cost <= independent);
        CHECK(cost > 0.0);
      }
    }
  }

  TEST_CASE("the published threshold cost is Theorem 6 at sqrt 2 sigma1") {
    Random random(212);
    for (int i = 0; i < 300; ++i) {
      const double sigma1 = random.log_uniform(1.0, 1000.0);
      const double log_q = -random.log_uniform(0.7, 1000.0);
      const double order = 1.0 + random.log_uniform(0.1, 100.0);
      CHECK(threshold_published(log_q, sigma1, order) ==
            published_cost(GaussianNoisyMax{std::numbers::sqrt2 * sigma1}, log_q, order));
      CHECK(threshold_published(log_q, sigma1, order) <=
            threshold_data_independent(sigma1, order) * (1.0 + 1e-14));
    }
  }

  TEST_CASE("published costs at the ends of q") {
    CHECK(published_cost(GaussianNoisyMax{40.0}, -kInfinity, 20.0) == 0.0);
    CHECK(published_cost(LaplaceNoisyMax{1.0 / 0.05}, -kInfinity, 20.0) == 0.0);
    CHECK(published_cost(GaussianNoisyMax{40.0}, 0.0, 20.0) ==
          data_independent_cost(GaussianNoisyMax{40.0}, 20.0));
    CHECK(covers(published_cost(LaplaceNoisyMax{1.0 / 0.05}, 0.0, 9.0), 0.045));
    CHECK(covers(published_cost(LaplaceNoisyMax{1.0 / 0.05}, 0.0, 90.0), 0.1));
    CHECK(covers(published_cost(GaussianNoisyMax{40.0}, -1e6, 20.0), 0.0));
    CHECK(covers(published_cost(LaplaceNoisyMax{1.0 / 0.05}, -1e6, 20.0), 0.0));
    // Far beyond the largest order for which the theorem holds.
    CHECK(published_cost(GaussianNoisyMax{40.0}, -4.0, 82.0) ==
          data_independent_cost(GaussianNoisyMax{40.0}, 82.0));
  }

  TEST_CASE("the published Laplace cost has S17's guard q <= 1 / (e^eps + 1)") {
    // At q = .45, eps = 1 and moment 3 the formula of S17 would come out negative.
    CHECK(covers(published_cost(LaplaceNoisyMax{1.0 / 0.5}, std::log(0.45), 4.0), 1.0));
    Random random(213);
    for (int i = 0; i < 2000; ++i) {
      const double gamma = random.log_uniform(1e-4, 5.0);
      const double log_q = -random.log_uniform(0.1, 300.0);
      const double order = 1.0 + random.log_uniform(0.01, 1000.0);
      const double cost = published_cost(LaplaceNoisyMax{1.0 / gamma}, log_q, order);
      CHECK(cost > 0.0);
      CHECK(cost <= std::min(2.0 * gamma * gamma * order, 2.0 * gamma) * (1.0 + 1e-9));
      CHECK_MESSAGE(
          published_cost(LaplaceNoisyMax{1.0 / gamma}, log_q - 0.1, order) <= cost * (1.0 + 1e-12),
          show({{"log_q", log_q}, {"gamma", gamma}, {"order", order}}));
    }
  }

  TEST_CASE("the Gaussian trade-off against the oracle in both directions") {
    for (const OracleRow& row : oracle("tradeoff_gaussian")) {
      const BothDirections got = tradeoff_cost(GaussianNoisyMax{row.number("sigma")},
                                               row.number("log_q"), row.number("lambda"));
      CHECK_MESSAGE(covers(got.forward, row.number("forward")), row.text(),
                    show({{"forward", got.forward}}));
      CHECK_MESSAGE(covers(got.reverse, row.number("reverse")), row.text(),
                    show({{"reverse", got.reverse}}));
      CHECK_MESSAGE(covers(got.larger(), row.number("rdp")), row.text());
    }
  }

  TEST_CASE("the Laplace trade-off against the oracle in both directions") {
    for (const OracleRow& row : oracle("tradeoff_laplace")) {
      const BothDirections got = tradeoff_cost(LaplaceNoisyMax{1.0 / row.number("gamma")},
                                               row.number("log_q"), row.number("lambda"));
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
      return tradeoff_cost(GaussianNoisyMax{40.0}, log_q(mechanism, counts), order).forward;
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
      const BothDirections cost = tradeoff_cost(GaussianNoisyMax{at.noise}, at.log_q, at.order);
      const double published = published_cost(GaussianNoisyMax{at.noise}, at.log_q, at.order);
      CHECK_MESSAGE(cost.forward <= published * (1.0 + 1e-12), show_input(at));
      CHECK_MESSAGE(cost.larger() <= data_independent_cost(GaussianNoisyMax{at.noise}, at.order),
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
      const BothDirections cost =
          tradeoff_cost(LaplaceNoisyMax{1.0 / at.noise}, at.log_q, at.order);
      CHECK_MESSAGE(
          cost.forward <=
              published_cost(LaplaceNoisyMax{1.0 / at.noise}, at.log_q, at.order) * (1.0 + 1e-9),
          show_input(at));
      CHECK_MESSAGE(
          cost.larger() <= data_independent_cost(LaplaceNoisyMax{1.0 / at.noise}, at.order),
          show_input(at));
      CHECK_MESSAGE(std::min(cost.forward, cost.reverse) > 0.0, show_input(at));
    }
  }

  TEST_CASE("the trade-off never falls when q grows") {
    Random random(253);
    for (int i = 0; i < 5000; ++i) {
      const Input at = random_gaussian(random);
      const double larger_q = at.log_q * (1.0 - random.log_uniform(1e-6, 0.5));
      const BothDirections low = tradeoff_cost(GaussianNoisyMax{at.noise}, at.log_q, at.order);
      const BothDirections high = tradeoff_cost(GaussianNoisyMax{at.noise}, larger_q, at.order);
      CHECK_MESSAGE(low.forward <= high.forward * (1.0 + 2e-11), show_input(at), larger_q);
      CHECK_MESSAGE(low.reverse <= high.reverse * (1.0 + 2e-11), show_input(at), larger_q);
      const Input la = random_laplace(random);
      const double larger_la = la.log_q * (1.0 - random.log_uniform(1e-6, 0.5));
      const BothDirections low_la =
          tradeoff_cost(LaplaceNoisyMax{1.0 / la.noise}, la.log_q, la.order);
      const BothDirections high_la =
          tradeoff_cost(LaplaceNoisyMax{1.0 / la.noise}, larger_la, la.order);
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
        const BothDirections next = tradeoff_cost(GaussianNoisyMax{at.noise}, at.log_q, order);
        CHECK_MESSAGE(next.forward >= gaussian.forward * (1.0 - 2e-11), show_input(at), order);
        CHECK_MESSAGE(next.reverse >= gaussian.reverse * (1.0 - 2e-11), show_input(at), order);
        const BothDirections next_la =
            tradeoff_cost(LaplaceNoisyMax{1.0 / la.noise}, la.log_q, order);
        CHECK_MESSAGE(next_la.forward >= laplace.forward * (1.0 - 1e-12), show_input(la), order);
        CHECK_MESSAGE(next_la.reverse >= laplace.reverse * (1.0 - 1e-12), show_input(la), order);
        gaussian = next;
        laplace = next_la;
      }
    }
  }

  TEST_CASE("the trade-off costs nothing at q 0 and everything near q 1") {
    for (const double order : {1.01, 2.0, 20.0, 1000.0}) {
      const BothDirections none = tradeoff_cost(GaussianNoisyMax{40.0}, -kInfinity, order);
      CHECK(none.larger() == 0.0);
      CHECK(tradeoff_cost(LaplaceNoisyMax{1.0 / 0.05}, -kInfinity, order).larger() == 0.0);
      CHECK(covers(tradeoff_cost(GaussianNoisyMax{40.0}, -1e5, 2.0).larger(), 0.0));
      CHECK(covers(tradeoff_cost(LaplaceNoisyMax{1.0 / 0.05}, -1e5, order).larger(), 0.0));
      const double most = data_independent_cost(GaussianNoisyMax{40.0}, order);
      CHECK(tradeoff_cost(GaussianNoisyMax{40.0}, -1e-6, order).larger() > 0.99 * most);
    }
  }

  TEST_CASE("noise far below a vote costs no more than any votes, and is no error") {
    Random random(606);
    for (int i = 0; i < 400; ++i) {
      const double sigma = random.log_uniform(1e-100, 1e-3);
      const GaussianNoisyMax noise{sigma};
      const double order = 1.0 + random.log_uniform(1e-5, 1e4);
      const double gap = random.log_uniform(1.0, 1e9) / sigma;
      const double log_q = -std::min(0.25 * gap * gap, 1e300);
      CAPTURE(sigma);
      CAPTURE(order);
      CAPTURE(log_q);
      const BothDirections cost = tradeoff_cost(noise, log_q, order);
      const double most = data_independent_cost(GaussianNoisyMax{sigma}, order);
      CHECK(cost.larger() >= 0.0);
      CHECK(cost.larger() <= most);
    }
  }

  TEST_CASE("what is not a number costs the most there is") {
    const double nan = std::nan("");
    CHECK(cost_of_log_excess(nan, 8.0, 0.25) == 0.25);
    CHECK(cost_of_excess(nan, 8.0, 0.25) == 0.25);
    CHECK(std::isnan(with_margin(nan)));
    CHECK(std::isnan(BothDirections{nan, 1.0}.larger()));
    CHECK(std::isnan(BothDirections{1.0, nan}.larger()));
  }

  TEST_CASE("a cost from its excess is outward and capped") {
    CHECK(covers(cost_of_log_excess(std::log(0.5), 3.0, 1.0), 0.5 * std::log(1.5)));
    CHECK(cost_of_log_excess(5.0, 2.0, 1.0) == 1.0);
    CHECK(cost_of_log_excess(kInfinity, 2.0, 7.0) == 7.0);
    CHECK(cost_of_log_excess(-kInfinity, 2.0, 1.0) == kMinReported);
    CHECK(covers(cost_of_log_excess(5000.0, 11.0, 1e9), 500.0));
  }

  TEST_CASE("the cap of an excess is that of the data-independent cost") {
    Random random(71);
    for (int i = 0; i < 200; ++i) {
      const double noise = random.log_uniform(0.2, 1e3);
      const double order = 1.0 + random.log_uniform(0.01, 50.0);
      for (const NoisyStep& step :
           {NoisyStep(GaussianNoisyMax{noise}), NoisyStep(LaplaceNoisyMax{noise})}) {
        const double exponent = (order - 1.0) * data_independent_cost(step, order);
        const double expected = exponent > 500.0 ? exponent : std::log(std::expm1(exponent));
        CHECK(std::abs(log_excess_cap(step, order) - expected) <=
              1e-9 * (1.0 + std::abs(exponent)));
      }
    }
  }
}
