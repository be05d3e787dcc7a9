#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/mechanisms/sampling/discrete_gaussian.hpp"
#include "pate/release/curve/curve_release.hpp"
#include "pate/release/curve/public_curve.hpp"
#include "support/accuracy.hpp"
#include "support/bit_sources.hpp"
#include "support/chi_square.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// A curve that rises at random, by steps or all along.
std::vector<double> random_curve(Random& random) {
  const auto size = static_cast<std::size_t>(random.integer(1, 25));
  const double height = random.log_uniform(.1, 5.0);
  double value = random.uniform(0.0, 2.0);
  std::vector<double> result;
  for (std::size_t i = 0; i < size; ++i) {
    result.push_back(value);
    if (random.integer(0, 2) == 0) value += height * random.uniform(0.0, 1.0);
  }
  return result;
}

// U as it is defined: the smallest of x + (log delta - log phi(x)) / (order - 1) on a fine grid,
// with phi a sum over a wide range of the noise and its own normaliser.
double covered_by_definition(const PublicCurve& curve, std::int64_t t) {
  const double variance = curve.noise().variance();
  const auto reach = static_cast<std::int64_t>(30.0 * std::sqrt(variance) + curve.order()) + 8;
  double normaliser = 0.0;
  for (std::int64_t z = -reach; z <= reach; ++z) {
    normaliser += std::exp(static_cast<double>(-z * z) / (2.0 * variance));
  }
  double least = kInfinity;
  const double low = curve.floor() - 40.0 * (1.0 + 1.0 / variance);
  const double high = curve.ceiling() + 20.0 * (1.0 + 1.0 / variance);
  for (const std::int64_t k : {-1, 0, 1}) {
    const auto value = [&](double x) {
      long double phi = 0.0L;  // doubles underflow where s is small and the order large
      for (std::int64_t z = -reach; z <= reach; ++z) {
        const double loss = static_cast<double>(k * k - 2 * z * k) / (2.0 * variance);
        const double gain = curve.epsilon(t + z) - loss - x;
        if (gain < 0.0) {
          phi -= std::exp(static_cast<long double>(-z * z) / (2.0L * variance)) * std::expm1(gain);
        }
      }
      if (!(phi > 0.0L)) return kInfinity;
      return static_cast<double>(
          x + (std::log(curve.delta()) - static_cast<double>(std::log(phi / normaliser))) /
                  (curve.order() - 1.0));
    };
    double best = low;
    double least_value = value(best);
    double step = (high - low) / 6000.0;
    for (int round = 0; round < 5; ++round) {
      const double centre = best;
      const int reach_steps = round == 0 ? 6000 : 12;
      for (int i = round == 0 ? 0 : -reach_steps; i <= reach_steps; ++i) {
        const double x = centre + i * step;
        const double here = value(x);
        if (here < least_value) {
          best = x;
          least_value = here;
        }
      }
      step /= 8.0;
    }
    least = std::min(least, least_value);
  }
  return least;
}

}  // namespace

TEST_CASE("public curve: what is covered is the infimum it is defined by, for every shape") {
  Random random(11);
  for (int i = 0; i < 10; ++i) {
    const double order = random.integer(0, 4) == 0 ? 20.0 : random.uniform(1.2, 12.0);
    const double s = random.integer(0, 4) == 0 ? 0.3 : random.uniform(0.3, 2.5);
    const double delta = random.log_uniform(1e-9, 0.3);
    const PublicCurve curve(order, DiscreteGaussian(s), delta, 0, random_curve(random), -3,
                            -(CostUnits{1} << 60), 1);
    for (const std::int64_t t : {random.integer(-3, 12), curve.t_max()}) {
      CAPTURE(show({{"order", order}, {"s", s}, {"delta", delta}, {"t", static_cast<double>(t)}}));
      const double covered = std::ldexp(static_cast<double>(curve.covered(t)), kUnitExponent);
      const double defined = covered_by_definition(curve, t);
      CHECK(covered <= defined);
      CHECK(covered >= defined - 2e-5 * (1.0 + std::abs(defined)));
    }
  }
}

TEST_CASE("public curve: what a search looks at is what is covered, within 1e-6") {
  Random random(13);
  for (int i = 0; i < 200; ++i) {
    const double order = random.uniform(1.2, 30.0);
    const double s = random.log_uniform(0.3, 20.0);
    const double delta = random.log_uniform(1e-9, 0.3);
    CAPTURE(show({{"order", order}, {"s", s}, {"delta", delta}}));
    const std::int64_t half = noise_half_width(order, s, 6.0);
    const CoveredCost cost(order, delta, DiscreteGaussian(s), half);
    std::vector<double> values;
    double value = random.uniform(0.0, 1.0);
    const double growth = 5.0 / static_cast<double>(2 * half + 1);
    for (std::int64_t z = -half; z <= half; ++z) {
      values.push_back(value);
      value += growth * (i % 3 == 0 ? 1.0 : random.uniform(0.0, 1.0));
    }
    for (const double reference : {values.back(), values.front(), 0.5}) {
      std::vector<double> scaled;
      for (const double r : values) scaled.push_back(std::exp(r - reference));
      CHECK(std::abs(cost.estimate(values, scaled, reference) - cost.at(values)) < 1e-6);
    }
  }
}

TEST_CASE("public curve: what exceeds an epsilon, beside the sum it is") {
  const PublicCurve curve({6.0, 2.0, 0.1}, 1e-5, units_of(3.0, 0.0), 1);
  for (const std::int64_t t : {-30, 0, 5}) {
    for (const double x : {0.3, 1.0, 3.0, 6.0}) {
      double largest = 0.0;
      for (const std::int64_t k : {-1, 0, 1}) {
        double sum = 0.0;
        for (std::int64_t z = -300; z <= 300; ++z) {
          const double p = std::exp(curve.noise().log_probability(z));
          const double r = curve.epsilon(t + z) - curve.noise().log_ratio(z, k);
          sum += p * std::max(0.0, 1.0 - std::exp(r - x));
        }
        largest = std::max(largest, sum);
      }
      CHECK(curve.excess(t, x) == doctest::Approx(largest).epsilon(1e-9));
    }
  }
}

TEST_CASE("public curve: the index is the first that covers every distance") {
  Random random(12);
  int above_first = 0;
  for (int i = 0; i < 40; ++i) {
    const std::vector<double> values = random_curve(random);
    const auto of = [&](CostUnits ub_max) {
      return PublicCurve(4.0, DiscreteGaussian(1.0), 1e-5, 0, values, -3, ub_max, 1);
    };
    const PublicCurve any = of(-(CostUnits{1} << 60));
    const PublicCurve curve = of(any.covered(any.t_max()));
    const auto low = static_cast<double>(curve.covered(curve.t_min()));
    const auto high = static_cast<double>(curve.ub_max());
    std::vector<CostUnits> ub;
    for (std::int64_t d = random.integer(1, 4); d > 0; --d) {
      ub.push_back(static_cast<CostUnits>(low + random.uniform(-0.1, 1.0) * (high - low)));
    }
    std::ranges::sort(ub);
    if (ub.back() > curve.ub_max()) continue;
    std::int64_t expected = curve.t_min();
    const auto covers = [&](std::int64_t t) {
      for (std::size_t d = 0; d < ub.size(); ++d) {
        if (ub[d] > curve.covered(t + static_cast<std::int64_t>(d))) return false;
      }
      return true;
    };
    while (!covers(expected)) ++expected;
    CHECK(curve.index(ub) == expected);
    above_first += expected > curve.t_min() ? 1 : 0;
  }
  CHECK(above_first > 10);
}

TEST_CASE("public curve: it shifts with R, and a constant one costs rho0") {
  const DiscreteGaussian noise(3.5);
  const PublicCurve flat(6.0, noise, 1e-5, 0, {2.0}, 0, -(CostUnits{1} << 60), 1);
  const double covered = std::ldexp(static_cast<double>(flat.covered(0)), kUnitExponent);
  CHECK(std::abs(2.0 - covered - flat.rho0()) < 2e-10);
  CHECK(flat.published(0).mean == doctest::Approx(2.0).epsilon(1e-14));
  CHECK(flat.published(0).sd < 1e-7);
}

TEST_CASE("public curve: mean and deviation of what is published, beside sums over the noise") {
  const DiscreteGaussian noise(1.5);
  std::vector<double> values;
  for (int i = 0; i < 12; ++i) values.push_back(0.1 * i * i);
  const PublicCurve curve(6.0, noise, 1e-5, -2, values, -4, -(CostUnits{1} << 60), 1);
  for (const std::int64_t g : {-3, 0, 4, 11}) {
    double mean = 0.0;
    double square = 0.0;
    for (std::int64_t z = -40; z <= 40; ++z) {
      const double p = std::exp(noise.log_probability(z));
      const double value =
          values[static_cast<std::size_t>(std::clamp<std::int64_t>(g + z + 2, 0, 11))];
      mean += p * value;
      square += p * value * value;
    }
    CHECK(curve.published(g).mean == doctest::Approx(mean).epsilon(1e-12));
    CHECK(curve.published(g).sd == doctest::Approx(std::sqrt(square - mean * mean)).epsilon(1e-9));
  }
}

TEST_CASE("public curve: of its parameters R is rho0 and a share of the largest cost") {
  const CurveParameters parameters{6.0, 2.0, 0.1};
  const double most = 3.0;
  const PublicCurve curve(parameters, 1e-5, units_of(most, 0.0), 1);
  CHECK(curve.t_min() == static_cast<std::int64_t>(std::floor(std::log(1e-4) / 0.1)));
  for (const std::int64_t y : {-93, -40, -1, 0, 3, 6, 7, 50}) {
    const double share = std::min(std::exp(0.1 * static_cast<double>(y)), 2.0);
    CHECK(curve.epsilon(y) >= curve.rho0() + most * share);
    CHECK(curve.epsilon(y) <= curve.rho0() + most * share + 4e-9);
  }
  // Where it ends everything is covered, and one before the end nothing more than there.
  CHECK(curve.covered(curve.t_max()) >= curve.ub_max());
  CHECK(curve.covered(curve.t_max() + 1) == curve.covered(curve.t_max()));
  CHECK(curve.t_max() > 7);
  CHECK(curve.epsilon(curve.t_max()) == curve.ceiling());
  CHECK(curve.t_max() == 7 + noise_half_width(6.0, 2.0, curve.ceiling() - curve.floor()));
}

TEST_CASE("public curve: one that hardly rises covers no more than what is computed everywhere") {
  const CurveParameters parameters{6.0, 2.0, 1e-6};
  constexpr double kDelta = 1e-5;
  const PublicCurve curve(parameters, kDelta, units_of(3.0, 0.0), 2);
  const std::int64_t width = noise_half_width(6.0, 2.0, 6.0);
  const CoveredCost cost(6.0, kDelta, DiscreteGaussian(2.0), width);
  for (std::int64_t t = curve.t_min(); t < curve.t_max(); t += 99'991) {
    std::vector<double> around;
    for (std::int64_t z = -width; z <= width; ++z) around.push_back(curve.epsilon(t + z));
    const double exact = cost.at(around);
    const double covered = std::ldexp(static_cast<double>(curve.covered(t)), kUnitExponent);
    CHECK(covered <= exact);
    CHECK(covered >= exact - 0.001 * 6.0);
    CHECK(curve.covered(t) <= curve.covered(t + 1));
  }
  CHECK(curve.covered(curve.t_max()) >= curve.ub_max());
}

TEST_CASE("public curve: what it refuses") {
  const DiscreteGaussian noise(1.0);
  const CostUnits none = -(CostUnits{1} << 60);
  CHECK_THROWS_AS(PublicCurve(6.0, noise, 1e-5, 0, {2.0, 1.0}, 0, none), parameter_error);
  CHECK_THROWS_AS(PublicCurve(6.0, noise, 1e-5, 0, {-1.0, 1.0}, 0, none), parameter_error);
  CHECK_THROWS_AS(PublicCurve(6.0, noise, 1e-5, 0, {kNaN}, 0, none), parameter_error);
  CHECK_THROWS_AS(PublicCurve(6.0, noise, 1e-5, 0, {}, 0, none), parameter_error);
  CHECK_THROWS_AS(PublicCurve(1.0, noise, 1e-5, 0, {1.0}, 0, none), parameter_error);
  CHECK_THROWS_AS(PublicCurve(6.0, noise, 0.0, 0, {1.0}, 0, none), parameter_error);
  CHECK_THROWS_AS(PublicCurve(6.0, noise, 1.0, 0, {1.0}, 0, none), parameter_error);
  CHECK_THROWS_AS(DiscreteGaussian{0.0}, parameter_error);
  CHECK_THROWS_AS(DiscreteGaussian{kNaN}, parameter_error);
  CHECK_THROWS_AS(validate(CurveParameters{6.0, 3.0, 0.0}), parameter_error);
  CHECK_THROWS_AS(validate(CurveParameters{kNaN, 3.0, 0.1}), parameter_error);
  CHECK_THROWS_AS(validate(CurveParameters{6.0, 3.0, 10.1}), parameter_error);
  CHECK_THROWS_AS(validate(CurveParameters{6.0, 3.0, 0.9e-6}), parameter_error);
  CHECK_THROWS_AS(validate(CurveParameters{1001.0, 3.0, 0.1}), parameter_error);
  CHECK_NOTHROW(validate(CurveParameters{1000.0, 3.0, 10.0}));
  CHECK_NOTHROW(validate(CurveParameters{1.0 + 1e-8, 3.0, 1e-6}));
  // What nobody would wait for.
  CHECK_THROWS_AS(PublicCurve({6.0, 4096.0, 0.02}, 1e-5, units_of(3.0, 0.0)), validity_error);
  CHECK_THROWS_AS(PublicCurve({999.0, 100.0, 1e-6}, 1e-5, units_of(3e5, 0.0)), validity_error);
  // A curve that ends below what the votes may cost.
  CHECK_THROWS_AS(PublicCurve(6.0, noise, 1e-5, 0, {3.0}, 0, CostUnits{1} << 42), validity_error);
  // A cost that cannot be.
  const PublicCurve curve({6.0, 1.0, 0.1}, 1e-5, CostUnits{1} << 40, 1);
  CHECK_THROWS_AS(static_cast<void>(curve.index(std::vector<CostUnits>{CostUnits{1} << 41})),
                  validity_error);
}

TEST_CASE("discrete Gaussian: draws have the probabilities it states") {
  for (const double s : {0.3, 1.0, 2.5, 10.0}) {
    CAPTURE(s);
    const DiscreteGaussian noise(s);
    pate::test::TestBits bits(20260801);
    constexpr std::int64_t kDraws = 200000;
    const auto reach = static_cast<std::int64_t>(3.0 * s) + 1;
    std::vector<double> probabilities(static_cast<std::size_t>(2 * reach + 1), 0.0);
    std::vector<std::int64_t> counts(probabilities.size(), 0);
    double total = 0.0;
    for (std::int64_t z = -60 * reach; z <= 60 * reach; ++z) {
      const double p = std::exp(noise.log_probability(z));
      probabilities[static_cast<std::size_t>(std::clamp(z, -reach, reach) + reach)] += p;
      total += p;
    }
    CHECK(std::abs(total - 1.0) < 1e-14);
    for (std::int64_t i = 0; i < kDraws; ++i) {
      const std::int64_t z = noise.draw(bits);
      ++counts[static_cast<std::size_t>(std::clamp(z, -reach, reach) + reach)];
    }
    // Cells that expect less than ten go with their neighbours inwards.
    while (probabilities.front() * static_cast<double>(kDraws) < 10.0) {
      const auto join = [](auto& cells) {
        cells[1] += cells[0];
        cells[cells.size() - 2] += cells.back();
        cells.erase(cells.begin());
        cells.pop_back();
      };
      join(probabilities);
      join(counts);
    }
    CHECK(pate::test::is_plausible(pate::test::chi_square_p(counts, probabilities)));
  }
}

TEST_CASE("discrete Gaussian: a stuck source ends in an error") {
  const DiscreteGaussian noise(2.0);
  for (const std::uint64_t word : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    pate::test::ConstantBits bits(word);
    CHECK_THROWS_AS(static_cast<void>(noise.draw(bits)), input_error);
  }
}

TEST_CASE("release through a curve: threads change no bit, tables may be shared") {
  CurveSettings settings;
  settings.question.aggregator.selection = ThresholdCheck{14.0, 20.0};
  settings.question.aggregator.noisy_max = GaussianNoisyMax{20.0};
  settings.question.teachers = 24;
  settings.question.classes = 4;
  settings.delta = 1e-5;
  settings.queries = 4;
  settings.threads = 1;
  const CurveRecipe one = default_parameters(settings.question, 4, 1e-5, 1);
  const CurveRecipe three = default_parameters(settings.question, 4, 1e-5, 3);
  CHECK(one.parameters.order == three.parameters.order);
  CHECK(one.parameters.s == three.parameters.s);
  CHECK(one.parameters.beta == three.parameters.beta);
  settings.parameters = one.parameters;
  const CurveMechanism a(settings, one.costs);
  settings.threads = 3;
  const CurveMechanism b(settings);
  CHECK(a.curve().ub_max() == b.curve().ub_max());
  for (std::int64_t t = a.curve().t_min(); t <= a.curve().t_max(); ++t) {
    REQUIRE(a.curve().covered(t) == b.curve().covered(t));
  }
  std::vector<CostUnits> ub_a(25), ub_b(25);
  const std::vector<std::int32_t> counts{13, 6, 5, 0};
  a.costs().add(counts, 13, 1, 1, ub_a);
  b.costs().add(counts, 13, 1, 1, ub_b);
  CHECK(ub_a == ub_b);
  settings.parameters.order += 1.0;
  CHECK_THROWS_AS(CurveMechanism(settings, one.costs), parameter_error);
  settings.question.reading = ReleasedCost::realized;
  settings.question.aggregator.selection.reset();
  CHECK_THROWS_AS(CurveMechanism{settings}, parameter_error);
}

TEST_CASE("default parameters: progress rises through the search and the tables to its end") {
  CostSpec question;
  question.aggregator.selection = ThresholdCheck{14.0, 20.0};
  question.aggregator.noisy_max = GaussianNoisyMax{20.0};
  question.teachers = 24;
  question.classes = 4;
  std::vector<double> shares;
  (void)default_parameters(question, 40, 1e-5, 1, [&](std::int64_t done, std::int64_t total) {
    shares.push_back(static_cast<double>(done) / static_cast<double>(total));
  });
  REQUIRE(shares.size() > 10);
  CHECK(std::is_sorted(shares.begin(), shares.end()));
  CHECK(shares.front() > 0.0);
  CHECK(shares.front() < 0.3);
  CHECK(shares.back() == 1.0);
}
