// What comes out of queries that samples of the teachers answer: against every sample there is of
// small ensembles, and limits that are known.

#include "pate/divergence/exact/sampled_outcomes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/bounds/sampled_cost.hpp"
#include "support/hockey_stick.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"
#include "support/sampled_answers.hpp"

using namespace pate;
using namespace pate_test;

namespace {

long double renyi_excess(const Probabilities& p, const Probabilities& q, long double order) {
  long double sum = 0.0L;
  for (std::size_t o = 0; o < p.size(); ++o) {
    const long double l = std::log(p[o] / q[o]);
    sum += q[o] * (std::expm1(order * l) - order * std::expm1(l));
  }
  return sum;
}

struct Divergences {
  long double forward = 0.0L, reverse = 0.0L;
};

// The largest of all neighbours, in each direction.
template <class Divergence>
Divergences worst(const SampledQuery& query, const Counts& votes, const Divergence& divergence) {
  const Probabilities p = sampled_answers(query, votes);
  Divergences result;
  for (std::size_t j = 0; j < votes.size(); ++j) {
    for (const int by : {-1, 1}) {
      Counts neighbour = votes;
      neighbour[j] += by;
      if (neighbour[j] < 0) continue;
      const Probabilities q = sampled_answers(query, neighbour);
      result.forward = std::max<long double>(result.forward, divergence(p, q));
      result.reverse = std::max<long double>(result.reverse, divergence(q, p));
    }
  }
  return result;
}

SampledQuery with(double rate, double sigma2, double sigma1 = 0.0, double threshold = 0.0) {
  return {{rate, sigma2, sigma1}, threshold};
}

}  // namespace

TEST_SUITE("sampled_outcomes") {
  TEST_CASE("excesses are those of all samples of small ensembles, in both directions") {
    int compared = 0;
    for (const Counts& votes : {Counts{3, 1, 0}, Counts{2, 2, 2}, Counts{5, 0}, Counts{4, 3, 0, 0},
                                Counts{1, 0, 0}, Counts{0, 0}}) {
      for (const SampledQuery& query :
           {with(0.5, 1.0), with(0.1, 2.0), with(0.9, 0.5), with(0.3, 1.0, 2.0, 2.0),
            with(0.7, 3.0, 1.0, 3.0), with(0.05, 0.7, 0.5, 1.0)}) {
        const auto found = SampledOutcomes::make(query, group_votes(votes));
        REQUIRE(found);
        for (const double order : {1.5, 2.0, 8.0, 40.0}) {
          const Divergences expected =
              worst(query, votes, [order](const Probabilities& p, const Probabilities& q) {
                return renyi_excess(p, q, order);
              });
          const BothDirections its = found->log_excess(order);
          CAPTURE(order);
          CAPTURE(query.noise.rate);
          CAPTURE(query.noise.sigma1);
          const long double forward = std::exp(static_cast<long double>(its.forward));
          const long double reverse = std::exp(static_cast<long double>(its.reverse));
          CHECK(forward >= expected.forward * (1.0L - 1e-11L));
          CHECK(forward <= expected.forward * (1.0L + 1e-10L));
          CHECK(reverse >= expected.reverse * (1.0L - 1e-11L));
          CHECK(reverse <= expected.reverse * (1.0L + 1e-10L));
          ++compared;
        }
        if (query.noise.has_check()) {
          const double refused = static_cast<double>(sampled_answers(query, votes).back());
          CHECK(found->answered() == doctest::Approx(1.0 - refused).epsilon(1e-13));
          CHECK(sampled_answered(query, group_votes(votes)) ==
                doctest::Approx(1.0 - refused).epsilon(1e-12));
        }
      }
    }
    CHECK(compared == 144);
  }

  TEST_CASE("excesses to 50 digits, by mpmath from the formula with another step") {
    struct Reference {
      SampledQuery query;
      double order, forward, reverse;
    };
    const SampledQuery answered = with(0.3, 2.0);
    const SampledQuery checked = with(0.3, 2.0, 3.0, 4.0);
    for (const Reference& r : {Reference{answered, 2.0, 0.006390513256171547, 0.006353977989565130},
                               {answered, 8.0, 0.2752149180665605, 0.2776033991036934},
                               {answered, 32.0, 183.6099164558466, 202.1814480643764},
                               {checked, 2.0, 0.007242721693469306, 0.007062219302483623},
                               {checked, 8.0, 0.2422660886297832, 0.2278639930280214},
                               {checked, 32.0, 112.1491945944689, 122.5087114534677}}) {
      const auto found = SampledOutcomes::make(r.query, group_votes(Counts{12, 5, 1, 0}));
      REQUIRE(found);
      const BothDirections its = found->log_excess(r.order);
      CHECK(std::exp(its.forward) == doctest::Approx(r.forward).epsilon(1e-12));
      CHECK(std::exp(its.reverse) == doctest::Approx(r.reverse).epsilon(1e-12));
    }
  }

  TEST_CASE("tables are dominated by nothing smaller than all samples") {
    const Counts votes{4, 1, 0};
    for (const SampledQuery& query : {with(0.4, 1.5), with(0.4, 1.5, 2.0, 3.0)}) {
      const auto found = SampledOutcomes::make(query, group_votes(votes));
      REQUIRE(found);
      for (const double epsilon : {0.0, 0.1, 0.4, 1.0}) {
        const auto [forward, reverse] =
            worst(query, votes, [epsilon](const Probabilities& p, const Probabilities& q) {
              return hockey_stick(p, q, epsilon);
            });
        for (const Direction direction : {Direction::forward, Direction::reverse}) {
          double largest = 0.0;
          for (const DistributionPair& table : found->tables(direction)) {
            double sum = 0.0;
            double total = 0.0;
            for (const OutcomeMass& o : table) {
              sum += std::max(o.p - std::exp(epsilon) * o.q, 0.0);
              total += o.p;
              CHECK(o.p * std::exp(-o.loss) == doctest::Approx(o.q).epsilon(1e-12));
            }
            CHECK(total == doctest::Approx(1.0).epsilon(1e-13));
            largest = std::max(largest, sum);
          }
          const auto expected =
              static_cast<double>(direction == Direction::forward ? forward : reverse);
          CHECK(largest == doctest::Approx(expected).epsilon(1e-11));
        }
      }
    }
  }

  TEST_CASE("no query costs more than any votes do") {
    Random random(20261126);
    for (int round = 0; round < 20; ++round) {
      Counts votes(4, 0);
      for (auto& count : votes) count = static_cast<std::int32_t>(random.integer(0, 30));
      const SampledQuery query = with(random.uniform(0.02, 0.95), random.uniform(1.0, 12.0),
                                      round % 2 == 0 ? 0.0 : random.uniform(1.0, 20.0), 15.0);
      const auto found = SampledOutcomes::make(query, group_votes(votes));
      REQUIRE(found);
      for (const double order : {1.5, 4.0, 30.0}) {
        const double any = sampled_cost(query.noise, order);
        CHECK(std::log1p(std::exp(found->log_excess(order).larger())) / (order - 1.0) <=
              any * (1.0 + 1e-9));
      }
    }
  }

  TEST_CASE("hundreds of teachers: probabilities and classes without votes") {
    const SampledQuery query = with(0.5, 20.0, 40.0, 75.0);
    std::vector<std::int32_t> votes{200, 30, 15, 5};
    const auto found = SampledOutcomes::make(query, group_votes(votes, 6));
    REQUIRE(found);
    CHECK(found->neighbours().size() == 9);
    CHECK(found->added() == 5);
    for (const auto& neighbour : found->neighbours()) {
      double total = 0.0;
      double of_neighbour = 0.0;
      for (const auto& e : neighbour.elements) {
        total += e.mass;
        of_neighbour += e.mass * std::exp(e.log_ratio);
        CHECK(e.uncertainty < 1e-12);
      }
      CHECK(total == doctest::Approx(1.0).epsilon(1e-13));
      CHECK(of_neighbour == doctest::Approx(1.0).epsilon(1e-13));
    }
  }

  TEST_CASE("thousands of votes, of which some numbers in the sample are too rare for numbers") {
    // One class: answered or refused, by a sum of binomial masses that logarithms keep.
    const auto answered = [](const SampledQuery& query, std::int64_t n) {
      const long double log_rate = std::log(static_cast<long double>(query.noise.rate));
      const long double log_other = std::log1p(-static_cast<long double>(query.noise.rate));
      long double sum = 0.0L;
      long double rest = 0.0L;
      for (std::int64_t b = 0; b <= n; ++b) {
        const long double log_mass = std::lgamma(n + 1.0L) - std::lgamma(b + 1.0L) -
                                     std::lgamma(n - b + 1.0L) + b * log_rate + (n - b) * log_other;
        const long double x = (static_cast<long double>(b) - query.threshold) / query.noise.sigma1;
        sum += std::exp(log_mass) * std::erfc(-x / std::sqrt(2.0L)) / 2;
        rest += std::exp(log_mass) * std::erfc(x / std::sqrt(2.0L)) / 2;
      }
      return Probabilities{sum, rest};
    };
    Random random(8);
    for (int round = 0; round < 10; ++round) {
      // About where the mass of an empty sample is a number of a few bits, or none.
      const bool is_narrow = round % 2 == 0;
      const double rate =
          is_narrow ? 0.99 + random.uniform(-2e-5, 2e-5) : random.uniform(0.6, 0.995);
      const std::int64_t n = is_narrow ? random.integer(2464, 2482) : random.integer(1500, 3000);
      const double mean = static_cast<double>(n) * rate;
      const SampledQuery query =
          with(rate, 5.0, random.uniform(2.0, 6.0), mean + random.uniform(-15.0, 15.0));
      CAPTURE(n);
      CAPTURE(rate);
      const GroupedVotes votes =
          group_votes(std::vector<std::int32_t>{static_cast<std::int32_t>(n)});
      const Probabilities p = answered(query, n);
      CHECK(sampled_answered(query, votes) ==
            doctest::Approx(static_cast<double>(p[0])).epsilon(1e-10));
      const auto found = SampledOutcomes::make(query, votes);
      REQUIRE(found);
      for (const double order : {2.0, 16.0}) {
        long double largest = 0.0L;
        for (const std::int64_t other : {n - 1, n + 1}) {
          const Probabilities q = answered(query, other);
          largest = std::max({largest, renyi_excess(p, q, order), renyi_excess(q, p, order)});
        }
        const double told = std::exp(found->log_excess(order).larger());
        CHECK(told >= static_cast<double>(largest) * (1.0 - 1e-9));
        CHECK(told <= static_cast<double>(largest) * (1.0 + 1e-7) + 1e-15);
      }
    }
  }

  TEST_CASE("what cannot be looked at is refused") {
    CHECK_THROWS_AS(
        static_cast<void>(SampledOutcomes::make(with(1.0, 1.0), group_votes(Counts{1, 0}))),
        parameter_error);
    CHECK_THROWS_AS(
        static_cast<void>(SampledOutcomes::make(with(0.5, 1e6), group_votes(Counts{1, 0}))),
        parameter_error);
    CHECK_THROWS_AS(
        static_cast<void>(SampledOutcomes::make(with(0.5, 1e-5), group_votes(Counts{1, 0}))),
        parameter_error);
  }
}
