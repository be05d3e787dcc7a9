// The pair on a grid that dominates a query which a sample of the teachers answers: against the
// hockey-stick divergence in closed form, the composition of two by quadrature, and votes of small
// ensembles with every sample there is.

#include "pate/divergence/pld/sampled_pair.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "pate/divergence/pld/pessimistic_profile.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr double kBeyond = 1e-18;

double hockey_stick(const DistributionPair& pair, double epsilon) {
  double sum = 0.0;
  for (const OutcomeMass& o : pair) sum += std::max(o.p - std::exp(epsilon) * o.q, 0.0);
  return sum;
}

// Outcomes with refusals last.
Probabilities outcomes_of(const SampledGaussian& noise, double threshold, const Counts& counts) {
  Probabilities p = gaussian_outcomes(counts, noise.sigma2);
  if (!noise.has_check()) return p;
  const long double z =
      (static_cast<long double>(threshold) - *std::ranges::max_element(counts)) /
      (std::numbers::sqrt2_v<long double> * static_cast<long double>(noise.sigma1));
  for (long double& x : p) x *= 0.5L * std::erfc(z);
  p.push_back(0.5L * std::erfc(-z));
  return p;
}

// The outcomes of a query when each of these votes is in the sample with its rate, of which the
// first k count, the nearest ones, by going through all samples.
Probabilities sampled_outcomes(const SampledGaussian& noise, double threshold,
                               const std::vector<std::size_t>& votes, std::size_t classes,
                               std::size_t k) {
  Probabilities result;
  for (unsigned sample = 0; sample < 1U << votes.size(); ++sample) {
    Counts counts(classes, 0);
    long double probability = 1.0L;
    std::size_t counted = 0;
    for (std::size_t t = 0; t < votes.size(); ++t) {
      const bool is_in = (sample >> t & 1U) != 0;
      probability *= is_in ? noise.rate : 1.0L - static_cast<long double>(noise.rate);
      if (is_in && counted++ < k) ++counts[votes[t]];
    }
    const Probabilities p = outcomes_of(noise, threshold, counts);
    result.resize(p.size(), 0.0L);
    for (std::size_t o = 0; o < p.size(); ++o) result[o] += probability * p[o];
  }
  return result;
}

double hockey_stick(const Probabilities& p, const Probabilities& q, double epsilon) {
  long double sum = 0.0L;
  for (std::size_t o = 0; o < p.size(); ++o) {
    sum += std::max(p[o] - std::exp(static_cast<long double>(epsilon)) * q[o], 0.0L);
  }
  return static_cast<double>(sum);
}

}  // namespace

TEST_SUITE("sampled teachers") {
  TEST_CASE("one query and two against quadrature, in both directions") {
    // mpmath at 30 digits: one query in closed form, with the point where the loss is epsilon; two
    // as the integral over the first outcome of the divergence of the second at what is left.
    struct Known {
      double rate, sigma, epsilon, forward, reverse, two_forward, two_reverse;
    };
    constexpr std::array kKnown{
        Known{0.1, 4, 0.0, 0.00994764496602258, 0.00994764496602258, 0.0141618815209198,
              0.0141618815209198},
        Known{0.1, 4, 0.05, 0.000622425585508466, 2.14629002802346e-5, 0.0019537229755675,
              0.00074851371159897},
        Known{0.1, 4, 0.2, 1.32555755522728e-8, 0.0, 3.24252849746625e-7, 0.0},
        Known{0.3, 1, 0.0, 0.114877476764408, 0.114877476764408, 0.169087261242971,
              0.169087261242971},
        Known{0.3, 1, 0.05, 0.100478724461669, 0.0869113480673902, 0.153667772105023,
              0.144049309175776},
        Known{0.3, 1, 0.2, 0.0674460903901179, 0.0203986129791224, 0.114468383912115,
              0.0768065346542615},
        Known{0.3, 1, 0.7, 0.0177279627072958, 0.0, 0.0399309566802784, 7.9369394631686e-11},
        Known{0.02, 2, 0.0, 0.00394825302731695, 0.00394825302731695, 0.00575290537598886,
              0.00575290537598886},
        Known{0.02, 2, 0.05, 3.23855042931794e-5, 0.0, 9.97862948593356e-5, 0.0},
        Known{0.02, 2, 0.2, 1.99194768132669e-9, 0.0, 5.2718740373934e-9, 0.0},
    };
    for (const Known& known : kKnown) {
      for (const Direction direction : {Direction::forward, Direction::reverse}) {
        const bool forward = direction == Direction::forward;
        const double one = forward ? known.forward : known.reverse;
        const double two = forward ? known.two_forward : known.two_reverse;
        for (const double step : {0x1p-6, 0x1p-11}) {
          const DistributionPair pair =
              sampled_pair({known.rate, known.sigma, 0.0}, direction, step, kBeyond);
          PessimisticProfile profile({step, 0.5, 1e-12});
          profile.compose_query(DiscretizedPairs(std::span(&pair, 1), step), 0, 1, 2);
          CAPTURE(known.rate);
          CAPTURE(known.epsilon);
          CAPTURE(forward);
          CAPTURE(step);
          const double got = hockey_stick(pair, known.epsilon);
          const double got_two = profile.delta(known.epsilon);
          CHECK(got >= one * (1.0 - 1e-13));
          CHECK(got_two >= two * (1.0 - 1e-12));
          if (step == 0x1p-11) {
            CHECK(got <= one + 4.0 * step * step);
            CHECK(got_two <= two + 8.0 * step * step);
          }
        }
      }
    }
  }

  TEST_CASE("a pair is one of distributions, at whole losses") {
    Random random(4512);
    for (int i = 0; i < 60; ++i) {
      const SampledGaussian sampled{random.log_uniform(1e-3, 0.95), random.log_uniform(0.4, 60.0),
                                    i % 2 == 0 ? random.log_uniform(0.4, 60.0) : 0.0};
      const double step = std::ldexp(1.0, -static_cast<int>(random.integer(3, 10)));
      for (const Direction direction : {Direction::forward, Direction::reverse}) {
        double p = 0.0;
        double q = 0.0;
        for (const OutcomeMass& o : sampled_pair(sampled, direction, step, kBeyond)) {
          CHECK(o.p > 0.0);
          p += o.p;
          q += o.q;
          if (std::isfinite(o.loss)) CHECK(o.loss == std::round(o.loss / step) * step);
        }
        CHECK(std::abs(p - 1.0) < 1e-12);
        // Mass of the second distribution is only lost, where losses are put higher.
        CHECK(q <= 1.0 + 1e-12);
        CHECK(q >= 1.0 - 1e-9 - step);
      }
    }
  }

  TEST_CASE(
      "votes of small ensembles, with every sample, and one of all, or of the nearest, more") {
    Random random(4513);
    std::int64_t compared = 0;
    std::array<double, 2> tightest{};  // how much of the bound is attained at most
    for (int i = 0; i < 120; ++i) {
      const bool records = i % 2 == 0;
      const auto classes = static_cast<std::size_t>(random.integer(2, 4));
      std::vector<std::size_t> votes;
      for (std::int64_t t = random.integer(0, 5); t >= 0; --t) {
        votes.push_back(
            static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(classes) - 1)));
      }
      const SampledGaussian noise{random.uniform(0.05, 0.95), random.log_uniform(0.5, 5.0),
                                  i % 3 == 0 ? random.log_uniform(0.5, 5.0) : 0.0,
                                  records ? SampleOf::records : SampleOf::teachers};
      const double threshold = random.uniform(-1.0, 5.0);
      const std::int64_t all = std::ssize(votes);
      const auto k = static_cast<std::size_t>(records ? random.integer(1, (all + 1) / 2) : all);
      // One is there, or is not.
      std::vector<std::size_t> others = votes;
      others.erase(others.begin() + random.integer(0, all - 1));
      const Probabilities with = sampled_outcomes(noise, threshold, votes, classes, k);
      const Probabilities without = sampled_outcomes(noise, threshold, others, classes, k);
      for (const Direction direction : {Direction::forward, Direction::reverse}) {
        const bool forward = direction == Direction::forward;
        const DistributionPair pair = sampled_pair(noise, direction, 0x1p-10, kBeyond);
        for (const double epsilon : {-1.0, -0.3, -0.05, 0.0, 0.02, 0.1, 0.4, 1.0}) {
          const double truth =
              forward ? hockey_stick(with, without, epsilon) : hockey_stick(without, with, epsilon);
          const double bound = hockey_stick(pair, epsilon);
          CAPTURE(noise.rate);
          CAPTURE(noise.sigma2);
          CAPTURE(epsilon);
          CHECK(truth <= bound + 1e-15);
          double& attained = tightest[records ? 1 : 0];
          if (epsilon == 0.0 && bound > 0.0) attained = std::max(attained, truth / bound);
          ++compared;
        }
      }
    }
    CHECK(compared == 1920);
    for (const double attained : tightest) {
      CHECK(attained > 0.5);
      CHECK(attained < 1.0);
    }
    // Two records of which the nearer one votes: where it is not there the other one does, which is
    // more than a vote that appears.
    const SampledGaussian nearer{0.95, 3.0, 0.0, SampleOf::records};
    const double moved = hockey_stick(sampled_outcomes(nearer, 0.0, {0, 1}, 2, 1),
                                      sampled_outcomes(nearer, 0.0, {1}, 2, 1), 0.0);
    const DistributionPair appears =
        sampled_pair({0.95, 3.0, 0.0}, Direction::forward, 0x1p-10, kBeyond);
    CHECK(moved > 1.3 * hockey_stick(appears, 0.0));
  }
}
