#include "pate/accounting/run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pate/accounting/query_counts.hpp"
#include "pate/base/error.hpp"
#include "pate/mechanisms/outcomes.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "pate/mechanisms/union_bound.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/votes/weighted_votes.hpp"
#include "support/labeling.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"

using namespace pate;
using pate::test::confident;
using pate::test::gnmax;
using pate::test::integer_table;
using pate::test::run_of;
using pate_test::Random;

namespace {

constexpr std::int64_t kTeachers = 20;
constexpr std::int64_t kQueries = 30;
constexpr std::int64_t kWords = kClassesMostlyEmpty;

// What every teacher votes for, by query: few classes of many, the first and the last among them.
std::vector<std::int64_t> words(std::uint64_t seed) {
  Random random(seed);
  const std::array<std::int64_t, 6> some{0, 1, 77, 300, kWords - 2, kWords - 1};
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < kQueries; ++i) {
    const std::int64_t favourite = random.integer(0, 5);
    for (std::int64_t t = 0; t < kTeachers; ++t) {
      const std::int64_t id = random.integer(0, 9) < 6 ? favourite : random.integer(0, 5);
      ids.push_back(some.at(static_cast<std::size_t>(id)));
    }
  }
  return ids;
}

std::vector<std::int64_t> histograms_of(const std::vector<std::int64_t>& ids) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(kQueries * kWords), 0);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto query = static_cast<std::int64_t>(i) / kTeachers;
    ++counts[static_cast<std::size_t>(query * kWords + ids[i])];
  }
  return counts;
}

// A reader's i-th query beside its histogram.
void check_query(const QueryReader& reader, std::int64_t i, std::vector<std::int32_t> expected) {
  REQUIRE(reader.is_sparse());
  CHECK(std::ranges::equal(reader.histogram(i), expected));
  const auto counts = reader.counts(i);
  const auto voted = reader.voted(i);
  REQUIRE(counts.size() == voted.size());
  CHECK(counts.size() + reader.left_out(i) == expected.size());
  CHECK(std::ranges::is_sorted(voted));
  for (std::size_t k = 0; k < counts.size(); ++k) {
    CHECK(counts[k] > 0);
    CHECK(counts[k] == std::exchange(expected[static_cast<std::size_t>(voted[k])], 0));
  }
  CHECK(std::ranges::count(expected, 0) == std::ssize(expected));
}

std::vector<std::int32_t> row_of(const VoteSource& votes, std::int64_t row) {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(votes.classes()));
  votes.read(row, 1, counts);
  return counts;
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("of very many classes those with votes are kept, wherever the votes come from") {
    const std::vector<std::int64_t> ids = words(11);
    const CountVotes counts(integer_table({kQueries, kWords}, histograms_of(ids)));
    const PredictionVotes predictions(integer_table({kQueries, kTeachers}, ids),
                                      PredictionLayout::queries_by_teachers, kWords);
    for (const VoteSource* votes :
         {static_cast<const VoteSource*>(&counts), static_cast<const VoteSource*>(&predictions)}) {
      for (const Aggregator& aggregator : {gnmax(3.0), confident(12.0, 3.0, 3.0)}) {
        Run run = run_of(*votes, aggregator);
        run.rows = RowSelection::list({3, 4, 5, 29, 4, 4, 0, 28, 29});
        QueryReader reader(run);
        reader.read(1, 7);
        for (std::int64_t i = 0; i < 7; ++i) {
          const std::vector<std::int32_t> histogram = row_of(*votes, run.rows[1 + i]);
          check_query(reader, i, histogram);
          CHECK(reader.statistic(i) ==
                (aggregator.selection ? std::ranges::max(histogram) : std::int32_t{0}));
        }
      }
    }
    const Run run = run_of(predictions, gnmax(3.0));
    QueryReader with_ids(run, &predictions);
    with_ids.read(2, 20);
    for (std::int64_t i = 0; i < 20; ++i) {
      check_query(with_ids, i, row_of(predictions, 2 + i));
      CHECK(std::ranges::equal(with_ids.ids(i),
                               std::span(ids).subspan(static_cast<std::size_t>((2 + i) * kTeachers),
                                                      static_cast<std::size_t>(kTeachers))));
    }
  }

  TEST_CASE("queries without any vote have none of very many classes either") {
    std::vector<std::int64_t> ids = words(12);
    std::fill_n(ids.begin() + 5 * kTeachers, 2 * kTeachers, -1);
    std::fill_n(ids.end() - kTeachers, kTeachers, -1);
    const PredictionVotes votes(integer_table({kQueries, kTeachers}, ids),
                                PredictionLayout::queries_by_teachers, kWords,
                                Abstentions::left_out);
    const Run run = run_of(votes, confident(12.0, 3.0, 3.0));
    QueryReader reader(run);
    reader.read(0, kQueries);
    for (std::int64_t i = 0; i < kQueries; ++i) check_query(reader, i, row_of(votes, i));
    CHECK(reader.counts(5).empty());
    CHECK(reader.counts(6).empty());
    CHECK(reader.statistic(kQueries - 1) == 0);
    // Pieces that follow are not those before.
    reader.read(7, 1);
    check_query(reader, 0, row_of(votes, 7));
  }

  TEST_CASE("votes of teachers with weights, of very many classes, are sums of these") {
    const std::vector<std::int64_t> ids = words(14);
    const PredictionVotes predictions(integer_table({kQueries, kTeachers}, ids),
                                      PredictionLayout::queries_by_teachers, kWords);
    Random random(15);
    TeacherWeights weights{{}, 0.5};
    for (std::int64_t t = 0; t < kTeachers; ++t) weights.units.push_back(random.integer(1, 9));
    const WeightedVotes votes(predictions, weights);
    const Run run = run_of(votes, confident(30.0, 3.0, 3.0));
    QueryReader with_ids(run, &predictions);
    QueryReader without(run);
    for (QueryReader* reader : {&with_ids, &without}) {
      reader->read(0, kQueries);
      for (std::int64_t i = 0; i < kQueries; ++i) {
        std::vector<std::int32_t> expected(static_cast<std::size_t>(kWords), 0);
        for (std::int64_t t = 0; t < kTeachers; ++t) {
          expected[static_cast<std::size_t>(ids[static_cast<std::size_t>(i * kTeachers + t)])] +=
              static_cast<std::int32_t>(weights.units[static_cast<std::size_t>(t)]);
        }
        CHECK(reader->statistic(i) == std::ranges::max(expected));
        check_query(*reader, i, expected);
      }
    }
  }

  TEST_CASE("what a run needs beside its votes has its length, and goes with its mechanism") {
    const std::vector<std::int64_t> ids = words(16);
    const PredictionVotes votes(integer_table({kQueries, kTeachers}, ids),
                                PredictionLayout::queries_by_teachers, kWords);
    const auto refused = [&](const auto& mechanism, auto edit) {
      Run run = run_of(votes, mechanism);
      edit(run);
      try {
        validate(run);
      } catch (const parameter_error& error) {
        return std::string(error.what());
      } catch (const input_error& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    const auto checked = confident(12.0, 3.0, 3.0);
    for (const std::int64_t size : {kQueries - 1, kQueries, kQueries + 1}) {
      const std::string wanted =
          size == kQueries ? ""
                           : ": expected one per row of the votes, 30, got " + std::to_string(size);
      const auto count = static_cast<std::size_t>(size);
      CHECK(refused(checked, [&](Run& run) { run.labels.emplace(count, 0); }) ==
            (wanted.empty() ? "" : "labels" + wanted));
      CHECK(refused(checked, [&](Run& run) { run.decisions.emplace(count, 1); }) ==
            (wanted.empty() ? "" : "decisions" + wanted));
    }
    CHECK(refused(gnmax(3.0), [](Run& run) {
            run.decisions.emplace(kQueries, 1);
          }).starts_with("decisions go with a threshold"));
    Aggregator interactive = checked;
    interactive.interactive = true;
    CHECK(refused(interactive, [](Run&) {
          }).starts_with("student scores go with the interactive aggregator, and it needs them"));
    const std::string beyond =
        refused(checked, [](Run& run) { run.rows = RowSelection::first(kQueries + 1); });
    CHECK(beyond.find("has 30 rows; queries 0:31 asks for rows up to 31") != std::string::npos);
    const Mechanism one_noise = Aggregator{std::nullopt, {OneLaplaceNoise{3.0}}, false};
    CHECK(refused(one_noise, [](Run&) {}) ==
          "one Laplace noise is a mechanism for two classes, got " + std::to_string(kWords));
    const auto person = pate::test::protecting(gnmax(3.0), {Adjacency::replace, kTeachers + 1});
    CHECK(refused(person, [](Run&) {}) != "");
    CHECK(refused(checked, [](Run&) {}) == "");
  }

  TEST_CASE("of very many classes the same is counted, and labels are as right") {
    const std::vector<std::int64_t> ids = words(13);
    const PredictionVotes votes(integer_table({kQueries, kTeachers}, ids),
                                PredictionLayout::queries_by_teachers, kWords);
    std::vector<std::int32_t> labels;
    for (std::int64_t i = 0; i < kQueries; ++i) {
      labels.push_back(
          i % 5 == 0 ? 1234
                     : static_cast<std::int32_t>(
                           ids[static_cast<std::size_t>(i * kTeachers)]));  // some without a vote
    }
    for (const Mechanism& mechanism : {Mechanism(gnmax(3.0)), Mechanism(confident(12.0, 3.0, 3.0)),
                                       Mechanism(StabilityTest::with_gaussian(1.0, 1e-6))}) {
      Run run = run_of(votes, mechanism);
      run.labels = labels;
      const Aggregator* const aggregator = mechanism.aggregator();
      const QueryCounts counted = count_queries(run, 2);
      QueryKey key = label_key(run);
      key.by_query = true;
      const auto labelled =
          labelled_queries(mechanism, count_distinct(run, key, {.threads = 2}), 2);
      REQUIRE(labelled.size() == static_cast<std::size_t>(kQueries));
      for (std::int64_t i = 0; i < kQueries; ++i) {
        const auto query = static_cast<std::size_t>(i);
        const std::vector<std::int32_t> histogram = row_of(votes, i);
        const std::int64_t statistic = aggregator == nullptr   ? stability(histogram)
                                       : aggregator->selection ? std::ranges::max(histogram)
                                                               : 0;
        const double log_q =
            aggregator == nullptr ? -kInfinity : pate::log_q(aggregator->noisy_max, histogram);
        CHECK(std::ranges::count_if(counted.distinct, [&](const DistinctQuery& one) {
                return one.statistic == statistic && one.log_q == log_q;
              }) == 1);
        CHECK(labelled[query].statistic == statistic);
        const auto label = static_cast<std::size_t>(labels[query]);
        const bool is_plurality =
            std::ranges::max_element(histogram) - histogram.begin() == std::ptrdiff_t(label);
        CHECK(labelled[query].right ==
              (aggregator == nullptr
                   ? (is_plurality ? 1.0 : 0.0)
                   : outcome_probability(aggregator->noisy_max, histogram, label)));
      }
    }
  }
}
