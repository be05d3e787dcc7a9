#include <doctest/doctest.h>

#include <algorithm>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/accounting/mechanism_counts.hpp"
#include "pate/accounting/planning/plan.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/labeling/answer_sampler.hpp"
#include "pate/mechanisms/aggregator.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/mechanisms/outcomes.hpp"
#include "pate/release/sensitivity/neighbour_q.hpp"
#include "support/accuracy.hpp"
#include "support/chi_square.hpp"
#include "support/random.hpp"
#include "support/test_bits.hpp"

// One Laplace noise on one of two counts, beside its formulas at 60 digits, and beside integrals of
// the density of the noise that use none of them.

namespace {

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>,
                                           boost::multiprecision::et_off>;
using Votes = std::vector<std::int32_t>;
using pate::Aggregator;
using pate::BothDirections;
using pate::OneLaplaceNoise;
using pate_test::covers;
using pate_test::Random;

constexpr double kCloseTo = 1e-9;

Aggregator one_laplace(double scale) {
  return {std::nullopt, {OneLaplaceNoise{scale}}, false};
}

// Pr[n_0 - n_1 + Lap(2b) > 0] by the lead of class 0, and of less: as logarithms, so that all
// digits are left where the one is nearly 1.
struct Answers {
  Real log_p, log_not;
};
Answers answers(std::int64_t lead, double scale) {
  const Real log_rarer = -Real(std::abs(lead)) / (2 * Real(scale)) - log(Real(2));
  const Real log_other = log1p(Real(-exp(log_rarer)));
  return lead < 0 ? Answers{log_rarer, log_other} : Answers{log_other, log_rarer};
}

// The sum of p (e^((order-1) log(p/p2)) - 1) is the moment less one.
Real cost(const Answers& p, const Answers& p2, double order) {
  const Real k = Real(order) - 1;
  const Real excess = exp(p.log_p) * expm1(Real(k * (p.log_p - p2.log_p))) +
                      exp(p.log_not) * expm1(Real(k * (p.log_not - p2.log_not)));
  return log1p(excess) / k;
}

struct Both {
  Real forward = 0, reverse = 0;
};

// The largest over the neighbours of the votes.
Both reference(std::int64_t n0, std::int64_t n1, double scale, double order) {
  Both largest;
  const Answers here = answers(n0 - n1, scale);
  for (const std::int64_t move : {-2, 2}) {
    if ((move < 0 ? n0 : n1) == 0) continue;
    const Answers there = answers(n0 - n1 + move, scale);
    largest.forward = std::max(largest.forward, cost(here, there, order));
    largest.reverse = std::max(largest.reverse, cost(there, here, order));
  }
  return largest;
}

BothDirections exact_of(double scale, const Votes& votes, double order) {
  const pate::ExactMechanism mechanism(one_laplace(scale), {}, votes[0] + votes[1]);
  return pate::ExactCost(mechanism, mechanism.group(votes, {})).largest(order);
}

bool is_close(double reported, const Real& reference) {
  const auto expected = static_cast<double>(reference);
  return covers(reported, expected) && reported <= expected * (1.0 + kCloseTo) + 1e-300;
}

}  // namespace

TEST_SUITE("mechanisms") {
  TEST_CASE("one Laplace noise: ten teachers that agree, scale 1/2, order 2") {
    const BothDirections one = exact_of(0.5, {10, 0}, 2.0);
    CHECK(std::abs(one.larger() - 9.2621e-4) < 5e-9);
    CHECK(one.larger() == one.reverse);
    const Aggregator lnmax{std::nullopt, {pate::LaplaceNoisyMax{0.5}}, false};
    const pate::ExactMechanism two(lnmax, {}, 10);
    const double both = pate::ExactCost(two, two.group(Votes{10, 0}, {})).largest(2.0).larger();
    CHECK(std::abs(both - 2.1620e-5) < 5e-10);
  }

  TEST_CASE("one Laplace noise: outcomes are integrals of its density") {
    boost::math::quadrature::exp_sinh<double> rule;
    Random random(3701);
    for (int i = 0; i < 60; ++i) {
      const double b = random.log_uniform(0.06, 50.0);
      const std::int64_t teachers = random.integer(1, 40);
      const std::int64_t n1 = random.integer(0, teachers);
      const Votes votes{static_cast<std::int32_t>(teachers - n1), static_cast<std::int32_t>(n1)};
      // n_1 + Lap(b) > M/2: the mass of the density above M/2 - n_1, from the nearer side.
      const double from = 0.5 * static_cast<double>(teachers) - static_cast<double>(n1);
      const double tail = rule.integrate(
          [=](double x) { return std::exp(-(std::abs(from) + x) / b) / (2.0 * b); }, 1e-13);
      const double ones = from >= 0.0 ? tail : 1.0 - tail;
      CHECK(outcome_probability(OneLaplaceNoise{b}, votes, 1) ==
            doctest::Approx(ones).epsilon(1e-11));
      CHECK(outcome_probability(OneLaplaceNoise{b}, votes, 0) ==
            doctest::Approx(1.0 - ones).epsilon(1e-11));
      CHECK(std::exp(log_q(OneLaplaceNoise{b}, votes)) ==
            doctest::Approx(std::min(ones, 1.0 - ones)).epsilon(1e-11));
    }
  }

  TEST_CASE("one Laplace noise: exact costs at 60 digits") {
    Random random(3702);
    for (int i = 0; i < 200; ++i) {
      const double scale = random.log_uniform(0.06, 1e6);
      const auto n0 = random.integer(0, 30);
      const auto n1 = random.integer(0, i % 3 == 0 ? 2 : 30);
      if (n0 + n1 == 0) continue;
      const double order = 1.0 + random.log_uniform(0.01, 100.0);
      const BothDirections ours =
          exact_of(scale, {static_cast<std::int32_t>(n0), static_cast<std::int32_t>(n1)}, order);
      const Both expected = reference(n0, n1, scale, order);
      CHECK_MESSAGE(is_close(ours.forward, expected.forward), n0, " ", n1, " ", scale, " ", order);
      CHECK_MESSAGE(is_close(ours.reverse, expected.reverse), n0, " ", n1, " ", scale, " ", order);
    }
  }

  TEST_CASE("one Laplace noise: for any votes it costs the most that any votes cost") {
    Random random(3703);
    for (int i = 0; i < 300; ++i) {
      const double scale = random.log_uniform(0.06, 1e6);
      const double order = 1.0 + random.log_uniform(0.01, 100.0);
      Real most = 0;
      for (const std::int64_t teachers : {11, 12}) {
        for (std::int64_t n1 = 0; n1 <= teachers; ++n1) {
          const Both of = reference(teachers - n1, n1, scale, order);
          most = std::max({most, of.forward, of.reverse});
        }
      }
      const double ours = data_independent_cost(OneLaplaceNoise{scale}, order);
      CHECK_MESSAGE(is_close(ours, most), scale, " ", order);
      CHECK(ours <= pate::pure_dp_cost(1.0 / scale, order));
      // What the noise itself costs, of which the answer is a function, is half of LNMax.
      CHECK(ours <=
            0.5 * data_independent_cost(pate::LaplaceNoisyMax{scale}, order) * (1.0 + kCloseTo));
    }
    for (const double scale : {1e-100, 1e-4, 1e15}) {
      const double ours = data_independent_cost(OneLaplaceNoise{scale}, 8.0);
      CHECK(std::isfinite(ours));
      CHECK(ours <= (1.0 / scale) * (1.0 + kCloseTo));
    }
  }

  TEST_CASE("one Laplace noise: bounds by q cover what is exact") {
    Random random(3704);
    for (int i = 0; i < 1000; ++i) {
      const OneLaplaceNoise noise{random.log_uniform(0.1, 100.0)};
      const auto n0 = static_cast<std::int32_t>(random.integer(1, 60));
      const auto n1 = static_cast<std::int32_t>(random.integer(0, 60));
      const double order = 1.0 + random.log_uniform(0.05, 60.0);
      const double q = log_q(noise, Votes{n0, n1});
      const BothDirections exact = exact_of(noise.scale, {n0, n1}, order);
      const BothDirections bound = pate::tradeoff_cost(noise, q, order);
      CHECK(exact.forward <= bound.forward * (1.0 + 1e-11));
      CHECK(exact.reverse <= bound.reverse * (1.0 + 1e-11));
      CHECK(bound.larger() <= data_independent_cost(noise, order));
      CHECK(published_cost(noise, q, order) >= exact.forward * (1.0 - 1e-9));
      const pate::NeighbourQ near = pate::neighbour_q(noise, q, 2);
      const double moved = log_q(noise, Votes{n0 - 1, n1 + 1});
      CHECK(near.log_lower <= moved);
      CHECK(moved <= near.log_upper);
    }
  }

  TEST_CASE("one Laplace noise: answers are drawn as they are analysed") {
    Random random(3705);
    for (int i = 0; i < 12; ++i) {
      const double scale = random.log_uniform(0.3, 20.0);
      const Votes votes{static_cast<std::int32_t>(random.integer(0, 12)),
                        static_cast<std::int32_t>(random.integer(1, 12))};
      pate::test::TestBits bits(static_cast<std::uint64_t>(i) + 1);
      pate::AnswerSampler sampler(one_laplace(scale), bits);
      std::vector<std::int64_t> drawn(2, 0);
      for (int k = 0; k < 20'000; ++k) ++drawn[sampler.noisy_maximum(votes)];
      const std::vector<double> expected{outcome_probability(OneLaplaceNoise{scale}, votes, 0),
                                         outcome_probability(OneLaplaceNoise{scale}, votes, 1)};
      if (std::min(expected[0], expected[1]) < 1e-3) continue;
      CHECK_MESSAGE(pate::test::is_plausible(pate::test::chi_square_p(drawn, expected)), scale, " ",
                    votes[0], " ", votes[1]);
    }
  }

  TEST_CASE("one Laplace noise is one of two classes") {
    const OneLaplaceNoise noise{2.0};
    pate::test::TestBits bits(1);
    pate::AnswerSampler sampler(one_laplace(2.0), bits);
    for (const Votes& votes : {Votes{3}, Votes{3, 2, 1}}) {
      CHECK_THROWS_AS((void)log_q(noise, votes), pate::parameter_error);
      CHECK_THROWS_AS((void)outcome_probability(noise, votes, 0), pate::parameter_error);
      CHECK_THROWS_AS((void)sampler.noisy_maximum(votes), pate::parameter_error);
    }
    for (const double bad : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
      CHECK_THROWS_AS(validate(OneLaplaceNoise{bad}), pate::parameter_error);
    }
  }

  TEST_CASE("one Laplace noise: what is planned is half of LNMax by pure epsilons") {
    pate::PlanSettings settings;
    settings.delta = 1e-5;
    pate::PlannedRun run;
    run.laplace_scale = 20.0;
    run.queries = 100;
    run.one_noise = true;
    const pate::Plan one = plan(run, settings);
    CHECK(one.steps.maxima.at({OneLaplaceNoise{20.0}}) == 100);
    run.one_noise = false;
    const pate::Plan two = plan(run, settings);
    std::size_t compared = 0;
    for (const pate::CostEntry& entry : one.costs) {
      const auto same =
          std::ranges::find(two.costs, entry.conversion, &pate::CostEntry::conversion);
      REQUIRE(same != two.costs.end());
      CHECK(entry.epsilon < same->epsilon);
      if (entry.conversion != pate::EpsilonMethod::pure) continue;
      CHECK(entry.epsilon == doctest::Approx(5.0).epsilon(1e-12));
      CHECK(same->epsilon == doctest::Approx(10.0).epsilon(1e-12));
      ++compared;
    }
    CHECK(compared == 1);
    run.one_noise = true;
    run.laplace_scale.reset();
    run.sigma2 = 20.0;
    CHECK_THROWS_AS((void)plan(run, settings), pate::parameter_error);
  }
}
