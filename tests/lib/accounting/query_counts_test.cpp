#include "pate/accounting/query_counts.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "pate/base/error.hpp"
#include "support/labeling.hpp"
#include "support/random.hpp"

using namespace pate;
using pate_test::Random;

namespace {

// Random votes of three classes, few enough teachers that histograms repeat.
class RandomVotes final : public VoteSource {
 public:
  RandomVotes(std::int64_t queries, std::uint64_t seed) : queries_(queries) {
    Random random(seed);
    for (std::int64_t i = 0; i < queries; ++i) {
      const auto top = static_cast<std::int32_t>(random.integer(0, 12));
      const auto second = static_cast<std::int32_t>(random.integer(0, 12 - top));
      counts_.insert(counts_.end(), {top, second, 12 - top - second});
    }
  }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::int64_t queries() const override { return queries_; }
  [[nodiscard]] std::int64_t classes() const override { return 3; }
  [[nodiscard]] std::int64_t teachers() const override { return 12; }
  void read(std::int64_t first, std::int64_t count, std::span<std::int32_t> out) const override {
    std::copy_n(counts_.begin() + first * 3, count * 3, out.begin());
  }

 private:
  std::string name_ = "random votes";
  std::int64_t queries_;
  std::vector<std::int32_t> counts_;
};

Run run_of(const RandomVotes& votes) {
  std::vector<std::uint8_t> decisions;
  for (std::int64_t i = 0; i < votes.queries(); ++i) decisions.push_back(i % 3 == 0 ? 1 : 0);
  return {votes,
          RowSelection::all(votes.queries()),
          Aggregator{ThresholdCheck{8.0, 2.0}, {GaussianNoisyMax{3.0}}, false},
          {},
          nullptr,
          std::move(decisions),
          std::nullopt};
}

void check_same(const QueryCounts& a, const QueryCounts& b) {
  CHECK(a.teachers == b.teachers);
  CHECK(a.classes == b.classes);
  CHECK(a.queries == b.queries);
  CHECK(a.checkpoints == b.checkpoints);
  CHECK(a.first_occurrence == b.first_occurrence);
  REQUIRE(a.distinct.size() == b.distinct.size());
  for (std::size_t i = 0; i < a.distinct.size(); ++i) {
    CHECK(a.distinct[i].statistic == b.distinct[i].statistic);
    CHECK(a.distinct[i].log_q == b.distinct[i].log_q);
    CHECK(a.distinct[i].count == b.distinct[i].count);
    CHECK(a.distinct[i].answered == b.distinct[i].answered);
  }
  REQUIRE(a.occurrences.size() == b.occurrences.size());
  for (std::size_t i = 0; i < a.occurrences.size(); ++i) {
    CHECK(a.occurrences[i].checkpoint == b.occurrences[i].checkpoint);
    CHECK(a.occurrences[i].count == b.occurrences[i].count);
    CHECK(a.occurrences[i].answered == b.occurrences[i].answered);
  }
}

std::vector<QueryCounts> shards_of(Run& run, std::int64_t of) {
  std::vector<QueryCounts> shards;
  for (std::int64_t index = 1; index <= of; ++index) {
    run.shard = {index, of};
    shards.push_back(count_queries(run, 1));
  }
  run.shard = {};
  return shards;
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("the counts of all shards make those of the run") {
    for (const std::int64_t queries : {0, 1, 5, 19, 20, 21, 400, 1000}) {
      const RandomVotes votes(queries, 90 + static_cast<std::uint64_t>(queries));
      Run run = run_of(votes);
      const QueryCounts whole = count_queries(run, 2);
      for (const std::int64_t of : {1, 2, 3, 7, 20, 33}) {
        std::vector<QueryCounts> shards = shards_of(run, of);
        std::int64_t sum = 0;
        for (const QueryCounts& shard : shards) {
          sum += shard.queries;
          CHECK(shard.run_queries == queries);
          CHECK((shard.checkpoints.empty() ? 0 : shard.checkpoints.back()) == shard.queries);
        }
        CHECK(sum == queries);
        std::reverse(shards.begin(), shards.end());
        check_same(merge(shards), whole);
      }
    }
  }

  TEST_CASE("shards of another run, missing or double ones do not merge") {
    const RandomVotes votes(100, 7);
    Run run = run_of(votes);
    std::vector<QueryCounts> shards = shards_of(run, 4);
    CHECK_NOTHROW(static_cast<void>(merge(shards)));
    CHECK_THROWS_WITH_AS(static_cast<void>(merge(std::span<const QueryCounts>())),
                         "merging needs at least one shard, got none", parameter_error);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(merge(std::span(shards).first(3))),
        "the shards have 75 of the first 80 queries of the run: one is missing or there twice",
        parameter_error);
    std::vector<QueryCounts> twice = shards;
    twice[2] = twice[1];
    CHECK_THROWS_WITH(static_cast<void>(merge(twice)),
                      "the shards have 35 of the first 30 queries of the run: one is missing or "
                      "there twice");
    std::vector<QueryCounts> other = shards;
    other[3].teachers = 13;
    CHECK_THROWS_WITH_AS(static_cast<void>(merge(other)), "the shards are not of one run",
                         parameter_error);
    other = shards;
    other[0].run_queries = 101;
    CHECK_THROWS_WITH_AS(static_cast<void>(merge(other)), "the shards are not of one run",
                         parameter_error);
  }

  TEST_CASE("what a student's own labels and the utility need") {
    const RandomVotes votes(10, 3);
    Run run = run_of(votes);
    CHECK_THROWS_WITH_AS((void)label_key(run), "utility needs true labels", parameter_error);
    const char* const student =
        "reinforce-above goes with the interactive aggregator: add a student";
    CHECK_THROWS_WITH_AS((void)expected_reinforced(run, 0.5), student, parameter_error);
    Aggregator aggregator = run.aggregator.noisy();
    aggregator.interactive = true;
    run.aggregator = aggregator;
    run.decisions.reset();
    CHECK_THROWS_WITH_AS((void)expected_reinforced(run, 0.5), student, parameter_error);
    const auto scores = pate::test::scores_of(10, 3, std::vector<double>(30, 1.0 / 3.0));
    run.student = scores.get();
    CHECK(expected_reinforced(run, 1.0) == 0.0);  // no score is above 1
    for (const double above : {-0.1, 1.1, std::nan("")}) {
      CHECK_THROWS_WITH_AS((void)expected_reinforced(run, above),
                           fmt::format("reinforce-above must be in [0, 1], got {}", above).c_str(),
                           parameter_error);
    }
  }
}
