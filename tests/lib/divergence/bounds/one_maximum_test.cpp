// The steps of "One maximum" (lib/pate/divergence/bounds/README.md) in numbers: names are as there.

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "support/accuracy.hpp"
#include "support/random.hpp"

using namespace pate_test;

namespace {

double gain(double l, double z) {
  return std::exp((l - 1.0) * z) + (l - 1.0) * std::exp(-z) - l;
}

double gain_slope(double l, double z) {
  return (l - 1.0) * (std::exp((l - 1.0) * z) - std::exp(-z));
}

/// The root of a rising function.
template <class Function>
double root(const Function& f, double low, double high) {
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (f(middle) < 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

template <class Function>
double integral(const Function& f, double low, double high) {
  constexpr int kPanels = 24;
  const double width = (high - low) / kPanels;
  double sum = 0.0;
  for (int i = 0; i < kPanels; ++i) {
    sum += boost::math::quadrature::gauss<double, 30>::integrate(f, low + i * width,
                                                                 low + (i + 1) * width);
  }
  return sum;
}

/// A middle -a <= z <= b whose ends have equal gains; b is 0 where there is none below 60.
struct Middle {
  double l, a, b;
};

Middle middle_of(double l, double a) {
  const double level = gain(l, -a);
  if (!(gain(l, 60.0) > level)) return {l, a, 0.0};
  return {l, a, root([&](double z) { return gain(l, z) - level; }, 0.0, 60.0)};
}

/// The slope t for which Int p w = 0.
double balanced_slope(const Middle& in, double c) {
  return root(
      [&](double t) {
        const double top = std::max(0.0, t * (in.a + in.b));
        return integral(
            [&](double z) {
              const double u = z + in.a;
              return std::exp(t * u + c * u * (in.b - z) - top) * -std::expm1(-z);
            },
            -in.a, in.b);
      },
      -60.0, 60.0);
}

/// log of Q / s, where the density has the slope t in the middle's coordinate.
double log_room(const Middle& in, double c, double t) {
  const double width = in.a + in.b;
  const double top = std::max(0.0, t * width);
  const double mass = integral(
      [&](double z) {
        const double u = z + in.a;
        return std::exp(t * u + c * u * (in.b - z) - top);
      },
      -in.a, in.b);
  const double s = std::exp(in.a) - std::exp(-in.b);
  const double both = in.l * (in.l - 1.0) * s;
  const double lower = std::abs(gain_slope(in.l, -in.a)) / both;
  const double upper = gain_slope(in.l, in.b) / both;
  CHECK(std::abs(lower + upper - 1.0) < 1e-9);
  return std::log(mass / s) + std::log(lower * std::exp(top) + upper * std::exp(top - t * width));
}

double log_room(const Middle& in, double c) {
  return log_room(in, c, balanced_slope(in, c));
}

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("critical splits: the middle's mass rises with their level at orders of 2 and more") {
    Random random(2411);
    double least = 1.0;
    for (int i = 0; i < 600; ++i) {
      const double above = random.log_uniform(1e-3, 10.0);
      const Middle in = middle_of(i % 2 == 0 ? 2.0 + above : -1.0 - above,
                                  random.log_uniform(0.02, i % 2 == 0 ? 7.0 : 1.2));
      if (!(in.b > 0.0)) continue;
      const auto where = show({{"l", in.l}, {"a", in.a}});
      const double flattest = log_room(in, 0.0);
      CHECK_MESSAGE(flattest >= -1e-11, where);
      const double c = random.log_uniform(1e-4, 2.0);
      CHECK_MESSAGE(log_room(in, c) > flattest, where);
      CHECK_MESSAGE(log_room(in, 2.0 * c) > log_room(in, c), where);
      least = std::min(least, flattest);
    }
    CHECK(least < 1e-4);  // so the inequality is no loose one
  }

  TEST_CASE("critical splits: below order 2 it rises where mu is at most sqrt 2") {
    Random random(2412);
    double least = 1.0;
    for (int i = 0; i < 1000; ++i) {
      const double l = i % 2 == 0 ? 1.0 + random.uniform(0.0, 1.0) : -random.uniform(0.0, 1.0);
      const Middle in = middle_of(l, random.log_uniform(0.02, i % 2 == 0 ? 8.0 : 1.2));
      if (!(in.b > 0.0)) continue;
      const auto where = show({{"l", l}, {"a", in.a}});
      const double c = i % 3 == 0 ? 0.25 : random.log_uniform(0.25, 3.0);
      CHECK_MESSAGE(log_room(in, c) > 0.0, where);
      // The proof needs no balance: wherever the middle lies.
      const double room = log_room(in, c, random.uniform(-2.0, 2.0));
      CHECK_MESSAGE(room > 0.0, where);
      least = std::min(least, room);
      // Its steps.
      const double h = 0.5 * (in.a + in.b);
      const double m = 0.5 * (in.b - in.a);
      const double f = integral([&](double x) { return std::exp(0.25 * (h * h - x * x)); }, -h, h);
      CHECK_MESSAGE(f >= 2.0 * std::sinh(h) * (1.0 - 1e-13), where);
      const double j = l - 1.0;
      const double d = (1.0 / std::tanh(h) - j / std::tanh(j * h)) / (2.0 * l);
      const double both = l * (l - 1.0) * 2.0 * std::exp(-m) * std::sinh(h);
      CHECK_MESSAGE(std::abs(std::abs(gain_slope(l, -in.a)) / both - 0.5 - d) < 1e-9, where);
      CHECK_MESSAGE(d >= 0.0, where);
      CHECK_MESSAGE(std::log1p(-4.0 * d * d) + 2.0 * m >= -1e-10, where);
    }
    CHECK(least < 1e-3);
  }

  TEST_CASE("critical splits: below order 2 it may fall where mu is large") {
    int falls = 0;
    for (const bool is_forward : {true, false}) {
      for (int i = 1; i < 20; ++i) {
        const double l = is_forward ? 1.0 + 0.05 * i : -0.05 * i;
        for (double a = 0.02; a < 8.0; a *= 1.3) {
          const Middle in = middle_of(l, a);
          if (!(in.b > 0.0)) continue;
          if (log_room(in, 0.0) < -1e-6) ++falls;
        }
      }
    }
    CHECK(falls > 100);
  }
}
