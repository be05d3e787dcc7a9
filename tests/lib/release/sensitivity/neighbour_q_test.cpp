#include "pate/release/sensitivity/neighbour_q.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/numerics/log_space.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// Every histogram of `teachers` votes over classes `from` and up, appended to `counts`.
void for_each_histogram(Counts& counts, std::size_t from, std::int32_t teachers,
                        const std::function<void(const Counts&)>& f) {
  if (from + 1 == counts.size()) {
    counts[from] = teachers;
    f(counts);
    return;
  }
  for (std::int32_t n = 0; n <= teachers; ++n) {
    counts[from] = n;
    for_each_histogram(counts, from + 1, teachers - n, f);
  }
}

}  // namespace

TEST_SUITE("sensitivity") {
  TEST_CASE("tight neighbour bounds of q against the oracle, from outside") {
    for (const OracleRow& row : oracle("bu_bl_tight")) {
      const NeighbourQ got =
          neighbour_q(GaussianNoisyMax{row.number("sigma")}, row.number("log_q"), row.count("m"));
      const double log_bu = row.number("log_bu");
      const double log_bl = row.number("log_bl");
      // At the cap the bound is the cap as every q has it, to the last bit but one.
      CHECK_MESSAGE(got.log_upper >= log_bu * (1.0 + 1e-15), row.text());
      CHECK_MESSAGE(got.log_lower <= log_bl, row.text());
      CHECK_MESSAGE(got.log_upper - log_bu <= 1e-12 * (1.0 - log_bu), row.text());
      CHECK_MESSAGE(log_bl - got.log_lower <= 1e-12 * (1.0 - log_bl), row.text());
    }
    // Two classes: one gap only, and the bounds of the papers are these.
    for (const OracleRow& row : oracle("bu_bl")) {
      if (row.count("m") != 2) continue;
      const NeighbourQ got =
          neighbour_q(GaussianNoisyMax{row.number("sigma")}, row.number("log_q"), 2);
      const double cap = std::log(0.5);
      CHECK_MESSAGE(relative_error(got.log_upper, std::min(cap, row.number("log_bu"))) < 1e-12,
                    row.text());
      CHECK_MESSAGE(relative_error(got.log_lower, row.number("log_bl")) < 1e-12, row.text());
    }
  }

  TEST_CASE("no split of q does better than the bounds, which shrink it towards q") {
    Random random(401);
    for (int i = 0; i < 400; ++i) {
      const std::int64_t m = random.integer(3, 30);
      const double sigma = random.log_uniform(0.3, 1000.0);
      const double cap = std::log1p(-1.0 / static_cast<double>(m));
      const double log_q = std::min(cap, -random.log_uniform(0.01, 9000.0));
      const NeighbourQ bounds = neighbour_q(GaussianNoisyMax{sigma}, log_q, m);
      const std::string at =
          show({{"log_q", log_q}, {"sigma", sigma}, {"m", static_cast<double>(m)}});
      CHECK_MESSAGE(bounds.log_upper >= log_q, at);
      CHECK_MESSAGE(bounds.log_lower <= log_q, at);
      for (int k = 0; k < 40; ++k) {
        // e^share of q in the class whose gap moves by two; 1/2 at most in any.
        const double share = k == 0 ? -1e-12 : -random.log_uniform(1e-6, 50.0);
        const double special = log_q + share;
        const double other = log_q + log1mexp(share) - std::log(static_cast<double>(m - 2));
        if (special > std::log(0.5) || other > std::log(0.5)) continue;
        const NeighbourQ a = neighbour_q(GaussianNoisyMax{sigma}, special, 2);
        const NeighbourQ b = neighbour_q(GaussianNoisyMax{2.0 * sigma}, other, 2);
        const double others = std::log(static_cast<double>(m - 2));
        const double slack = 1e-11 * (1.0 + std::abs(log_q));
        // Above the cap of two classes the upper values of the parts are not to be had this way.
        if (a.log_upper < std::log(0.5) && b.log_upper < std::log(0.5)) {
          CHECK_MESSAGE(
              std::min(cap, log_add(a.log_upper, others + b.log_upper)) <= bounds.log_upper + slack,
              at);
        }
        CHECK_MESSAGE(log_add(a.log_lower, others + b.log_lower) >= bounds.log_lower - slack, at);
      }
    }
  }

  TEST_CASE("q of every neighbour of every small histogram lies between the bounds") {
    double tightest = 0.0;
    for (const std::int32_t m : {2, 3, 4}) {
      for (const std::int32_t teachers : {1, 2, 5, 9}) {
        for (const double noise : {0.3, 1.0, 4.0, 30.0, 1e5}) {
          const GaussianNoisyMax gaussian{noise};
          const LaplaceNoisyMax laplace{noise};
          Counts counts(static_cast<std::size_t>(m));
          for_each_histogram(counts, 0, teachers, [&](const Counts& n) {
            const double q = log_q(gaussian, n);
            const NeighbourQ bounds = neighbour_q(GaussianNoisyMax{noise}, q, m);
            const double q_laplace = log_q(laplace, n);
            const NeighbourQ bounds_laplace = neighbour_q(laplace, q_laplace, m);
            for_each_neighbour(n, [&](const Counts& neighbour) {
              const double other = log_q(gaussian, neighbour);
              CHECK(other <= bounds.log_upper);
              CHECK(other >= bounds.log_lower);
              if (other != q) {
                tightest = std::max(tightest, (other - q) / (bounds.log_upper - q));
              }
              CHECK(log_q(laplace, neighbour) <= bounds_laplace.log_upper);
              CHECK(log_q(laplace, neighbour) >= bounds_laplace.log_lower);
            });
          });
        }
      }
    }
    CHECK(tightest > 0.999);
  }

  TEST_CASE("neighbour bounds grow with q, also across the ends of the splits") {
    for (const std::int64_t m : {2, 3, 5, 150}) {
      for (const double sigma : {0.1, 0.5, 2.0, 40.0}) {
        const double cap = std::log1p(-1.0 / static_cast<double>(m));
        NeighbourQ before{-kInfinity, -kInfinity};
        for (double log_q = -300.0; log_q < cap; log_q *= 0.997) {
          const NeighbourQ bounds = neighbour_q(GaussianNoisyMax{sigma}, log_q, m);
          CHECK(bounds.log_upper >= before.log_upper);
          CHECK(bounds.log_lower >= before.log_lower);
          before = bounds;
        }
      }
    }
  }

  TEST_CASE("bounds found from those of a q nearby, or far away, are those found alone") {
    Random random(402);
    for (const std::int64_t m : {2, 3, 5, 150, 1000000}) {
      for (const double sigma : {1e-3, 0.01, 0.1, 0.5, 2.0, 40.0, 1000.0, 1e6}) {
        const double cap = std::log1p(-1.0 / static_cast<double>(m));
        NearbySplits nearby;
        double log_q = -300.0;
        for (int i = 0; i < 1000; ++i) {
          log_q = i % 20 == 19 ? -random.log_uniform(-cap, i % 40 == 39 ? 1e8 : 1e3)
                               : log_q * (1.0 + 1e-3 * random.uniform(-1.0, 0.9));
          log_q = std::min(log_q, cap);
          const GaussianNoisyMax noise{sigma};
          const NeighbourQ near = neighbour_q(noise, log_q, m, nearby);
          const NeighbourQ alone = neighbour_q(noise, log_q, m);
          const std::string at =
              show({{"log_q", log_q}, {"sigma", sigma}, {"m", static_cast<double>(m)}});
          CHECK_MESSAGE(
              std::abs(near.log_upper - alone.log_upper) <= 4e-14 * (1.0 - log_q - alone.log_upper),
              at);
          CHECK_MESSAGE(
              std::abs(near.log_lower - alone.log_lower) <= 4e-14 * (1.0 - log_q - alone.log_lower),
              at);
        }
      }
    }
  }

  TEST_CASE("jumps from one end of q to the other do not end at a split of another q") {
    struct Jumps {
      double sigma;
      std::int64_t m;
      std::vector<double> log_q;
    };
    for (const Jumps& jumps : std::vector<Jumps>{
             {0.01, 3, {-25811.138453184893, -0.40809584423337347, -3564.8143280249228}},
             {0.05, 1000000, {-77708255.978757098, -1.0010591193698382e-06, -21301056.197818357}},
             {0.001, 10, {-42598361.493603498, -0.10536160947053477, -0.10695082414969766}}}) {
      NearbySplits nearby;
      for (const double log_q : jumps.log_q) {
        const GaussianNoisyMax noise{jumps.sigma};
        const NeighbourQ near = neighbour_q(noise, log_q, jumps.m, nearby);
        const NeighbourQ alone = neighbour_q(noise, log_q, jumps.m);
        CHECK(relative_error(near.log_upper, alone.log_upper) < 1e-12);
        CHECK(relative_error(near.log_lower, alone.log_lower) < 1e-12);
        CHECK(near.log_upper >= log_q);
        CHECK(near.log_lower <= log_q);
      }
    }
    // Against values of 60 digits.
    NearbySplits nearby;
    (void)neighbour_q(GaussianNoisyMax{0.05}, -77708255.978757098, 1000000, nearby);
    (void)neighbour_q(GaussianNoisyMax{0.05}, -1.0010591193698382e-06, 1000000, nearby);
    const NeighbourQ low =
        neighbour_q(GaussianNoisyMax{0.05}, -21301056.197818357, 1000000, nearby);
    CHECK(relative_error(low.log_lower, -21486068.429239795) < 1e-12);
  }

  TEST_CASE("a class at 1/2 may leave nothing for the others") {
    const double log_q = -0.6931471805599454;  // above log 1/2 by less than a difference tells
    for (const double sigma : {0.001, 0.002, 0.01, 0.3, 1.0, 50.0, 1e6}) {
      for (double q = log_q - 1e-15; q < log_q + 1e-15; q = std::nextafter(q, 0.0)) {
        const NeighbourQ bounds = neighbour_q(GaussianNoisyMax{sigma}, q, 3);
        CHECK(bounds.log_upper >= q);
        CHECK(bounds.log_upper <= std::log1p(-1.0 / 3.0) * (1.0 - 1e-15));
        CHECK(bounds.log_lower <= q);
      }
    }
    CHECK(relative_error(neighbour_q(GaussianNoisyMax{0.001}, log_q, 3).log_upper,
                         std::log1p(-1.0 / 3.0)) < 1e-15);
  }

  TEST_CASE("Laplace: q moves by a factor e^(2 gamma), up to what it can be") {
    for (const std::int64_t m : {2, 7, 1000}) {
      const double cap = std::log1p(-1.0 / static_cast<double>(m));
      for (const double scale : {0.3, 2.0, 50.0}) {
        for (const double log_q : {-200.0, -3.0, 1.0001 * cap, cap}) {
          const NeighbourQ bounds = neighbour_q(LaplaceNoisyMax{scale}, log_q, m);
          const double most = std::min(log_q + 2.0 / scale, cap);
          CHECK(bounds.log_upper >= most);
          CHECK(bounds.log_upper <= std::min(most + 1e-11 * (1.0 - log_q + 2.0 / scale), cap));
          CHECK(bounds.log_lower <= log_q - 2.0 / scale);
          CHECK(bounds.log_lower >= (log_q - 2.0 / scale) - 1e-11 * (1.0 - log_q + 2.0 / scale));
        }
      }
    }
  }

  TEST_CASE("q too small for doubles lies between its bounds, by logarithms") {
    const NoisyMax noise{GaussianNoisyMax{1.0}};
    const UnionBoundTable table(pair_term(noise), 100);
    const std::vector<std::int32_t> counts{90, 6, 3, 1, 0};
    QBoundsByDistance bounds(table, counts);
    const double log_q = table.log_q(std::span(counts).first(4), 1);
    REQUIRE(log_q < -1000.0);
    CHECK(bounds.log_q_low() <= log_q);
    CHECK(bounds.log_q_high() >= log_q);
    CHECK(bounds.log_q_high() - bounds.log_q_low() < 1e-11 * -log_q);
    bounds.step();
    const std::vector<std::int32_t> nearer{89, 7, 3, 1, 0};
    CHECK(bounds.log_q_high() >= table.log_q(std::span(nearer).first(4), 1));
  }

  // Far behind the top, where the nearest class is nearly all of q, and where others are not.
  TEST_CASE("q of many classes far behind lies between its bounds") {
    const UnionBoundTable table(pair_term(NoisyMax{GaussianNoisyMax{40.0}}), 6000);
    const UnionBoundTable narrow(pair_term(NoisyMax{GaussianNoisyMax{2.0}}), 6000);
    std::vector<std::int32_t> many{900};
    for (int k = 0; k < 50; ++k) many.push_back(k == 0 ? 101 : 98 - k / 10);
    for (const UnionBoundTable* terms : {&table, &narrow}) {
      for (const std::vector<std::int32_t>& counts :
           {many, std::vector<std::int32_t>{900, 30, 28, 28, 26, 26, 26},
            std::vector<std::int32_t>{700, 20, 20, 20, 20}}) {
        const double log_q = terms->log_q(counts);
        REQUIRE(log_q < -50.0);
        const QBoundsByDistance bounds(*terms, counts);
        CHECK(bounds.log_q_low() <= log_q);
        CHECK(bounds.log_q_high() >= log_q);
        CHECK(bounds.log_q_high() - bounds.log_q_low() < 1e-11 * -log_q);
      }
    }
  }

  TEST_CASE("one Laplace noise: q moves by a factor e^(1/b), of two classes alone") {
    for (const double scale : {0.7, 5.0, 60.0}) {
      const NoisyMax noise{OneLaplaceNoise{scale}};
      CHECK(q_coordinate(noise).vote == 1.0 / scale);
      CHECK_FALSE(q_coordinate(noise).is_normal);
      for (const double log_q : {-40.0, -5.0, -0.8, std::log(0.5)}) {
        NearbySplits nearby;
        const NeighbourQ got = neighbour_q(noise, log_q, 2, nearby);
        const double upper = std::min(log_q + 1.0 / scale, std::log(0.5));
        CHECK(got.log_lower <= log_q - 1.0 / scale);
        CHECK(got.log_lower >= log_q - 1.0 / scale - 1e-11);
        CHECK(got.log_upper >= upper * (1.0 + 1e-15));
        CHECK(got.log_upper <= upper + 1e-11);
      }
      CHECK_THROWS_AS((void)neighbour_q(OneLaplaceNoise{scale}, -5.0, 3), parameter_error);
    }
  }
}
