// What decisions and a student's scores betray, which are those of other votes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/inspection/decisions_doubt.hpp"
#include "pate/inspection/student_doubts.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;
using pate::test::npy_array;
using pate::test::npy_table;

namespace {

constexpr std::int32_t kTeachers = 100;

// Of queries on which teachers agree more or less.
std::vector<Histogram> contested_counts(std::size_t queries, std::int32_t classes, Random& random) {
  std::vector<Histogram> counts;
  for (std::size_t i = 0; i < queries; ++i) {
    Histogram row(static_cast<std::size_t>(classes), 0);
    const auto agreeing = random.integer(0, 9);
    const auto label = random.integer(0, classes - 1);
    for (int teacher = 0; teacher < kTeachers; ++teacher) {
      const auto vote = random.integer(0, 9) < agreeing ? label : random.integer(0, classes - 1);
      ++row[static_cast<std::size_t>(vote)];
    }
    counts.push_back(row);
  }
  return counts;
}

Run checked_run(const HistogramVotes& votes, double threshold, double sigma1) {
  Aggregator aggregator;
  aggregator.noisy_max = GaussianNoisyMax{10.0};
  aggregator.selection = ThresholdCheck{threshold, sigma1};
  return {votes, RowSelection::all(votes.queries()), aggregator, nullptr, {}, {}};
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

std::string doubt_of(Run& run, std::vector<std::uint8_t> decisions) {
  run.decisions = std::move(decisions);
  const auto doubt = decisions_doubt(run, "d.csv");
  if (doubt) {
    CHECK(doubt->kind == VotesDoubt::improbable_decisions);
    CHECK(doubt->weight == Weight::likely);
    CHECK(doubt->notice.code == "improbable_decisions");
  }
  return doubt ? doubt->notice.message : "";
}

std::shared_ptr<const NumericTable> table_of(const std::vector<double>& scores,
                                             std::int64_t queries, std::int64_t classes) {
  return npy_table(npy_array<double>({queries, classes}, scores));
}

std::vector<double> shares_of(const std::vector<Histogram>& counts, double decimals) {
  std::vector<double> shares;
  for (const Histogram& row : counts) {
    for (const std::int32_t count : row) {
      const double share = count / static_cast<double>(kTeachers);
      shares.push_back(decimals > 0.0 ? std::round(share * decimals) / decimals : share);
    }
  }
  return shares;
}

}  // namespace

TEST_CASE("decisions that the noise of a check draws are believed, those of others are not") {
  Random random(11);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const auto queries = static_cast<std::size_t>(random.integer(120, 400));
    const auto counts =
        contested_counts(queries, static_cast<std::int32_t>(random.integer(3, 9)), random);
    const HistogramVotes votes(counts);
    Run run = checked_run(votes, random.uniform(45.0, 70.0), random.uniform(2.0, 12.0));
    const auto decisions = drawn(run, counts, random);
    CHECK(doubt_of(run, decisions).empty());
    const std::string none = doubt_of(run, std::vector<std::uint8_t>(queries, 0));
    CHECK(none.starts_with("d.csv: 0 of " + std::to_string(queries) + " queries answered, where"));
    CHECK_FALSE(doubt_of(run, std::vector<std::uint8_t>(queries, 1)).empty());
    auto others = decisions;
    for (auto& decision : others) decision = 1 - decision;
    CHECK_FALSE(doubt_of(run, others).empty());
    // As many, of other rows.
    auto late = decisions;
    std::rotate(late.begin(), late.begin() + 1, late.end());
    CHECK(doubt_of(run, late).find("other queries are answered than") != std::string::npos);
  }
}

TEST_CASE("decisions: what cannot happen is named, and what has no check is not doubted") {
  std::vector<Histogram> counts(40, Histogram{95, 5});
  counts[7] = {51, 49};
  const HistogramVotes votes(counts);
  Run run = checked_run(votes, 70.0, 1.0);
  std::vector<std::uint8_t> decisions(40, 1);
  // One that is 19 standard deviations below is no chance.
  CHECK(doubt_of(run, decisions).find("most of all row 7, answered with probability") !=
        std::string::npos);
  decisions[7] = 0;
  CHECK(doubt_of(run, decisions).empty());
  Aggregator all_answered;
  all_answered.noisy_max = GaussianNoisyMax{10.0};
  run.aggregator = all_answered;
  CHECK(doubt_of(run, std::vector<std::uint8_t>(40, 0)).empty());
  run.aggregator = StabilityTest::with_gaussian(3.0, 1e-8);
  CHECK(doubt_of(run, std::vector<std::uint8_t>(40, 0)).empty());
  CHECK_FALSE(decisions_doubt(checked_run(votes, 70.0, 1.0), "d.csv"));
}

TEST_CASE("a student that is the votes is refused, one that has learnt or not is not") {
  Random random(12);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const auto queries = static_cast<std::size_t>(random.integer(30, 90));
    const auto classes = static_cast<std::int32_t>(random.integer(3, 9));
    const auto counts = contested_counts(queries, classes, random);
    const HistogramVotes votes(counts);
    const RowSelection rows = RowSelection::all(votes.queries());
    const auto doubt = [&](const std::vector<double>& scores) {
      const StudentScores student(table_of(scores, votes.queries(), classes), votes.queries(),
                                  classes);
      return student_doubt(votes, rows, student, "s.npy");
    };
    for (const double decimals : {0.0, 100.0, 1e4}) {
      CHECK_THROWS_WITH_AS((void)doubt(shares_of(counts, decimals)),
                           doctest::Contains("s.npy: expected what a student says who has not"),
                           input_error);
    }
    // It agrees with the teachers, and says so with other numbers.
    std::vector<double> learnt = shares_of(counts, 0.0);
    for (double& score : learnt) score = 0.8 * score + 0.2 / classes;
    CHECK_FALSE(doubt(learnt));
    std::vector<double> turned = learnt;
    std::rotate(turned.begin(), turned.begin() + classes, turned.end());
    const auto notice = doubt(turned);
    REQUIRE(notice);
    CHECK(notice->code == "labels_at_chance");
    CHECK(notice->message.find("--student-rows") == std::string::npos);
  }
  // Teachers that all agree have the shares of a student that is sure.
  const std::vector<Histogram> agreed(20, Histogram{100, 0});
  const HistogramVotes votes(agreed);
  const StudentScores sure(table_of(shares_of(agreed, 0.0), 20, 2), 20, 2);
  CHECK_FALSE(student_doubt(votes, RowSelection::all(20), sure, "s.npy"));
}
