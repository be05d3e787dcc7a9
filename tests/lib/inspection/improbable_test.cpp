#include "pate/inspection/improbable.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pate/mechanisms/outcomes.hpp"
#include "support/contested_votes.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

template <class Noise>
Run run_of(const HistogramVotes& votes, const Noise& noise,
           std::optional<ThresholdCheck> check = {}) {
  Aggregator aggregator;
  aggregator.noisy_max = noise;
  aggregator.selection = check;
  return {votes, RowSelection::all(votes.queries()), aggregator, {}, nullptr, {}, {}};
}

// Decisions as the check draws them.
std::vector<std::uint8_t> drawn(const Run& run, const std::vector<Histogram>& counts,
                                Random& random) {
  std::vector<std::uint8_t> decisions;
  for (const Histogram& row : counts) {
    const double yes = probability_answered(run.aggregator, std::ranges::max(row));
    decisions.push_back(random.uniform(0.0, 1.0) < yes ? 1 : 0);
  }
  return decisions;
}

bool is_doubted(Run& run, std::vector<std::uint8_t> decisions) {
  run.decisions = std::move(decisions);
  const auto doubt = decisions_doubt(run, "d.csv");
  if (doubt) CHECK(doubt->kind == VotesDoubt::improbable_decisions);
  return doubt.has_value();
}

// Labels as the noise draws them.
std::vector<std::int32_t> drawn_labels(const NoisyMax& noise, const std::vector<Histogram>& counts,
                                       Random& random) {
  std::vector<std::int32_t> labels;
  for (const Histogram& row : counts) {
    double u = random.uniform(0.0, 1.0);
    std::size_t label = 0;
    while (label + 1 < row.size() && (u -= outcome_probability(noise, row, label)) > 0.0) ++label;
    labels.push_back(static_cast<std::int32_t>(label));
  }
  return labels;
}

}  // namespace

TEST_CASE("tails of the Poisson binomial distribution are exact") {
  Random random(3);
  for (int round = 0; round < 30; ++round) {
    CAPTURE(round);
    std::vector<Trial> trials(static_cast<std::size_t>(random.integer(1, 14)));
    for (Trial& trial : trials) {
      trial.yes =
          round % 3 == 0 ? std::pow(10.0, -random.uniform(0.0, 20.0)) : random.uniform(0, 1);
      trial.no = 1.0 - trial.yes;
    }
    std::vector<double> exact(trials.size() + 1);
    for (std::uint32_t which = 0; which < 1U << trials.size(); ++which) {
      double chance = 1.0;
      std::size_t times = 0;
      for (std::size_t i = 0; i < trials.size(); ++i) {
        const bool is_yes = (which >> i & 1U) != 0;
        chance *= is_yes ? trials[i].yes : trials[i].no;
        times += is_yes ? 1 : 0;
      }
      exact[times] += chance;
    }
    double sum = 0.0;
    for (std::size_t most = 0; most < exact.size(); ++most) {
      sum += exact[most];
      CHECK(poisson_binomial_tail(trials, static_cast<std::int64_t>(most)) ==
            doctest::Approx(sum).epsilon(1e-12));
    }
  }
  // All of many: a product, far below what a sum from above could resolve.
  const std::vector<Trial> many(3000, Trial{0, 0.1, 0.9, true});
  CHECK(std::log(poisson_binomial_tail(many, 0)) == doctest::Approx(3000 * std::log(0.9)));
}

TEST_CASE("decisions that the noise of a check draws are believed, those of others are not") {
  Random random(11);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const auto queries = static_cast<std::size_t>(random.integer(120, 400));
    const auto counts =
        contested_counts(queries, static_cast<std::int32_t>(random.integer(3, 9)), random);
    const HistogramVotes votes(counts);
    Run run = run_of(votes, GaussianNoisyMax{10.0},
                     ThresholdCheck{random.uniform(45.0, 70.0), random.uniform(2.0, 12.0)});
    const auto decisions = drawn(run, counts, random);
    CHECK_FALSE(is_doubted(run, decisions));
    CHECK(is_doubted(run, std::vector<std::uint8_t>(queries, 0)));
    CHECK(is_doubted(run, std::vector<std::uint8_t>(queries, 1)));
    auto others = decisions;
    for (auto& decision : others) decision = 1 - decision;
    CHECK(is_doubted(run, others));
    // As many, of other rows.
    auto late = decisions;
    std::rotate(late.begin(), late.begin() + 1, late.end());
    CHECK(is_doubted(run, late));
    // The rows that were answered, given as the list; rows that were drawn, and all of them.
    std::vector<std::int64_t> answered;
    std::vector<std::int64_t> some;
    for (std::size_t i = 0; i < queries; ++i) {
      if (decisions[i] != 0) answered.push_back(static_cast<std::int64_t>(i));
      if (random.integer(0, 1) == 0) some.push_back(static_cast<std::int64_t>(i));
    }
    run.decisions.reset();
    run.rows = RowSelection::list(some, "i.txt");
    CHECK(rows_doubt(run, "i.txt", "", "")->weight == Weight::doubtful);
    run.rows = RowSelection::list(answered, "i.txt");
    double log_all = 0.0;
    for (const std::int64_t row : answered) {
      log_all += std::log(probability_answered(
          run.aggregator, std::ranges::max(counts[static_cast<std::size_t>(row)])));
    }
    CHECK((rows_doubt(run, "i.txt", "", "")->weight == Weight::certain) ==
          (log_all < std::log(kImprobable)));
  }
}

TEST_CASE("decisions: the exact tail decides, on both sides of 6e-9") {
  // Queries that are answered half of the time: all of n are with probability 2^-n.
  for (const int queries : {20, 27, 28, 40, 60}) {
    CAPTURE(queries);
    const HistogramVotes votes(std::vector<Histogram>(static_cast<std::size_t>(queries), {60, 40}));
    Run run = run_of(votes, GaussianNoisyMax{10.0}, ThresholdCheck{60.0, 5.0});
    for (const bool all : {false, true}) {
      CHECK(is_doubted(run, std::vector<std::uint8_t>(static_cast<std::size_t>(queries),
                                                      all ? 1 : 0)) == (queries >= 28));
    }
  }
}

TEST_CASE("decisions: what cannot happen is named, and what has no check is not doubted") {
  std::vector<Histogram> counts(40, Histogram{95, 5});
  counts[7] = {51, 49};
  const HistogramVotes votes(counts);
  Run run = run_of(votes, GaussianNoisyMax{10.0}, ThresholdCheck{70.0, 1.0});
  std::vector<std::uint8_t> decisions(40, 1);
  // One that is 19 standard deviations below is no chance.
  run.decisions = decisions;
  CHECK(decisions_doubt(run, "d.csv")->notice.message.find("d.csv: 40 of 40") == 0);
  decisions[7] = 0;
  CHECK_FALSE(is_doubted(run, decisions));
  Run all_answered = run_of(votes, GaussianNoisyMax{10.0});
  CHECK_FALSE(is_doubted(all_answered, std::vector<std::uint8_t>(40, 0)));
  run.aggregator = StabilityTest::with_gaussian(3.0, 1e-8);
  CHECK_FALSE(is_doubted(run, std::vector<std::uint8_t>(40, 0)));
}

TEST_CASE("labels that the noise draws are believed; those without it, or of other rows, are not") {
  Random random(12);
  for (int round = 0; round < 24; ++round) {
    CAPTURE(round);
    const auto queries = static_cast<std::size_t>(random.integer(150, 300));
    const auto classes = static_cast<std::int32_t>(random.integer(3, 9));
    const auto counts = contested_counts(queries, classes, random);
    const HistogramVotes votes(counts);
    const double scale = random.uniform(15.0, 40.0);
    NoisyMax noise{GaussianNoisyMax{scale}};
    if (round % 2 == 1) noise = LaplaceNoisyMax{scale};
    const Run run = run_of(
        votes, noise, round % 4 == 0 ? std::optional(ThresholdCheck{60.0, 5.0}) : std::nullopt);
    auto labels = drawn_labels(noise, counts, random);
    for (std::size_t i = 0; i < queries; i += 5) labels[i] = -1;
    CHECK_FALSE(labels_doubt(run, labels, "l.npy"));
    std::vector<std::int32_t> exact;
    for (const Histogram& row : counts) {
      exact.push_back(static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin()));
    }
    const auto doubt = labels_doubt(run, exact, "l.npy");
    REQUIRE(doubt);
    CHECK(doubt->kind == VotesDoubt::improbable_labels);
    CHECK(doubt->notice.message.find("added at all") != std::string::npos);
    const GaussianNoisyMax small{3.0};
    for (auto& label : exact) label = (label + 1) % classes;
    CHECK(labels_doubt(run_of(votes, small), exact, "l.npy"));
  }
}
