#include "pate/labeling/answer_sampler.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/mechanisms/outcomes.hpp"
#include "pate/mechanisms/sampling/exact_deviate.hpp"
#include "support/chi_square.hpp"
#include "support/labeling.hpp"
#include "support/temp_directory.hpp"
#include "support/test_bits.hpp"

using pate::Aggregator;
using pate::AnswerSampler;
using pate::OneLaplaceNoise;
using pate::test::confident;
using pate::test::gnmax;
using pate::test::is_plausible;
using pate::test::lnmax;
using pate::test::TestBits;

namespace {

using Counts = std::vector<std::int32_t>;

// Frequencies of the noisy maximum under `drawn` against the probabilities under `analysed`; rare
// classes, below ten expected wins, are pooled.
double p_of_maximum(const Aggregator& drawn, const Aggregator& analysed, const Counts& counts,
                    std::uint64_t seed, int runs) {
  TestBits bits(seed);
  AnswerSampler sampler(drawn, bits);
  std::vector<std::int64_t> wins(counts.size(), 0);
  for (int i = 0; i < runs; ++i) ++wins[sampler.noisy_maximum(counts)];
  std::vector<std::int64_t> observed{0};
  std::vector<double> expected{0.0};
  for (std::size_t j = 0; j < counts.size(); ++j) {
    const double p = outcome_probability(analysed.noisy_max, counts, j);
    if (p * runs < 10.0) {
      observed[0] += wins[j];
      expected[0] += p;
    } else {
      observed.push_back(wins[j]);
      expected.push_back(p);
    }
  }
  if (expected[0] * runs < 1e-3) {
    CHECK(observed[0] == 0);
    observed.erase(observed.begin());
    expected.erase(expected.begin());
  }
  return observed.size() == 1 ? 0.5 : pate::test::chi_square_p(observed, expected);
}

double p_of_answers(const Aggregator& drawn, const Aggregator& analysed, std::int64_t v,
                    std::uint64_t seed, int runs) {
  TestBits bits(seed);
  AnswerSampler sampler(drawn, bits);
  std::vector<std::int64_t> observed(2, 0);
  for (int i = 0; i < runs; ++i) ++observed[sampler.answers(v) ? 1 : 0];
  const std::vector<double> expected{std::exp(log_refused(*analysed.selection, v)),
                                     std::exp(log_answered(*analysed.selection, v))};
  return pate::test::chi_square_p(observed, expected);
}

const std::vector<Counts> kHistograms{{60, 25, 15},         {50, 50},     {40, 40, 20, 0},
                                      {25, 25, 25, 25},     {100, 0},     {35, 34, 31},
                                      {10, 20, 30, 25, 15}, {0, 0, 1, 99}};

}  // namespace

TEST_SUITE_BEGIN("labeling");

TEST_CASE("the noisy maximum has the probabilities that are analysed, ties included") {
  std::uint64_t seed = 100;
  for (const Counts& counts : kHistograms) {
    for (const Aggregator& aggregator : {gnmax(5.0), gnmax(40.0), lnmax(4.0), lnmax(30.0)}) {
      CAPTURE(seed);
      CHECK(is_plausible(p_of_maximum(aggregator, aggregator, counts, ++seed, 20000)));
    }
  }
}

TEST_CASE("the threshold check has them too, also at the threshold") {
  std::uint64_t seed = 200;
  for (const double threshold : {60.0, 60.3, 75.0}) {
    for (const std::int64_t v : {0, 45, 60, 61, 75, 100}) {
      const Aggregator aggregator = confident(threshold, 25.0, 10.0);
      CAPTURE(seed);
      CHECK(is_plausible(p_of_answers(aggregator, aggregator, v, ++seed, 50000)));
    }
  }
}

TEST_CASE("noise that is off by a few percent fails the same tests") {
  CHECK(p_of_maximum(gnmax(41.6), gnmax(40.0), {60, 25, 15}, 301, 100000) < 1e-6);
  CHECK(p_of_maximum(lnmax(4.2), lnmax(4.0), {35, 34, 31}, 302, 100000) < 1e-6);
  CHECK(p_of_maximum(lnmax(20.0), gnmax(20.0 * std::sqrt(2.0)), {60, 25, 15}, 303, 100000) < 1e-6);
  const Aggregator check = confident(60.0, 25.0, 10.0);
  CHECK(p_of_answers(confident(60.0, 28.0, 10.0), check, 75, 304, 100000) < 1e-6);
  CHECK(p_of_answers(confident(60.5, 25.0, 10.0), check, 60, 305, 100000) < 1e-6);
}

// Noise far below the resolution of doubles: what decides are digits.
TEST_CASE("ties under tiny noise are decided by digits, fairly") {
  for (const Aggregator& aggregator : {gnmax(1e-90), lnmax(1e-90)}) {
    CHECK(is_plausible(p_of_maximum(aggregator, aggregator, {50, 50}, 401, 4000)));
    CHECK(is_plausible(p_of_maximum(aggregator, aggregator, {40, 40, 20, 40}, 402, 4000)));
  }
  const Aggregator check = confident(60.0, 1e-90, 10.0);
  CHECK(is_plausible(p_of_answers(check, check, 60, 403, 4000)));
  TestBits bits(404);
  AnswerSampler sampler(check, bits);
  for (int i = 0; i < 100; ++i) {
    CHECK_FALSE(sampler.answers(59));
    CHECK(sampler.answers(61));
  }
}

// Classes without a vote, from 128 of them on, are drawn as one group.
TEST_CASE("many classes without a vote win as often as they should, and each as often as others") {
  std::uint64_t seed = 700;
  for (const std::size_t zeros : {127U, 128U, 200U}) {
    Counts counts(zeros, 0);
    for (const auto& [at, count] : {std::pair(0, 9), std::pair(60, 6), std::pair(61, 1)}) {
      counts.insert(counts.begin() + at, count);
    }
    counts.push_back(4);
    for (const Aggregator& aggregator : {gnmax(3.0), gnmax(20.0), lnmax(2.0), lnmax(20.0)}) {
      CAPTURE(zeros);
      CAPTURE(seed);
      CHECK(is_plausible(p_of_maximum(aggregator, aggregator, counts, ++seed, 40000)));
    }
  }
  const Counts none(150, 0);
  CHECK(is_plausible(p_of_maximum(gnmax(2.0), gnmax(2.0), none, 750, 40000)));
  CHECK(is_plausible(p_of_maximum(lnmax(1e-90), lnmax(1e-90), none, 751, 40000)));
  Counts one = none;
  one[77] = 1;
  TestBits bits(752);
  AnswerSampler sampler(gnmax(1e-90), bits);
  for (int i = 0; i < 100; ++i) CHECK(sampler.noisy_maximum(one) == 77);
}

// The same with few draws.
TEST_CASE(
    "classes without a vote: the first, the last, and by which interface, make no difference") {
  const std::vector<std::int32_t> ids{0, 77, 149};
  const Counts voted{3, 5, 2};
  Counts counts(150, 0);
  for (std::size_t k = 0; k < ids.size(); ++k) counts[static_cast<std::size_t>(ids[k])] = voted[k];
  for (const Aggregator& aggregator : {gnmax(1.5), lnmax(1.5)}) {
    CHECK(is_plausible(p_of_maximum(aggregator, aggregator, counts, 770, 2000)));
    TestBits by_counts(771);
    TestBits by_ids(771);
    AnswerSampler of_counts(aggregator, by_counts);
    AnswerSampler of_ids(aggregator, by_ids);
    int without_vote = 0;
    for (int i = 0; i < 300; ++i) {
      const std::size_t winner = of_counts.noisy_maximum(counts);
      CHECK(winner == of_ids.noisy_maximum(ids, voted, 150));
      REQUIRE(winner < counts.size());
      without_vote += counts[winner] == 0 ? 1 : 0;
    }
    CHECK(without_vote > 30);
    // Where few classes have no vote, each has a noise of its own.
    const std::vector<std::int32_t> of_five{1, 4};
    const Counts two{30, 10};
    CHECK(of_ids.noisy_maximum(of_five, two, 5) ==
          of_counts.noisy_maximum(Counts{0, 30, 0, 0, 10}));
  }
}

TEST_CASE("one noise decides between two counts, by its digits where they are level") {
  Aggregator aggregator;
  for (const double scale : {3.0, 1e-90}) {
    aggregator.noisy_max = OneLaplaceNoise{scale};
    for (const Counts& counts : {Counts{10, 10}, Counts{11, 9}}) {
      TestBits bits(780);
      AnswerSampler sampler(aggregator, bits);
      std::int64_t first = 0;
      constexpr std::int64_t kRuns = 2000;
      for (std::int64_t i = 0; i < kRuns; ++i) first += sampler.noisy_maximum(counts) == 0 ? 1 : 0;
      const double p = outcome_probability(aggregator.noisy_max, counts, 0);
      if (p == 1.0) {
        CHECK(first == kRuns);
      } else {
        CHECK(is_plausible(pate::test::chi_square_p(std::vector{first, kRuns - first},
                                                    std::vector<double>{p, 1.0 - p})));
      }
    }
  }
}

TEST_CASE("a group of classes without a vote that is too small or unfair fails the same test") {
  Counts counts(200, 0);
  counts[100] = 12;
  Counts fewer = counts;
  fewer.resize(180);
  const Aggregator aggregator = gnmax(4.0);
  // Whether a class without a vote is the answer: analysed of 199, drawn of 179.
  TestBits bits(760);
  AnswerSampler sampler(aggregator, bits);
  std::vector<std::int64_t> observed(2, 0);
  std::vector<std::int64_t> halves(2, 0);
  for (int i = 0; i < 40000; ++i) {
    const std::size_t winner = sampler.noisy_maximum(fewer);
    ++observed[winner == 100 ? 0 : 1];
    if (winner != 100) ++halves[winner < 100 ? 0 : 1];
  }
  const auto against = [&](const Counts& analysed) {
    const double p = outcome_probability(aggregator.noisy_max, analysed, 100);
    return pate::test::chi_square_p(observed, std::vector<double>{p, 1.0 - p});
  };
  CHECK(is_plausible(against(fewer)));
  CHECK(against(counts) < 1e-6);
  CHECK(is_plausible(
      pate::test::chi_square_p(halves, std::vector<double>{100.0 / 179.0, 79.0 / 179.0})));
  CHECK(pate::test::chi_square_p(
            halves, std::vector<double>{101.0 / 179.0 + 0.02, 78.0 / 179.0 - 0.02}) < 1e-3);
}

TEST_CASE("without a threshold everything is answered, and nothing is drawn for it") {
  TestBits drawn(500);
  AnswerSampler sampler(gnmax(10.0), drawn);
  CHECK(sampler.answers(0));
  TestBits untouched(500);
  CHECK(drawn.bits(32) == untouched.bits(32));
}

TEST_CASE("one draw on the difference of two counts: by the probabilities of its noise") {
  const Aggregator one{{}, {pate::OneLaplaceNoise{4.0}}, false};
  const Aggregator wider{{}, {pate::OneLaplaceNoise{4.4}}, false};
  std::uint64_t seed = 800;
  for (const Counts& counts : {Counts{12, 8}, Counts{8, 12}, Counts{10, 10}, Counts{20, 0}}) {
    CHECK(is_plausible(p_of_maximum(one, one, counts, ++seed, 50000)));
  }
  CHECK(p_of_maximum(wider, one, {12, 8}, 811, 200000) < 1e-6);
}

TEST_CASE("a quick answer is that of exact arithmetic, by the same bits") {
  const Aggregator check = confident(60.0, 25.0, 10.0);
  int answered = 0;
  for (int i = 0; i < 400; ++i) {
    const std::int64_t v = 40 + i % 40;
    TestBits quick(static_cast<std::uint64_t>(20'000 + i));
    TestBits exact(static_cast<std::uint64_t>(20'000 + i));
    AnswerSampler sampler(check, quick);
    pate::NoisyValue value(pate::Dyadic(static_cast<double>(v)), pate::Dyadic(25.0),
                           pate::exact_normal(exact));
    const bool reaches = value.reaches(pate::Dyadic(60.0), exact);
    REQUIRE(sampler.answers(v) == reaches);
    if (reaches) ++answered;
  }
  CHECK(answered > 100);
  CHECK(answered < 300);
}

TEST_CASE("classes with votes alone are what all counts are, however many have none") {
  for (const std::int64_t classes : {4, 130, 131, 300}) {
    const std::vector<std::int32_t> ids{0, 2, 3};
    const Counts counts{5, 7, 6};
    Counts all(static_cast<std::size_t>(classes), 0);
    for (std::size_t k = 0; k < ids.size(); ++k) all[static_cast<std::size_t>(ids[k])] = counts[k];
    for (const Aggregator& aggregator : {gnmax(3.0), lnmax(2.0)}) {
      TestBits of_voted(830);
      TestBits of_all(830);
      AnswerSampler voted(aggregator, of_voted);
      AnswerSampler listed(aggregator, of_all);
      for (int i = 0; i < 50; ++i) {
        CAPTURE(classes);
        REQUIRE(voted.noisy_maximum(ids, counts, classes) == listed.noisy_maximum(all));
      }
    }
  }
}

TEST_CASE("votes behind the counts of a query are another query's") {
  Counts counts(202, 0);
  counts[7] = 50;
  counts[201] = 1000;
  for (const std::size_t classes : {100U, 201U}) {
    TestBits bits(840);
    AnswerSampler sampler(gnmax(1.0), bits);
    for (int i = 0; i < 20; ++i) {
      CHECK(sampler.noisy_maximum(std::span(counts).first(classes)) == 7);
    }
  }
}

TEST_CASE("one class wins always; no class is an error") {
  TestBits bits(600);
  AnswerSampler sampler(gnmax(10.0), bits);
  CHECK(sampler.noisy_maximum(Counts{7}) == 0);
  CHECK(pate::test::message_of<pate::parameter_error>([&] {
          (void)sampler.noisy_maximum(Counts{});
        }) == "a noisy maximum needs at least one class, got none");
}

TEST_SUITE_END();
