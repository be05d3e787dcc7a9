#include "pate/release/sensitivity/q_grid.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/release/sensitivity/neighbour_q.hpp"
#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

NoisyMax gaussian(double sigma) {
  NoisyMax result;
  result.noise = GaussianNoisyMax{sigma};
  return result;
}

NoisyMax laplace(double scale) {
  NoisyMax result;
  result.noise = LaplaceNoisyMax{scale};
  return result;
}

}  // namespace

TEST_SUITE("sensitivity") {
  TEST_CASE("an excess curve is the trade-off bound, forward, and at most its cap") {
    Random random(431);
    for (const NoisyMax& noise : {gaussian(4.0), gaussian(40.0), laplace(5.0)}) {
      for (const double order : {1.5, 6.0, 30.0}) {
        const ExcessCurve curve(noise, 100, 5, order, 1);
        const double top = std::log1p(-1.0 / 5.0);
        for (int i = 0; i < 200; ++i) {
          const double log_q = std::min(top, -random.log_uniform(-top, -curve.log_q_floor()));
          const double expected =
              std::min(tradeoff_log_excess({noise, {}}, log_q, order).forward, curve.log_cap());
          const double got = curve.log_excess(log_q);
          CHECK(got <= curve.log_cap());
          CHECK_MESSAGE(std::abs(got - expected) < 1e-9 * (1.0 + std::abs(expected)),
                        show({{"log_q", log_q}, {"order", order}}));
        }
      }
    }
  }

  // A step goes from a cell's lower end to where q is at its upper one: what the next begins with.
  TEST_CASE("the cells of a grid join, and no step rises by more than from end to image") {
    for (const NoisyMax& noise : {gaussian(4.0), gaussian(40.0), laplace(5.0)}) {
      for (const double order : {1.5, 6.0, 30.0}) {
        const ExcessCurve curve(noise, 100, 5, order, 1);
        const QGrid grid(curve, noise, 5, GridResolution::rough(), 1);
        REQUIRE(grid.size() > 3);
        int joined = 0;
        int steep = 0;
        for (std::size_t k = 1; k < grid.size(); ++k) {
          const ExcessStep& up = grid.upwards()[k];
          const ExcessStep& down = grid.downwards()[k];
          if (k + 1 < grid.size()) {
            CHECK(up.high == grid.upwards()[k + 1].low);
            CHECK(down.high == grid.downwards()[k + 1].low);
            ++joined;
          }
          // Before a step up there is `up`, before one down what is below: its end is `up` again.
          const pate::Extended room = 1e-12 * up.high;
          CHECK(down.rise <= up.high - down.low + room);
          CHECK(down.rise >= up.low - down.low - room);
          CHECK(down.rise >= up.high - down.high - room);
          steep += down.rise > 1.001L * (up.low - down.low) ? 1 : 0;
        }
        CHECK(joined > 2);
        CHECK(steep > 0);  // what is within a cell counts
      }
    }
  }
}
