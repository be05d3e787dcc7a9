#include "pate/votes/row_selection.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "support/temp_directory.hpp"

using pate::input_error;
using pate::parameter_error;
using pate::parse_row_range;
using pate::RowSelection;
using pate::test::message_of;

namespace {

std::vector<std::int64_t> rows_of(const RowSelection& selection) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < selection.size(); ++i) rows.push_back(selection[i]);
  return rows;
}

std::string check(const RowSelection& selection, std::int64_t rows) {
  return message_of<input_error>([&] { selection.check("votes.npy", rows); });
}

const std::string kFine = "[no exception]";

}  // namespace

TEST_SUITE_BEGIN("votes");

TEST_CASE("all, first and range are runs of rows") {
  CHECK(rows_of(RowSelection::all(3)) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(rows_of(RowSelection::first(2)) == std::vector<std::int64_t>{0, 1});
  CHECK(rows_of(RowSelection::range(4, 7)) == std::vector<std::int64_t>{4, 5, 6});
  CHECK(RowSelection::range(4, 7).is_contiguous());
  CHECK(RowSelection::range(4, 4).empty());
  CHECK(RowSelection::all(0).empty());
  CHECK_FALSE(RowSelection::first(1).empty());
}

TEST_CASE("a list keeps order and repetitions") {
  const RowSelection list = RowSelection::list({5, 2, 2, 9});
  CHECK(rows_of(list) == std::vector<std::int64_t>{5, 2, 2, 9});
  CHECK_FALSE(list.is_contiguous());
  CHECK_FALSE(RowSelection::list({3, 3}).is_contiguous());
  CHECK_FALSE(RowSelection::list({4, 3}).is_contiguous());
  CHECK_FALSE(RowSelection::list({3, 5}).is_contiguous());
  CHECK_FALSE(RowSelection::list({3, 4, 6}).is_contiguous());
}

TEST_CASE("a list that happens to be a run is one") {
  CHECK(RowSelection::list({3, 4, 5}).is_contiguous());
  CHECK(rows_of(RowSelection::list({3, 4, 5})) == std::vector<std::int64_t>{3, 4, 5});
  CHECK(RowSelection::list({7}).is_contiguous());
  CHECK(RowSelection::list({}).is_contiguous());
  CHECK(RowSelection::list({}).empty());
}

TEST_CASE("ranges must be ranges") {
  const auto range = [](std::int64_t a, std::int64_t b) {
    return message_of<parameter_error>([&] { static_cast<void>(RowSelection::range(a, b)); });
  };
  CHECK(range(5, 4) == "queries A:B must have 0 <= A <= B, got 5:4");
  CHECK(range(-1, 4) == "queries A:B must have 0 <= A <= B, got -1:4");
  CHECK(message_of<parameter_error>([] { static_cast<void>(RowSelection::first(-2)); }) ==
        "queries must be >= 0, got -2");
  CHECK_THROWS_AS(static_cast<void>(RowSelection::all(-1)), parameter_error);
}

TEST_CASE("rows beyond the file are refused") {
  CHECK(check(RowSelection::range(5, 10), 10) == kFine);
  CHECK(check(RowSelection::range(5, 11), 10) ==
        "votes.npy has 10 rows; queries 5:11 asks for rows up to 11");
  CHECK(check(RowSelection::first(11), 10) ==
        "votes.npy has 10 rows; queries 0:11 asks for rows up to 11");
  CHECK(check(RowSelection::first(1), 0) ==
        "votes.npy has 0 rows; queries 0:1 asks for rows up to 1");
  CHECK(check(RowSelection::all(0), 0) == kFine);
  CHECK(check(RowSelection::first(std::numeric_limits<std::int64_t>::max()), 10)
            .starts_with("votes.npy has 10 rows"));
}

TEST_CASE("listed rows beyond the file are refused with their position") {
  CHECK(check(RowSelection::list({0, 9, 9}), 10) == kFine);
  CHECK(check(RowSelection::list({}), 0) == kFine);
  CHECK(check(RowSelection::list({0, 10}, "rows.npy"), 10) ==
        "rows.npy: position 1: expected a row of votes.npy in 0..9, found 10");
  CHECK(check(RowSelection::list({3, 0, -1}, "rows.npy"), 10) ==
        "rows.npy: position 2: expected a row of votes.npy in 0..9, found -1");
  CHECK(check(RowSelection::list({8, 9, 10, 11}, "rows.npy"), 10) ==
        "rows.npy: position 2: expected a row of votes.npy in 0..9, found 10");
  CHECK(check(RowSelection::list({0}, "rows.npy"), 0) ==
        "rows.npy: position 0: found row 0, but votes.npy has no rows");
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(check(RowSelection::list({kLeast, kMost, kLeast}, ""), 10) ==
        ": position 0: expected a row of votes.npy in 0..9, found -9223372036854775808");
}

TEST_CASE("the argument of --queries is N or A:B") {
  CHECK(rows_of(parse_row_range("3")) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(rows_of(parse_row_range("2:4")) == std::vector<std::int64_t>{2, 3});
  CHECK(rows_of(parse_row_range("0:1")) == std::vector<std::int64_t>{0});
  CHECK(parse_row_range("9223372036854775807").size() == 9223372036854775807);
  for (const std::string text : {"", "0", "-1", "+1", "a", "1.5", " 1", "1 ", ":", "1:", ":1",
                                 "5:5", "5:4", "-1:4", "1:-4", "1:2:3", "0:0", "1e3", "0x10"}) {
    CHECK(message_of<parameter_error>([&] { static_cast<void>(parse_row_range(text)); }) ==
          "queries must be N >= 1 (the first N) or A:B with A < B (rows A to B - 1), got '" + text +
              "'");
  }
  CHECK(message_of<parameter_error>([] {
          static_cast<void>(parse_row_range("0:9223372036854775808"));
        }) == "queries must be below 2^63, got 9223372036854775808 in '0:9223372036854775808'");
}

TEST_SUITE_END();
