#include "pate/divergence/rdp/optimal_conversion.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "support/accuracy.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

double improved(double rdp, double order, double delta) {
  return std::max(epsilon_from_rdp(Conversion::improved, rdp, order, delta), 0.0);
}

// A RDP and a delta at some order: everywhere, and often where epsilon becomes 0.
struct Drawn {
  explicit Drawn(Random& random)
      : order(1.0 + random.log_uniform(1e-6, 1e5)), rdp(random.log_uniform(1e-14, 100.0)) {
    delta = random.uniform(0.0, 1.0) < 0.5
                ? random.log_uniform(1e-14, 0.5)
                : std::min(0.5, std::sqrt(rdp) * random.log_uniform(1e-2, 1.0));
  }
  [[nodiscard]] std::string text() const {
    return show({{"rdp", rdp}, {"order", order}, {"delta", delta}});
  }

  double order, rdp, delta;
};

using Outcomes = std::vector<long double>;

Outcomes random_outcomes(Random& random, std::size_t size) {
  Outcomes result;
  long double sum = 0.0L;
  for (std::size_t i = 0; i < size; ++i) sum += result.emplace_back(random.log_uniform(1e-6, 1.0));
  for (long double& p : result) p /= sum;
  return result;
}

long double divergence(const Outcomes& p, const Outcomes& q, long double order) {
  long double excess = 0.0L;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const long double ratio = p[i] / q[i];
    excess += q[i] * (std::pow(ratio, order) - 1.0L - order * (ratio - 1.0L));
  }
  return std::log1p(excess) / (order - 1.0L);
}

long double hockey_stick(const Outcomes& p, const Outcomes& q, long double epsilon) {
  long double sum = 0.0L;
  for (std::size_t i = 0; i < p.size(); ++i) {
    sum += std::max(p[i] - std::exp(epsilon) * q[i], 0.0L);
  }
  return sum;
}

}  // namespace

TEST_SUITE("rdp") {
  TEST_CASE("the optimal conversion against the oracle, which bounds it from the other side") {
    for (const OracleRow& row : oracle("optimal_conversion")) {
      const double rdp = row.number("rdp");
      const double reference = row.number("epsilon");
      const double got =
          epsilon_from_rdp(Conversion::optimal, rdp, row.number("lambda"), row.number("delta"));
      CHECK_MESSAGE(got >= reference, row.text());
      CHECK_MESSAGE(got <= reference * (1.0 + 1e-9), row.text() << " " << got);
    }
  }

  TEST_CASE("the optimal conversion never says less than pairs of distributions need") {
    Random random(421);
    int positive = 0;
    for (int i = 0; i < 20000; ++i) {
      const auto size = static_cast<std::size_t>(random.integer(2, 4));
      const Outcomes p = random_outcomes(random, size);
      Outcomes q = random_outcomes(random, size);
      const long double share =
          random.uniform(0.0, 1.0) < 0.5 ? 1.0L : random.log_uniform(1e-4, 1.0);
      for (std::size_t k = 0; k < size; ++k) q[k] = share * q[k] + (1.0L - share) * p[k];
      const double order = 1.0 + random.log_uniform(1e-3, 50.0);
      const auto rdp = static_cast<double>(divergence(p, q, order) * (1.0L + 1e-13L));
      const double delta = std::min(
          0.5, static_cast<double>(hockey_stick(p, q, 0.0L)) * random.log_uniform(1e-6, 1.0));
      if (!(delta > 1e-12) || !std::isfinite(rdp)) continue;
      const double epsilon = optimal_epsilon(rdp, order, delta);
      const long double needed = hockey_stick(p, q, epsilon);
      positive += epsilon > 0.0 ? 1 : 0;
      CHECK_MESSAGE(needed <= delta * (1.0L + 1e-12L),
                    show({{"rdp", rdp}, {"order", order}, {"delta", delta}, {"epsilon", epsilon}}));
    }
    CHECK(positive > 10000);
  }

  TEST_CASE("some pair of two outcomes needs the optimal epsilon, but for rounding") {
    // The same density ratios as in the bound; what the pair needs is computed from the pair.
    Random random(422);
    for (int i = 0; i < 300; ++i) {
      const double order = 1.0 + random.log_uniform(0.05, 30.0);
      const long double u = random.log_uniform(1e-4, 0.5);
      const long double v = u * random.log_uniform(1e-3, 0.9);
      const auto rdp =
          static_cast<double>(divergence({u, 1.0L - u}, {v, 1.0L - v}, order) * (1.0L + 1e-14L));
      // The pair is the worst one where its deltas fall along the tangent of its moment.
      const long double x = u / v;
      const long double y = (1.0L - u) / (1.0L - v);
      const long double a = order;
      const long double t = (a - 1.0L) / a * (std::pow(x, a) - std::pow(y, a)) /
                            (std::pow(x, a - 1.0L) - std::pow(y, a - 1.0L));
      const auto delta = static_cast<double>(u - t * v);
      if (!(t > 1.0L + 1e-6L) || !(delta > 1e-12)) continue;
      const double epsilon = optimal_epsilon(rdp, order, delta);
      CHECK_MESSAGE(relative_error(epsilon, static_cast<double>(std::log(t))) < 1e-9,
                    show({{"u", static_cast<double>(u)},
                          {"v", static_cast<double>(v)},
                          {"order", order},
                          {"delta", delta}}));
      CHECK(epsilon >= static_cast<double>(std::log(t)) * (1.0 - 1e-13));
    }
  }

  TEST_CASE("the optimal conversion is at most the others, and smaller where delta is large") {
    Random random(423);
    int smaller = 0;
    for (int i = 0; i < 20000; ++i) {
      const Drawn at(random);
      const double optimal = optimal_epsilon(at.rdp, at.order, at.delta);
      const double slope = at.order - 1.0;
      const double second = std::log1p(std::expm1(slope * at.rdp) / (at.order * at.delta)) / slope;
      CHECK_MESSAGE(optimal >= 0.0, at.text());
      CHECK_MESSAGE(optimal <= improved(at.rdp, at.order, at.delta), at.text());
      CHECK_MESSAGE(optimal <= second * (1.0 + 1e-9), at.text());
      smaller += optimal < 0.99 * std::min(second, improved(at.rdp, at.order, at.delta)) ? 1 : 0;
    }
    CHECK(smaller > 2000);
  }

  TEST_CASE("the optimal epsilon rises with the RDP and falls with delta") {
    Random random(424);
    for (int i = 0; i < 20000; ++i) {
      const Drawn at(random);
      const double here = optimal_epsilon(at.rdp, at.order, at.delta);
      const double more = 1.0 + random.log_uniform(1e-9, 1.0);
      CHECK_MESSAGE(optimal_epsilon(at.rdp * more, at.order, at.delta) >= here * (1.0 - 1e-10),
                    at.text());
      const double larger = std::min(at.delta * more, 0.999);
      CHECK_MESSAGE(optimal_epsilon(at.rdp, at.order, larger) <= here * (1.0 + 1e-10), at.text());
    }
  }

  TEST_CASE("found by secants the optimal epsilon is the same, and never less than is needed") {
    Random random(425);
    for (int i = 0; i < 20000; ++i) {
      const Drawn at(random);
      const double exact = optimal_epsilon(at.rdp, at.order, at.delta);
      const double quick = quick_optimal_epsilon(at.rdp, at.order, at.delta);
      CHECK_MESSAGE(quick <= exact * (1.0 + 1e-9), at.text());
      CHECK_MESSAGE(quick >= exact * (1.0 - 1e-9), at.text());
    }
    for (const OracleRow& row : oracle("optimal_conversion")) {
      const double reference = row.number("epsilon");
      const double got =
          quick_optimal_epsilon(row.number("rdp"), row.number("lambda"), row.number("delta"));
      CHECK_MESSAGE(got >= reference, row.text());
      CHECK_MESSAGE(got <= reference * (1.0 + 1e-9), row.text() << " " << got);
    }
    CHECK(quick_optimal_epsilon(0.0, 2.0, 1e-5) == 0.0);
    CHECK(quick_optimal_epsilon(kInfinity, 2.0, 1e-5) == kInfinity);
    CHECK(std::isnan(quick_optimal_epsilon(kNaN, 2.0, 1e-5)));
  }

  TEST_CASE("the ends of the optimal conversion") {
    CHECK(optimal_epsilon(0.0, 2.0, 1e-5) == 0.0);
    CHECK(optimal_epsilon(kInfinity, 2.0, 1e-5) == kInfinity);
    CHECK(std::isnan(optimal_epsilon(kNaN, 2.0, 1e-5)));
    CHECK(optimal_epsilon(1e-17, 2.0, 1e-5) == 0.0);
    // Outcomes that differ by less than delta altogether: no epsilon is needed.
    CHECK(optimal_epsilon(1e-300, 1e4, 1e-5) == 0.0);
    // Another outcome than those of Q need not be looked at.
    CHECK(relative_error(optimal_epsilon(3.0, 100.0, 0.01), 3.0 + std::log1p(-0.01)) < 1e-12);
    CHECK(std::isfinite(optimal_epsilon(1e6, 1e9, 1e-300)));
    CHECK(std::isfinite(optimal_epsilon(1e-300, 1.0 + 1e-9, 1e-300)));
    CHECK_THROWS_AS(static_cast<void>(optimal_epsilon(1.0, 2.0, 1.0)), parameter_error);
    CHECK_THROWS_AS(static_cast<void>(conversion_term(Conversion::optimal, 2.0, 1e-5)),
                    parameter_error);
  }
}
