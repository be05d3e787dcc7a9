#include "pate/inspection/inspection.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/tables/npy_table.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/npy_writer.hpp"
#include "support/paths.hpp"
#include "support/program.hpp"
#include "support/temp_directory.hpp"

using pate::CountVotes;
using pate::inspect;
using pate::Inspection;
using pate::PredictionLayout;
using pate::PredictionVotes;
using pate::RowSelection;
using pate::ThresholdCheck;
using pate::test::has_shared_votes;
using pate::test::integer_table;
using pate::test::message_of;
using pate::test::sample;
using pate::test::shared_votes;

namespace {

using Numbers = std::vector<std::int64_t>;

Inspection inspect_all(const pate::VoteSource& votes,
                       const std::optional<ThresholdCheck>& check = {}) {
  return inspect(votes, RowSelection::all(votes.queries()), check,
                 dynamic_cast<const PredictionVotes*>(&votes), 2);
}

Inspection inspect_counts(const std::string& path) {
  return inspect_all(CountVotes(pate::test::open_npy(path)));
}

PredictionVotes predictions(const std::string& path, std::int64_t classes) {
  return {pate::test::open_npy(path), PredictionLayout::teachers_by_queries, classes};
}

void check_same(const Inspection& a, const Inspection& b) {
  CHECK(a.teachers == b.teachers);
  CHECK(a.classes == b.classes);
  CHECK(a.queries == b.queries);
  CHECK(a.distinct_histograms == b.distinct_histograms);
  CHECK(a.ties == b.ties);
  CHECK(a.unanimous == b.unanimous);
  CHECK(a.top_count.deciles == b.top_count.deciles);
  CHECK(a.top_count.histogram == b.top_count.histogram);
  CHECK(a.gap.deciles == b.gap.deciles);
  CHECK(a.gap.histogram == b.gap.histogram);
  CHECK(a.class_votes == b.class_votes);
}

// The tables of shared/votes/README.md.
struct Published {
  const char* name;
  std::int64_t teachers, queries, classes, missing_some_class, unanimous, ties;
  std::vector<double> top, gap;
};

void check_published(const Published& expected, const Inspection& found) {
  CHECK(found.teachers == expected.teachers);
  CHECK(found.queries == expected.queries);
  CHECK(found.classes == expected.classes);
  CHECK(found.unanimous == expected.unanimous);
  CHECK(found.ties == expected.ties);
  REQUIRE(found.top_count.deciles.size() == 11);
  REQUIRE(found.gap.deciles.size() == 11);
  for (std::size_t k = 0; k <= 10; ++k) {
    CHECK(found.top_count.deciles[k] == doctest::Approx(expected.top[k]).epsilon(1e-12));
    CHECK(found.gap.deciles[k] == doctest::Approx(expected.gap[k]).epsilon(1e-12));
  }
}

const Published kDigits{"digits_100",
                        100,
                        797,
                        10,
                        100,
                        0,
                        9,
                        {18, 32, 38, 41, 45, 48, 51, 55, 60, 62, 71},
                        {0, 6, 13, 18, 24, 29, 34, 39, 44, 49, 62}};
const Published kMnist{"mnist_t10k_250",
                       250,
                       2500,
                       10,
                       87,
                       0,
                       1,
                       {67, 134, 163.8, 181, 194, 204, 211, 220, 227, 243, 246},
                       {0, 59, 106, 136, 158, 174, 188, 200.3, 213, 237, 244}};
const Published k5v8{"mnist_t10k_5v8_11",
                     11,
                     1206,
                     2,
                     0,
                     847,
                     0,
                     {6, 8, 10, 11, 11, 11, 11, 11, 11, 11, 11},
                     {1, 5, 9, 11, 11, 11, 11, 11, 11, 11, 11}};

}  // namespace

TEST_SUITE("inspection") {
  TEST_CASE("a few counts, counted by hand") {
    const CountVotes votes(integer_table({5, 3}, {4, 0, 0,  //
                                                  2, 2, 0,  //
                                                  1, 3, 0,  //
                                                  2, 2, 0,  //
                                                  0, 0, 4}));
    const Inspection found = inspect_all(votes);
    CHECK(found.teachers == 4);
    CHECK(found.classes == 3);
    CHECK(found.queries == 5);
    CHECK(found.distinct_histograms == 4);  // {4, 0, 0} and {0, 0, 4} are two
    CHECK(found.ties == 2);
    CHECK(found.unanimous == 2);
    CHECK(found.top_count.histogram == Numbers{0, 0, 2, 1, 2});
    CHECK(found.gap.histogram == Numbers{2, 0, 1, 0, 2});
    CHECK(found.bins.width == 1);
    CHECK(found.class_votes == Numbers{9, 7, 4});
    CHECK_FALSE(found.selection);
    CHECK_FALSE(found.predictions);
  }

  TEST_CASE("the sample votes, counts and predictions") {
    check_published(kDigits, inspect_counts(sample("digits_100_counts.npy")));
    const auto votes = predictions(sample("digits_100_predictions.npy"), 10);
    const Inspection found = inspect_all(votes);
    check_published(kDigits, found);
    check_same(found, inspect_counts(sample("digits_100_counts.npy")));
    REQUIRE(found.predictions);
    CHECK(found.predictions->missing_some_class == 100);
    CHECK(found.predictions->missing == Numbers{38, 33, 33, 35, 30, 38, 28, 34, 33, 33});
    CHECK(found.predictions->distinct == 100);
    CHECK(found.predictions->constant == 0);
    CHECK(found.distinct_histograms == 796);  // numpy.unique(counts, axis=0)
  }

  TEST_CASE("real dumps, where they are there" * doctest::skip(!has_shared_votes())) {
    for (const Published& expected : {kDigits, kMnist, k5v8}) {
      const std::string name = expected.name;
      const std::string counts = shared_votes(name + "_counts.npy");
      const std::string ids = shared_votes(name + "_predictions.npy");
      CAPTURE(name);
      const Inspection by_count = inspect_counts(counts);
      check_published(expected, by_count);
      const Inspection by_teacher = inspect_all(predictions(ids, expected.classes));
      check_same(by_teacher, by_count);
      REQUIRE(by_teacher.predictions);
      CHECK(by_teacher.predictions->missing_some_class == expected.missing_some_class);
    }
    const std::string floats = shared_votes("digits_100_counts_f8.npy");
    if (!floats.empty()) check_published(kDigits, inspect_counts(floats));
  }

  TEST_CASE("what is left after the threshold, by top count") {
    const CountVotes votes(integer_table({4, 2}, {3, 7, 6, 4, 7, 3, 10, 0}));
    const ThresholdCheck check{8.0, 2.0};
    const Inspection found = inspect_all(votes, check);
    REQUIRE(found.selection);
    const auto answered = [&](double v) {
      return std::erfc((8.0 - v) / (2.0 * std::sqrt(2.0))) / 2;
    };
    const std::vector<double>& histogram = found.selection->histogram;
    REQUIRE(histogram.size() == 11);
    CHECK(histogram[6] == doctest::Approx(answered(6)).epsilon(1e-13));
    CHECK(histogram[7] == doctest::Approx(2 * answered(7)).epsilon(1e-13));
    CHECK(histogram[10] == doctest::Approx(answered(10)).epsilon(1e-13));
    CHECK(histogram[8] == 0.0);
    CHECK(found.selection->answered ==
          doctest::Approx(answered(6) + 2 * answered(7) + answered(10)).epsilon(1e-13));
    CHECK(std::get<ThresholdCheck>(found.selection->check).threshold == 8.0);
    const std::vector<double>& gaps = found.selection->gap_histogram;
    REQUIRE(gaps.size() == 11);
    CHECK(gaps[2] == doctest::Approx(answered(6)).epsilon(1e-13));
    CHECK(gaps[4] == doctest::Approx(2 * answered(7)).epsilon(1e-13));
    CHECK(gaps[10] == doctest::Approx(answered(10)).epsilon(1e-13));
    CHECK(gaps[0] == 0.0);
    // A threshold nobody misses leaves the histogram of the top count.
    const Inspection all = inspect_all(votes, ThresholdCheck{-1000.0, 1.0});
    for (std::size_t v = 0; v <= 10; ++v) {
      CHECK(all.selection->histogram[v] == static_cast<double>(all.top_count.histogram[v]));
      CHECK(all.selection->gap_histogram[v] == static_cast<double>(all.gap.histogram[v]));
    }
  }

  TEST_CASE("rows that are selected, with repeats and in any order") {
    const CountVotes votes(integer_table({6, 2}, {1, 3, 2, 2, 4, 0, 0, 4, 3, 1, 2, 2}));
    const Inspection some = inspect(votes, RowSelection::list({2, 3, 4, 3, 0}), {}, nullptr, 1);
    CHECK(some.queries == 5);
    CHECK(some.distinct_histograms == 4);
    CHECK(some.unanimous == 3);
    CHECK(some.ties == 0);
    CHECK(some.class_votes == Numbers{4 + 0 + 3 + 0 + 1, 0 + 4 + 1 + 4 + 3});
    const PredictionVotes ids(integer_table({4, 2}, {0, 0, 1, 1, 0, 1, 1, 1}),
                              PredictionLayout::queries_by_teachers, 2);
    // Row 2 is where the two teachers differ.
    CHECK(inspect(ids, RowSelection::all(4), {}, &ids, 1).predictions->distinct == 2);
    CHECK(inspect(ids, RowSelection::list({3, 0, 1, 3}), {}, &ids, 1).predictions->distinct == 1);
    CHECK(inspect(ids, RowSelection::list({3, 0, 2}), {}, &ids, 1).predictions->distinct == 2);
  }

  TEST_CASE("many blocks: layouts and numbers of threads agree") {
    constexpr std::int64_t kQueries = 300'000;  // more than one block of either layout
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> counts(2 * kQueries);
    std::uint64_t state = 7;
    for (std::size_t i = 0; i < kQueries; ++i) {
      for (int teacher = 0; teacher < 3; ++teacher) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        ids.push_back(static_cast<std::int64_t>(state >> 63U));
        ++counts[2 * i + static_cast<std::size_t>(ids.back())];
      }
    }
    const CountVotes by_count(integer_table({kQueries, 2}, counts));
    const PredictionVotes by_query(integer_table({kQueries, 3}, ids),
                                   PredictionLayout::queries_by_teachers, 2);
    const RowSelection rows = RowSelection::all(kQueries);
    const ThresholdCheck check{2.0, 1.0};
    const Inspection one = inspect(by_count, rows, check, nullptr, 1);
    const Inspection many = inspect(by_count, rows, check, nullptr, 5);
    check_same(one, many);
    CHECK(one.selection->histogram == many.selection->histogram);
    CHECK(one.selection->gap_histogram == many.selection->gap_histogram);
    CHECK(one.selection->answered == many.selection->answered);
    CHECK(one.distinct_histograms == 4);
    CHECK(one.unanimous + one.gap.histogram[1] == kQueries);
    CHECK(one.class_votes[0] + one.class_votes[1] == 3 * kQueries);
    check_same(one, inspect(by_query, rows, {}, &by_query, 4));
    CHECK(inspect(by_query, rows, {}, &by_query, 4).predictions->distinct == 3);
  }

  TEST_CASE("more than 1000 teachers: bins of several values") {
    const CountVotes votes(integer_table({2, 2}, {4000, 1000, 2549, 2451}));
    const Inspection found = inspect_all(votes, ThresholdCheck{0.0, 1.0});
    CHECK(found.bins.width == 51);
    REQUIRE(found.top_count.histogram.size() == 99);
    CHECK(found.top_count.histogram[4000 / 51] == 1);
    CHECK(found.top_count.histogram[2549 / 51] == 1);
    CHECK(found.gap.histogram[98 / 51] == 1);
    CHECK(found.selection->histogram[4000 / 51] == 1.0);
    CHECK(found.top_count.deciles.back() == 4000.0);
  }

  TEST_CASE("one class, and no queries") {
    const Inspection one = inspect_all(CountVotes(integer_table({2, 1}, {5, 5})));
    CHECK(one.unanimous == 2);
    CHECK(one.ties == 0);
    CHECK(one.gap.deciles == std::vector<double>(11, 5.0));
    const Inspection none = inspect_all(CountVotes(integer_table({0, 3}, {})));
    CHECK(none.queries == 0);
    CHECK(none.teachers == 0);
    CHECK(none.top_count.deciles.empty());
    CHECK(none.top_count.histogram == Numbers{0});
    CHECK(none.distinct_histograms == 0);
    const PredictionVotes ids(integer_table({3, 0}, {}), PredictionLayout::teachers_by_queries, 2);
    CHECK(inspect_all(ids).predictions->teachers == 0);
  }

  TEST_CASE("what is malformed or does not exist is an error") {
    const CountVotes votes(integer_table({3, 2}, {2, 2, 1, 3, 1, 2}));
    CHECK(message_of<pate::input_error>([&] { (void)inspect_all(votes); }).find("row 2") !=
          std::string::npos);
    CHECK(inspect(votes, RowSelection::first(2), {}, nullptr, 1).queries == 2);
    CHECK_THROWS_AS((void)inspect(votes, RowSelection::first(4), {}, nullptr, 1),
                    pate::input_error);
    CHECK_THROWS_AS(
        (void)inspect(votes, RowSelection::first(2), ThresholdCheck{1.0, 0.0}, nullptr, 1),
        pate::parameter_error);
    const PredictionVotes ids(integer_table({2, 2}, {0, 1, 1, 2}),
                              PredictionLayout::teachers_by_queries, 2);
    CHECK(message_of<pate::input_error>([&] { (void)inspect_all(ids); }).find("row 1, column 1") !=
          std::string::npos);
    CHECK_THROWS_AS((void)inspect(votes, RowSelection::first(2), {}, &ids, 1),
                    pate::parameter_error);
  }
}
