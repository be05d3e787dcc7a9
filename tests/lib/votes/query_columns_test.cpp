#include "pate/votes/query_columns.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pate/error.hpp"
#include "support/npy_writer.hpp"
#include "support/paths.hpp"
#include "support/temp_directory.hpp"

using pate::input_error;
using pate::test::integer_table;
using pate::test::message_of;
using pate::test::npy_array;
using pate::test::npy_table;

namespace {

using Values = std::vector<std::int64_t>;
using Decisions = std::vector<std::uint8_t>;

Decisions decisions(const Values& values) {
  const auto rows = static_cast<std::int64_t>(values.size());
  return pate::read_decisions(*integer_table({rows}, values), rows);
}

std::string labels_refusal(std::initializer_list<std::int64_t> shape, const Values& values,
                           std::int64_t rows) {
  return message_of<input_error>(
      [&] { static_cast<void>(pate::read_labels(*integer_table(shape, values), rows, 10)); });
}

}  // namespace

TEST_SUITE_BEGIN("votes");

TEST_CASE("labels are class ids, in a column of either kind and any type") {
  const std::vector<std::int32_t> expected{0, 9, 3};
  CHECK(pate::read_labels(*integer_table({3}, {0, 9, 3}), 3, 10) == expected);
  CHECK(pate::read_labels(*integer_table({3, 1}, {0, 9, 3}), 3, 10) == expected);
  CHECK(pate::read_labels(*npy_table(npy_array<double>({3}, {0, 9, 3})), 3, 10) == expected);
  CHECK(pate::read_labels(*integer_table({0}, {}), 0, 10).empty());
}

TEST_CASE("other labels are refused with row and value") {
  CHECK(labels_refusal({3}, {0, 10, 3}, 3) ==
        "test.npy: row 1: expected a class id in 0..9, found 10");
  CHECK(labels_refusal({3}, {0, 9, -1}, 3) ==
        "test.npy: row 2: expected a class id in 0..9, found -1");
  CHECK(labels_refusal({3}, {0, 9, 4294967297}, 3) ==
        "test.npy: row 2: expected a class id in 0..9, found 4294967297");
  CHECK(message_of<input_error>([] {
          static_cast<void>(pate::read_labels(*npy_table(npy_array<double>({2}, {1, 0.5})), 2, 10));
        }) == "test.npy: row 1, column 0: expected an integer in the range of int64, found 0.5");
}

TEST_CASE("there is one row per row of the votes") {
  CHECK(labels_refusal({3}, {0, 1, 2}, 4) ==
        "test.npy: expected 4 rows, one per row of the votes, found 3");
  CHECK(labels_refusal({1, 3}, {0, 1, 2}, 3) ==
        "test.npy: expected one row per query and one column, found shape (1, 3), a single row");
  CHECK(labels_refusal({3, 2}, {0, 1, 2, 3, 4, 5}, 3) ==
        "test.npy: expected one row per query and one column, found shape (3, 2)");
  CHECK(labels_refusal({3, 0}, {}, 3) ==
        "test.npy: expected one row per query and one column, found shape (3, 0)");
  CHECK(message_of<input_error>([] {
          static_cast<void>(pate::read_decisions(*integer_table({2}, {0, 1}), 3));
        }) == "test.npy: expected 3 rows, one per row of the votes, found 2");
  CHECK(message_of<input_error>([] {
          static_cast<void>(pate::read_decisions(*integer_table({1, 2}, {0, 1}), 2));
        }).starts_with("test.npy: expected one row per query"));
  CHECK(message_of<input_error>([] {
          static_cast<void>(pate::read_indices(*integer_table({1, 2}, {0, 1})));
        }).starts_with("test.npy: expected one row per query"));
}

TEST_CASE("only 0 and 1 are decisions") {
  CHECK(decisions({0, 1, 1, 0}) == Decisions{0, 1, 1, 0});
  CHECK(decisions({0, 0}) == Decisions{0, 0});
  CHECK(decisions({1, 1}) == Decisions{1, 1});
  CHECK(decisions({}) == Decisions{});
  std::string file = npy_array<std::uint8_t>({3, 1}, {0, 1, 0});
  file.replace(file.find("u1"), 2, "b1");
  CHECK(pate::read_decisions(*npy_table(file), 3) == Decisions{0, 1, 0});
}

TEST_CASE("where -1 occurs, or a label above 1, labels were released") {
  CHECK(decisions({-1, 0, 1, 7}) == Decisions{0, 1, 1, 1});
  CHECK(decisions({0, 1, -1}) == Decisions{1, 1, 0});
  CHECK(decisions({-1, -1}) == Decisions{0, 0});
  CHECK(decisions({0, 1, 2}) == Decisions{1, 1, 1});
}

TEST_CASE("below -1 there are no decisions") {
  CHECK(message_of<input_error>([] {
          decisions({0, -1, -2});
        }) ==
        "test.npy: row 2: expected 0 or 1, or a released label with -1 for refused, found -2");
}

TEST_CASE("indices are integers, as many as there are") {
  CHECK(pate::read_indices(*integer_table({4}, {7, 0, 7, -1})) == Values{7, 0, 7, -1});
  CHECK(pate::read_indices(*integer_table({1, 1}, {7})) == Values{7});
  CHECK(pate::read_indices(*integer_table({0}, {})).empty());
}

TEST_CASE("the labels that came with the project can be read (real votes)" *
          doctest::skip(!pate::test::has_shared_votes())) {
  const std::filesystem::path votes = pate::test::shared_votes("");
  const auto labels =
      pate::read_labels(*pate::test::open_npy(votes / "mnist_t10k_250_labels.npy"), 2500, 10);
  std::vector<int> seen(10);
  for (const std::int32_t label : labels) ++seen[static_cast<std::size_t>(label)];
  CHECK(seen == std::vector<int>{261, 270, 256, 249, 269, 217, 226, 245, 249, 258});
}

TEST_CASE("decisions of the selected queries alone, as a run writes them") {
  using pate::RowSelection;
  const auto read = [](const Values& values, const RowSelection& queries) {
    const auto size = static_cast<std::int64_t>(values.size());
    return pate::read_decisions(*integer_table({size}, values), 5, queries);
  };
  CHECK(read({3, -1}, RowSelection::range(2, 4)) == Decisions{0, 0, 1, 0, 0});
  CHECK(read({0, 1, 1}, RowSelection::list({4, 0, 2})) == Decisions{1, 0, 1, 0, 0});
  CHECK(read({-1, 7, -1}, RowSelection::list({4, 0, 4})) == Decisions{1, 0, 0, 0, 0});
  // As many rows as the votes: one for each of them.
  CHECK(read({0, 0, 1, 0, 1}, RowSelection::range(2, 4)) == Decisions{0, 0, 1, 0, 1});
  CHECK(read({0, 0, 1, 0, 1}, RowSelection::list({4, 4, 4, 4, 4})) == Decisions{0, 0, 1, 0, 1});
  CHECK(message_of<input_error>([&] {
          (void)read({1, 1, 1}, RowSelection::range(2, 4));
        }) == "test.npy: expected 5 rows, one per row of the votes, found 3");
  CHECK(message_of<input_error>([&] {
          (void)read({5, 2, -1}, RowSelection::list({4, 1, 4}));
        }) ==
        "test.npy: row 2: expected the decision of the query before on row 4 of the votes, which "
        "was answered; found refused");
}

TEST_SUITE_END();
