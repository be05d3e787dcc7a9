#include "pate/divergence/bounds/tradeoff_excesses.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/bounds/two_tails.hpp"
#include "pate/numerics/infinity.hpp"
#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Values of q of which many lie close together, and some alone.
std::vector<double> crowded_log_q(Random& random) {
  std::vector<double> result;
  for (int k = 0; k < 12; ++k) {
    const double middle = -random.log_uniform(0.05, 40.0);
    const double spread = random.log_uniform(1e-5, 3e-3);
    for (int i = 0; i < 25; ++i) {
      result.push_back(middle * (1.0 + spread * random.uniform(-1.0, 1.0)));
    }
    result.push_back(-random.log_uniform(0.05, 400.0));
  }
  std::ranges::sort(result);
  return result;
}

void check_excess(double got, double computed, double log_cap, const std::string& where) {
  const double expected = std::min(computed, log_cap);
  const double scale = std::max(1.0, std::abs(expected) * 1e-3);  // of logarithms that are rounded
  CHECK_MESSAGE(got >= expected - 2e-11 * scale, where);
  CHECK_MESSAGE(got <= expected + 1e-7 * scale, where);
}

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("excesses at very many q are never below the bound and at most 1e-7 above") {
    Random random(431);
    double above = 0.0;
    for (int i = 0; i < 40; ++i) {
      const double mu = random.log_uniform(7e-4, 2.5);
      const double order = 1.0 + random.log_uniform(1e-2, 1e2);
      const double exponent = 0.5 * order * (order - 1.0) * mu * mu;
      const double log_cap = exponent < 600.0 ? std::log(std::expm1(exponent)) : exponent;
      std::vector<double> log_q = crowded_log_q(random);
      log_q.insert(log_q.begin(), 2, -kInfinity);
      const auto got = tradeoff_log_excesses(log_q, mu, order, 1);
      const auto again = tradeoff_log_excesses(log_q, mu, order, 3);
      CHECK(got[1].larger() == -kInfinity);
      for (std::size_t k = 2; k < log_q.size(); ++k) {
        const BothDirections one = gaussian_tradeoff_log_excess(log_q[k], mu, order);
        const std::string where = show({{"mu", mu}, {"order", order}, {"log q", log_q[k]}});
        check_excess(got[k].forward, one.forward, log_cap, where);
        check_excess(got[k].reverse, one.reverse, log_cap, where);
        above = std::max(above, got[k].forward - one.forward);
        CHECK(got[k].forward == again[k].forward);
        CHECK(got[k].reverse == again[k].reverse);
      }
    }
    CHECK(above > 1e-8);  // some were bounded by tangents
  }

  TEST_CASE("where the excess is said to be concave it is, with these slopes") {
    Random random(432);
    int concave = 0;
    int other = 0;
    for (int i = 0; i < 3000; ++i) {
      const Direction direction = i % 2 == 0 ? Direction::forward : Direction::reverse;
      const double mu = random.log_uniform(7e-4, 2.0);
      const double order = 1.0 + random.log_uniform(1e-2, 1e2);
      const double log_q = -random.log_uniform(0.05, 30.0);
      const double width = std::min(random.log_uniform(1e-3, 0.3), -0.5 * log_q);
      const TwoTailTangent at = two_tail_tangent(direction, log_q, mu, order, kNone, width);
      if (!at.is_concave) {
        ++other;
        continue;
      }
      ++concave;
      // The excess at a share of the way, in units of that at the beginning.
      const auto excess = [&](double share) {
        const double there = log_q + std::log1p(share * std::expm1(width));
        return std::exp(maximize_two_tails(direction, there, mu, order, kNone).log_excess -
                        at.most.log_excess);
      };
      const double share = random.uniform(0.1, 0.9);
      const double between = excess(share);
      const double end = excess(1.0);
      const std::string where =
          show({{"mu", mu}, {"order", order}, {"log q", log_q}, {"width", width}});
      CHECK_MESSAGE(between >= 1.0 + share * (end - 1.0) - 3e-11, where);
      CHECK(at.log_least_slope <= at.log_greatest_slope);
      const double slope = std::exp(at.log_greatest_slope + log_q - at.most.log_excess);
      CHECK_MESSAGE(end <= 1.0 + slope * std::expm1(width) + 3e-11, where);
      const double least = std::exp(at.log_least_slope + log_q - at.most.log_excess);
      CHECK_MESSAGE(excess(1e-2) >= 1.0 + 0.98 * least * 1e-2 * std::expm1(width) - 3e-11, where);
    }
    CHECK(concave > 500);
    CHECK(other > 500);
  }
}
