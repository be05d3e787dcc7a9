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
#include "pate/numerics/log_space.hpp"
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

void check_excess(double got, double expected, const std::string& where) {
  const double scale = std::max(1.0, std::abs(expected) * 1e-3);  // of logarithms that are rounded
  CHECK_MESSAGE(got >= expected - 2e-11 * scale, where);
  CHECK_MESSAGE(got <= expected + 1e-2 * scale, where);
}

/// The excess at q e^step and how it is split, around one q.
struct Around {
  Direction direction;
  double log_q, mu, order;

  [[nodiscard]] TwoTailMaximum at(double step) const {
    return maximize_two_tails(direction, log_q + step, mu, order, kNone);
  }
  /// The excess at q (1 + growth), in units of that at q.
  [[nodiscard]] double excess(double growth) const {
    return std::exp(at(std::log1p(growth)).log_excess - at(0.0).log_excess);
  }
  /// Its second derivative by the growth there.
  [[nodiscard]] double curvature(double growth) const {
    const double step = 1e-2 * (1.0 + growth);
    return (excess(growth + step) - 2.0 * excess(growth) + excess(growth - step)) / (step * step);
  }
};

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("excesses at very many q are never below the bound, sums of costs at most 1e-7 above") {
    Random random(431);
    double above = 0.0;
    double most = 0.0;
    for (int i = 0; i < 40; ++i) {
      const double mu = random.log_uniform(7e-4, 2.5);
      const double order = 1.0 + random.log_uniform(1e-2, 1e2);
      const double exponent = 0.5 * order * (order - 1.0) * mu * mu;
      const double log_cap = exponent < 600.0 ? std::log(std::expm1(exponent)) : exponent;
      std::vector<double> log_q = crowded_log_q(random);
      log_q.insert(log_q.begin(), 2, -kInfinity);
      std::vector<double> weights;
      for (std::size_t k = 0; k < log_q.size(); ++k) {
        weights.push_back(i % 4 == 0 ? 1.0 : random.log_uniform(1e-6, 10.0));
      }
      const auto got = tradeoff_log_excesses(log_q, weights, mu, order, 1);
      const auto again = tradeoff_log_excesses(log_q, weights, mu, order, 3);
      CHECK(got[1].larger() == -kInfinity);
      double sum = 0.0;
      double expected_sum = 0.0;
      for (std::size_t k = 2; k < log_q.size(); ++k) {
        const BothDirections one = gaussian_tradeoff_log_excess(log_q[k], mu, order);
        const BothDirections expected{std::min(one.forward, log_cap),
                                      std::min(one.reverse, log_cap)};
        const std::string where = show({{"mu", mu}, {"order", order}, {"log q", log_q[k]}});
        check_excess(got[k].forward, expected.forward, where);
        check_excess(got[k].reverse, expected.reverse, where);
        most = std::max(most, got[k].forward - expected.forward);
        CHECK(got[k].forward == again[k].forward);
        CHECK(got[k].reverse == again[k].reverse);
        sum += weights[k] * log1pexp(got[k].larger());
        expected_sum += weights[k] * log1pexp(expected.larger());
      }
      CHECK_MESSAGE(sum <= expected_sum * (1.0 + 1e-7), show({{"mu", mu}, {"order", order}}));
      above = std::max(above, sum / expected_sum - 1.0);
    }
    CHECK(above > 1e-8);  // some were bounded by parabolas
    CHECK(most > 1e-6);   // little ones less closely
  }

  // Below order 2 one of the tails is next to nothing there, and the second derivative, in units of
  // the excess, beyond all numbers.
  TEST_CASE("excesses of minute q that lie close together are no larger than of single ones") {
    Random random(434);
    for (int i = 0; i < 60; ++i) {
      const double mu = random.log_uniform(0.02, 2.0);
      const double order = 1.0 + random.log_uniform(0.01, i % 4 == 0 ? 30.0 : 1.0);
      std::vector<double> log_q;
      const double middle = -random.uniform(360.0, 640.0);
      const double spread = random.log_uniform(1e-11, 1e-6);
      for (int k = 0; k < 6; ++k)
        log_q.push_back(middle * (1.0 + spread * random.uniform(0.0, 1.0)));
      std::ranges::sort(log_q);
      const std::vector<double> weights(log_q.size(), 1.0);
      const auto got = tradeoff_log_excesses(log_q, weights, mu, order, 1);
      for (std::size_t k = 0; k < log_q.size(); ++k) {
        const BothDirections one = gaussian_tradeoff_log_excess(log_q[k], mu, order);
        const std::string where = show({{"mu", mu}, {"order", order}, {"log q", log_q[k]}});
        if (one.forward > -690.0) check_excess(got[k].forward, one.forward, where);
        if (one.reverse > -690.0) check_excess(got[k].reverse, one.reverse, where);
      }
    }
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
      if (!at.is_concave()) {
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

  TEST_CASE(
      "where the excess is said to be concave both tails grow, and it bends as much as is said") {
    Random random(433);
    int tested = 0;
    int close = 0;
    for (int i = 0; i < 6000; ++i) {
      const Around around{i % 2 == 0 ? Direction::forward : Direction::reverse,
                          -random.log_uniform(0.05, 30.0), random.log_uniform(7e-4, 2.0),
                          1.0 + random.log_uniform(1e-2, 1e2)};
      const double width = std::min(random.log_uniform(1e-3, 0.3), -0.5 * around.log_q);
      const TwoTailTangent at =
          two_tail_tangent(around.direction, around.log_q, around.mu, around.order, kNone, width);
      if (!at.is_concave()) continue;
      ++tested;
      const std::string where = show(
          {{"mu", around.mu}, {"order", around.order}, {"log q", around.log_q}, {"width", width}});
      const double growth = random.uniform(0.0, 1.0) * std::expm1(width);
      const double bend = around.curvature(growth);
      CHECK_MESSAGE(bend <= at.curvature + 1e-2 * std::abs(at.curvature) + 1e-5, where);
      const TwoTailMaximum later = around.at(width);
      if (std::isfinite(at.most.log_lower) && std::isfinite(later.log_lower)) {
        CHECK_MESSAGE(later.log_lower >= at.most.log_lower - 1e-6, where);
        const double upper = -std::expm1(at.most.log_lower - around.log_q);
        const double upper_later = std::exp(width) - std::exp(later.log_lower - around.log_q);
        CHECK_MESSAGE(upper_later >= upper - 1e-6, where);
      }
      if (width < 2e-3 && bend < -1e-2 && at.curvature < 0.9 * bend) ++close;
    }
    CHECK(tested > 1000);
    CHECK(close > 50);
  }

  TEST_CASE("where the excess is said to be concave no tail gets far more than at the beginning") {
    // What is said of a way supposes shares of what q grows by, half as large again as they are at
    // its beginning; where the split then turns out to move faster nothing may be said.
    Random random(434);
    int said = 0;
    int faster = 0;
    for (int i = 0; i < 6000; ++i) {
      const Around around{i % 2 == 0 ? Direction::forward : Direction::reverse,
                          -random.log_uniform(0.05, 30.0), random.log_uniform(7e-4, 2.0),
                          1.0 + random.log_uniform(1e-2, 1e2)};
      const double width = std::min(random.log_uniform(1e-2, 2.0), -0.5 * around.log_q);
      const auto lower = [&](double step) {
        const double log_lower = around.at(step).log_lower;
        return std::isfinite(log_lower) ? std::exp(log_lower - around.log_q) : kNone;
      };
      // Of what q grows by, where it has grown by e^step.
      const auto lower_share = [&](double step) {
        constexpr double kStep = 2e-3;
        return (lower(step + kStep) - lower(step - kStep)) /
               (std::exp(step + kStep) - std::exp(step - kStep));
      };
      const double now = lower_share(0.0);
      const double then = lower_share(width - 2e-3);
      if (!std::isfinite(now) || !std::isfinite(then)) continue;
      const auto is_faster = [&](double times) {
        return (then > 1e-3 && then > times * now) ||
               (1.0 - then > 1e-3 && 1.0 - then > times * (1.0 - now));
      };
      const TwoTailTangent at =
          two_tail_tangent(around.direction, around.log_q, around.mu, around.order, kNone, width);
      if (at.is_concave()) {
        ++said;
        CHECK_MESSAGE(!is_faster(1.53), show({{"mu", around.mu},
                                              {"order", around.order},
                                              {"log q", around.log_q},
                                              {"width", width}}));
      } else if (is_faster(1.7)) {
        ++faster;
      }
    }
    CHECK(said > 1000);
    CHECK(faster > 100);
  }

  TEST_CASE("of ways on which it is not shown that both tails grow nothing is said") {
    struct Way {
      Direction direction;
      double mu, order, log_q, width;
    };
    // The bounds of P, or of P and R (README, "How much the excess bends"), are not above 0 there,
    // and all else that is asked for holds.
    const std::vector<Way> ways{{Direction::forward, 1.3916019614454953, 1.5051099984018212,
                                 -1.3367319018161226, 0.12494403935963677},
                                {Direction::forward, 1.3193457361813226, 1.847270825062028,
                                 -1.58246939650119, 0.2598077318976178},
                                {Direction::reverse, 0.020213407229359066, 1.3166932704371761,
                                 -0.16099165896767748, 0.035843140038569331},
                                {Direction::forward, 0.029243255888623112, 2.0576915402959699,
                                 -0.36364287569232479, 0.10668488594581677},
                                {Direction::forward, 0.029870187335608679, 86.639113712370204,
                                 -0.091285546776218127, 0.016759283459727083},
                                // Without a lower tail: of u^2 - A.
                                {Direction::forward, 0.19491119910678348, 98.355216489736918,
                                 -2.2320741598829246, 1.1160370799414623},
                                {Direction::forward, 1.4481618992304712, 6.0563238741506451,
                                 -0.05246408042408051, 0.026232040212040255},
                                {Direction::forward, 0.11260765223566879, 83.841602890186522,
                                 -0.12061060424634046, 0.046645574064174349}};
    for (const Way& way : ways) {
      const std::string where = show({{"mu", way.mu}, {"order", way.order}, {"log q", way.log_q}});
      const auto at = [&](double width) {
        return two_tail_tangent(way.direction, way.log_q, way.mu, way.order, kNone, width);
      };
      CHECK_MESSAGE(!at(way.width).is_concave(), where);
      CHECK_MESSAGE(at(1e-3 * way.width).is_concave(), where);  // of a short one it is shown
    }
  }
}
