#include "pate/release/curve/complex_curve.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/release/curve/complex_parameters.hpp"
#include "support/complex_world.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// A curve by its steps: R(y) = heights[i] from steps[i - 1] on.
struct StepCurve {
  std::vector<std::int64_t> steps;
  std::vector<double> heights;
  double s = 1.0;
  double delta = 1e-3;
  std::int64_t t_min = -20;

  [[nodiscard]] ComplexCurve curve(const ComplexOrders& orders) const {
    std::vector<double> values;
    std::size_t i = 0;
    for (std::int64_t y = steps.front() - 1; y <= steps.back(); ++y) {
      while (i < steps.size() && y >= steps[i]) ++i;
      values.push_back(heights[i]);
    }
    return {orders, DiscreteGaussian(s), delta, steps.front() - 1, std::move(values), t_min, 1};
  }
};

using IndexOf = std::function<std::int64_t(const ComplexCurve&, const ComplexCosts&)>;

// With conditions at d = 0 .. furthest alone.
std::int64_t index_up_to(const ComplexCurve& curve, const ComplexCosts& costs,
                         std::int64_t furthest) {
  std::vector<CurveSide> sides;
  for (std::size_t d = 0; d < costs.units.size(); ++d) {
    sides.emplace_back(curve.orders(), costs.units[d], static_cast<std::int64_t>(d));
  }
  for (std::int64_t t = curve.t_min();; ++t) {
    bool good = true;
    for (std::int64_t d = 0; d <= furthest && good; ++d) {
      good = curve.holds(sides[static_cast<std::size_t>(std::min(d, costs.teachers))], t + d);
    }
    if (good) return t;
  }
}

struct FoundOnCurve {
  double excess = 0.0;  // as a share of delta
  std::int64_t apart = 0;
};

// Of all pairs of neighbours: what is released on one, answers and index, against the other.
FoundOnCurve check_curve(const ComplexWorld& world, const ComplexCurve& curve,
                         const IndexOf& index_of) {
  std::vector<std::int64_t> g;
  for (const auto& votes : world.all()) g.push_back(index_of(curve, votes.costs));
  const auto& noise = curve.noise();
  const auto reach = static_cast<std::int64_t>(std::ceil(9.0 * noise.s())) + 2;
  FoundOnCurve found;
  world.for_neighbours([&](std::size_t a, std::size_t b) {
    const auto& p = world.all()[a].outcomes;
    const auto& q = world.all()[b].outcomes;
    found.apart = std::max(found.apart, std::abs(g[a] - g[b]));
    double excess = 0.0;
    for (std::int64_t y = g[a] - reach; y <= g[a] + reach; ++y) {
      const double ours = std::exp(noise.log_probability(y - g[a]));
      const double theirs = std::exp(noise.log_probability(y - g[b]) + curve.epsilon(y));
      for (std::size_t o = 0; o < p.size(); ++o) {
        excess += std::max(0.0, p[o] * ours - q[o] * theirs);
      }
    }
    found.excess = std::max(found.excess, excess / curve.delta());
  });
  return found;
}

std::int64_t index_of_library(const ComplexCurve& curve, const ComplexCosts& costs) {
  return curve.index(costs);
}

StepCurve random_curve(Random& random) {
  StepCurve its;
  its.s = random.log_uniform(0.5, 4.0);
  its.delta = random.log_uniform(1e-4, 0.1);
  its.t_min = random.integer(-15, -3);
  std::int64_t y = random.integer(-8, 0);
  double height = random.uniform(0.0, 1.5);
  its.heights.push_back(height);
  const auto steps = random.integer(1, 4);
  for (std::int64_t i = 0; i < steps; ++i) {
    its.steps.push_back(y);
    y += random.integer(1, 8);
    height += random.uniform(0.05, 4.0);
    its.heights.push_back(height);
  }
  // What the votes cost at most must be covered.
  its.heights.back() += 12.0;
  return its;
}

// Another one that is near.
StepCurve moved(const StepCurve& from, Random& random) {
  StepCurve its = from;
  switch (random.integer(0, 3)) {
    case 0:
      its.s = std::clamp(its.s * std::exp(random.uniform(-0.2, 0.2)), 0.3, 6.0);
      break;
    case 1:
      its.delta = std::clamp(its.delta * std::exp(random.uniform(-0.3, 0.3)), 1e-6, 0.3);
      break;
    case 2:
      for (double& height : its.heights) height *= std::exp(random.uniform(-0.1, 0.1));
      std::ranges::sort(its.heights);
      break;
    default:
      for (std::int64_t& step : its.steps) step += random.integer(-1, 1);
      std::ranges::sort(its.steps);
  }
  return its;
}

std::optional<FoundOnCurve> tried(const ComplexWorld& world, const StepCurve& its,
                                  const ComplexOrders& orders, const IndexOf& index_of) {
  try {
    return check_curve(world, its.curve(orders), index_of);
  } catch (const validity_error&) {
    return std::nullopt;  // the curve ends too low
  }
}

}  // namespace

TEST_SUITE("curve") {
  // One query over two classes, three teachers, and a curve of two steps on which |Phi| rises again
  // where R is nearly constant.
  TEST_CASE("complex curve: conditions up to M teachers are too few, at all distances they do") {
    SmallComplex its;
    its.teachers = 3;
    its.noise.sigma = .966915;
    its.orders = {{.5, 1.5, 3.0, 5.0, 8.0}, .502361, 123, 0.0};
    const StepCurve steps{{-3, 11}, {.936, 4.8487, 7.82}, 1.17471, .0022362, -40};
    const ComplexWorld world(its);
    const ComplexCurve curve = steps.curve(its.orders);
    const FoundOnCurve sound = check_curve(world, curve, index_of_library);
    CHECK(sound.apart <= 1);
    CHECK(sound.excess <= 1.0 + 1e-9);
    const FoundOnCurve few =
        check_curve(world, curve, [](const ComplexCurve& by, const ComplexCosts& costs) {
          return index_up_to(by, costs, costs.teachers);
        });
    CHECK(few.apart == 6);
    CHECK(few.excess == doctest::Approx(403.0).epsilon(2e-3));
    // What the library does, said in another way.
    for (const auto& votes : world.all()) {
      CHECK(curve.index(votes.costs) == index_up_to(curve, votes.costs, 100));
    }
  }

  TEST_CASE("complex curve: an epsilon published through it holds, on all votes") {
    const char* const asked = std::getenv("PATE_CURVE_CONFIGURATIONS");
    const int configurations = asked == nullptr ? 30 : std::max(1, std::atoi(asked) / 8);
    Random random(91);
    double largest = 0.0;
    int compared = 0;
    for (int n = 0; n < configurations; ++n) {
      SmallComplex its = random_small(random);
      its.orders.terms = 60;
      const ComplexWorld world(its);
      // Climbs towards a larger excess.
      StepCurve best = random_curve(random);
      double found = -1.0;
      for (int climb = 0; climb < 12; ++climb) {
        const StepCurve next = climb < 4 ? random_curve(random) : moved(best, random);
        const auto checked = tried(world, next, its.orders, index_of_library);
        if (!checked) continue;
        ++compared;
        INFO("teachers ", its.teachers, " classes ", its.classes, " sigma ", its.noise.sigma);
        CHECK(checked->apart <= 1);
        CHECK(checked->excess <= 1.0 + 1e-9);
        largest = std::max(largest, checked->excess);
        if (checked->excess > found) {
          found = checked->excess;
          best = next;
        }
      }
    }
    MESSAGE("largest excess ", largest, " of delta, of ", compared);
    CHECK(compared > 5 * configurations);
    CHECK(largest > 0.2);
  }

  // The curves that releases have, floor, growth and end.
  TEST_CASE("complex curve: what a release publishes holds, on all votes") {
    Random random(94);
    double largest = 0.0;
    for (int n = 0; n < 25; ++n) {
      SmallComplex its = random_small(random);
      its.orders.terms = 60;
      const ComplexWorld world(its);
      const double delta = random.log_uniform(1e-4, 0.05);
      const auto& most = world.all().front().costs.units.back();
      for (int k = 0; k < 3; ++k) {
        const ComplexParameters parameters{1.0, random.log_uniform(0.05, 2.0),
                                           random.log_uniform(0.6, 5.0),
                                           random.log_uniform(0.05, 1.0)};
        const ComplexCurve curve =
            complex_curve(parameters, its.orders, delta, most, its.teachers, 1);
        const FoundOnCurve found = check_curve(world, curve, index_of_library);
        CHECK(found.apart <= 1);
        CHECK(found.excess <= 1.0 + 1e-9);
        largest = std::max(largest, found.excess);
      }
    }
    MESSAGE("largest excess ", largest, " of delta");
    CHECK(largest > 0.1);
  }
}
