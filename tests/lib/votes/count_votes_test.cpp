#include "pate/votes/vote_source.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "pate/error.hpp"
#include "support/npy_writer.hpp"
#include "support/paths.hpp"
#include "support/temp_directory.hpp"

using pate::CountVotes;
using pate::input_error;
using pate::test::integer_table;
using pate::test::message_of;
using pate::test::npy_array;
using pate::test::npy_table;

namespace {

std::vector<std::int32_t> read(const CountVotes& votes, std::int64_t first, std::int64_t count) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(count * votes.classes()), -7);
  votes.read(first, count, out);
  return out;
}

std::string construction_refusal(std::shared_ptr<const pate::NumericTable> table) {
  return message_of<input_error>([&] { const CountVotes votes(table); });
}

std::string read_refusal(std::shared_ptr<const pate::NumericTable> table) {
  const CountVotes votes(table);
  return message_of<input_error>([&] { read(votes, 0, votes.queries()); });
}

}  // namespace

TEST_SUITE_BEGIN("votes");

TEST_CASE("counts are histograms as they stand") {
  const CountVotes votes(integer_table({3, 2}, {4, 1, 0, 5, 2, 3}));
  CHECK(votes.name() == "test.npy");
  CHECK(votes.queries() == 3);
  CHECK(votes.classes() == 2);
  CHECK(votes.teachers() == 5);
  CHECK(read(votes, 0, 3) == std::vector<std::int32_t>{4, 1, 0, 5, 2, 3});
  CHECK(read(votes, 1, 1) == std::vector<std::int32_t>{0, 5});
  CHECK(read(votes, 3, 0).empty());
}

TEST_CASE("counts stored as floats are counts") {
  const CountVotes votes(npy_table(npy_array<double>({2, 2}, {250, 0, 125, 125}, '>', true)));
  CHECK(votes.teachers() == 250);
  CHECK(read(votes, 0, 2) == std::vector<std::int32_t>{250, 0, 125, 125});
  CHECK(construction_refusal(npy_table(npy_array<double>({1, 2}, {1.5, 0.5}))) ==
        "test.npy: row 0, column 0: expected an integer in the range of int64, found 1.5");
}

TEST_CASE("many rows and wide rows come in pieces without a seam") {
  for (const std::int64_t classes : {1, 7, 40000}) {
    const std::int64_t rows = classes == 40000 ? 3 : 5000;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(rows * classes), 0);
    for (std::int64_t i = 0; i < rows; ++i) {
      counts[static_cast<std::size_t>(i * classes + i % classes)] = 9;
    }
    const CountVotes votes(integer_table({rows, classes}, counts));
    CHECK(read(votes, 0, rows) == std::vector<std::int32_t>(counts.begin(), counts.end()));
    CHECK(read(votes, 1, rows - 1) ==
          std::vector<std::int32_t>(counts.begin() + classes, counts.end()));
  }
}

TEST_CASE("no queries, no teachers") {
  const CountVotes votes(integer_table({0, 10}, {}));
  CHECK(votes.queries() == 0);
  CHECK(votes.classes() == 10);
  CHECK(votes.teachers() == 0);
  CHECK(read(votes, 0, 0).empty());
}

TEST_CASE("what is no table of counts is refused") {
  CHECK(construction_refusal(integer_table({3}, {1, 2, 3})) ==
        "test.npy: expected counts with one row per query and one column per class (queries x "
        "classes), found a one-dimensional array of 3 numbers");
  CHECK(construction_refusal(integer_table({3, 0}, {})) ==
        "test.npy: expected one column per class, found a table of 3 rows without columns");
  CHECK(construction_refusal(integer_table({0, 0}, {})) ==
        "test.npy: expected one column per class, found a table of 0 rows without columns");
  CHECK(construction_refusal(integer_table({0, 2147483648}, {})) ==
        "test.npy: expected at most 2147483647 classes, found 2147483648");
  CHECK(construction_refusal(integer_table({2, 2}, {0, 0, 1, 0})) ==
        "test.npy: row 0: expected the votes of at least one teacher, found only zeros");
}

TEST_CASE("negative counts are refused with their place") {
  CHECK(construction_refusal(integer_table({1, 3}, {5, -2, 1})) ==
        "test.npy: row 0, column 1: expected a count of votes >= 0, found -2");
  CHECK(read_refusal(integer_table({3, 2}, {2, 1, 3, 0, 4, -1})) ==
        "test.npy: row 2, column 1: expected a count of votes >= 0, found -1");
}

TEST_CASE("a row with another sum is refused, and the layout that would fit suggested") {
  const std::string by_teacher =
      "; if these are class ids and not counts, add --layout predictions";
  CHECK(read_refusal(integer_table({2, 3}, {2, 1, 0, 0, 2, 2})) ==
        "test.npy: row 1: expected 3 votes, the sum of row 0, found a sum of 4" + by_teacher);
  CHECK(read_refusal(integer_table({4, 3}, {2, 1, 0, 0, 2, 2, 1, 1, 1, 0, 0, 0})) ==
        "test.npy: row 1: expected 3 votes, the sum of row 0, found a sum of 4" + by_teacher +
            "-by-query");
  // Numbers as large as these are no ids of so few votes.
  CHECK(read_refusal(integer_table({3, 2}, {2, 1, 3, 0, 2, 2})) ==
        "test.npy: row 2: expected 3 votes, the sum of row 0, found a sum of 4");
  CHECK(read_refusal(integer_table({3, 2}, {5, 1, 2, 2, 0, 4})) ==
        "test.npy: row 1: expected 6 votes, the sum of row 0, found a sum of 4; but every column "
        "has a sum of 7: the file looks transposed (classes x queries)");
  // Columns without a common sum, over many pieces; no counts; more teachers than there may be.
  constexpr std::int64_t kRows = 100001;
  std::vector<std::int64_t> values(3 * kRows, 2);
  values[1] = 7;
  const auto ending = [&](const std::vector<std::int64_t>& counts) {
    return read_refusal(integer_table({kRows, 3}, counts));
  };
  CHECK(ending(values).ends_with("found a sum of 6"));
  values[0] = values[2] = 7;
  CHECK(ending(values).ends_with("looks transposed (classes x queries)"));
  values.back() = 8;
  CHECK(ending(values).ends_with("found a sum of 6"));
  const std::int64_t huge = 2147483647;
  CHECK(read_refusal(integer_table({2, 2}, {huge, 0, 1, huge})).find("transposed") ==
        std::string::npos);
  const CountVotes votes(integer_table({3, 2}, {2, 1, 3, 0, 2, 2}));
  // Rows that are not asked for do not matter.
  CHECK(read(votes, 0, 2) == std::vector<std::int32_t>{2, 1, 3, 0});
}

TEST_CASE("there are at most 2^31 - 1 teachers") {
  const CountVotes most(integer_table({2, 2}, {2147483646, 1, 0, 2147483647}));
  CHECK(most.teachers() == 2147483647);
  CHECK(read(most, 1, 1) == std::vector<std::int32_t>{0, 2147483647});
  CHECK(construction_refusal(integer_table({1, 2}, {2147483647, 1})) ==
        "test.npy: row 0: expected at most 2147483647 votes in a row, found 2147483648");
  CHECK(
      construction_refusal(integer_table({1, 2}, {1, 2147483648})) ==
      "test.npy: row 0, column 1: expected a count of at most 2147483647 votes, found 2147483648");
  // Sums that wrap around to the number of teachers.
  CHECK(
      read_refusal(integer_table({2, 3}, {1, 1, 0, 9223372036854775807, 9223372036854775807, 4})) ==
      "test.npy: row 1, column 0: expected a count of at most 2147483647 votes, found "
      "9223372036854775807");
}

TEST_CASE("queries outside the table are a bug") {
  const CountVotes votes(integer_table({2, 2}, {1, 1, 2, 0}));
  std::vector<std::int32_t> out(4);
  CHECK_THROWS_AS(votes.read(1, 2, out), std::out_of_range);
  CHECK_THROWS_AS(votes.read(-1, 2, out), std::out_of_range);
  CHECK_THROWS_AS(votes.read(0, 1, out), std::out_of_range);
}

TEST_CASE("the published dumps are counts of 250 teachers (real votes)" *
          doctest::skip(!pate::test::has_shared_votes())) {
  const std::filesystem::path votes = pate::test::shared_votes("");
  for (const char* name : {"s18_mnist_250_counts.npy", "s18_adult_250_counts.npy"}) {
    const CountVotes counts(pate::test::open_npy(votes / name));
    CHECK(counts.teachers() == 250);
    const auto all = read(counts, 0, counts.queries());
    CHECK(std::accumulate(all.begin(), all.end(), std::int64_t{0}) == 250 * counts.queries());
  }
  // Predictions taken for counts: the message says what to do.
  const CountVotes wrong(pate::test::open_npy(votes / "digits_100_predictions.npy"));
  CHECK(message_of<input_error>([&] {
          read(wrong, 0, wrong.queries());
        }).ends_with("add --layout predictions"));
}

TEST_SUITE_END();
