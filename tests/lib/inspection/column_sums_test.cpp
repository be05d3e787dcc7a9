#include "pate/inspection/column_sums.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "support/npy_writer.hpp"

using pate::common_column_sum;
using pate::test::integer_table;
using pate::test::npy_array;
using pate::test::npy_table;

TEST_SUITE("inspection") {
  TEST_CASE("the sum that all columns share") {
    CHECK(common_column_sum(*integer_table({3, 2}, {5, 1, 2, 2, 0, 4})) == 7);
    CHECK(common_column_sum(*integer_table({3, 2}, {5, 1, 2, 2, 0, 5})) == std::nullopt);
  }

  TEST_CASE("over many pieces, to the last row") {
    constexpr std::int64_t kRows = 100001;
    std::vector<std::int64_t> values(3 * kRows, 2);
    CHECK(common_column_sum(*integer_table({kRows, 3}, values)) == 2 * kRows);
    values.back() = 3;
    CHECK(common_column_sum(*integer_table({kRows, 3}, values)) == std::nullopt);
  }

  TEST_CASE("of one row or one column, or of what are no counts, it says nothing") {
    CHECK(common_column_sum(*integer_table({1, 3}, {4, 4, 4})) == std::nullopt);
    CHECK(common_column_sum(*integer_table({3, 1}, {4, 4, 4})) == std::nullopt);
    CHECK(common_column_sum(*integer_table({0, 3}, {})) == std::nullopt);
    CHECK(common_column_sum(*integer_table({2, 2}, {-1, 3, 3, -1})) == std::nullopt);
    CHECK(common_column_sum(*npy_table(npy_array<double>({2, 2}, {0.5, 0.5, 0.5, 0.5}))) ==
          std::nullopt);
    const std::int64_t huge = 2147483647;
    CHECK(common_column_sum(*integer_table({2, 2}, {huge, huge, 0, 0})) == huge);
    CHECK(common_column_sum(*integer_table({2, 2}, {huge, huge, 1, 1})) == std::nullopt);
  }
}
