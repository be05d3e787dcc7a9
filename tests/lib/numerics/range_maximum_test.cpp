#include "pate/numerics/range_maximum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

template <class Value>
Value brute_force(std::span<const Value> values) {
  Value result = std::numeric_limits<Value>::lowest();
  for (const Value value : values) result = std::max(result, value);
  return result;
}

/// Rows of random numbers, among them negative and equal ones.
template <class Value>
void check_stretches(Random& random, std::size_t rows, std::size_t width) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < rows * width; ++i) {
    values.push_back(static_cast<Value>(random.integer(-30, 1000)));
  }
  const RangeMaxima<Value> maxima(width, values);
  RangeMaxima<Value> written(rows, width);
  for (std::size_t r = rows; r-- > 0;) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(r * width), width,
                written.row(r).begin());
    written.index(r);
  }
  CHECK(maxima.values() == values);
  CHECK(written.values() == values);
  for (int i = 0; i < 500; ++i) {
    const auto r = static_cast<std::size_t>(random.integer(0, static_cast<int>(rows) - 1));
    const auto begin = static_cast<std::size_t>(random.integer(0, static_cast<int>(width)));
    const auto end =
        static_cast<std::size_t>(random.integer(static_cast<int>(begin), static_cast<int>(width)));
    const auto stretch = std::span<const Value>(values).subspan(r * width + begin, end - begin);
    const Value expected = brute_force(stretch);
    CHECK(maxima.largest(r, begin, end) == expected);
    CHECK(written.largest(r, begin, end) == expected);
    CHECK(largest_of(stretch) == expected);
  }
}

}  // namespace

TEST_SUITE("numerics") {
  TEST_CASE("maxima of random stretches of rows against brute force") {
    Random random(91);
    for (const std::size_t width : {1U, 2U, 15U, 16U, 17U, 33U, 255U, 256U, 257U, 700U, 4100U}) {
      check_stretches<float>(random, 3, width);
      check_stretches<std::int64_t>(random, 3, width);
    }
  }

  TEST_CASE("a single large number is found by every stretch that has it, and by no other") {
    constexpr std::size_t kWidth = 600;
    for (std::size_t place = 0; place < kWidth; place += 7) {
      std::vector<std::int64_t> values(2 * kWidth, -5);
      values[kWidth + place] = 9;
      const RangeMaxima<std::int64_t> maxima(kWidth, values);
      CHECK(maxima.largest(0, 0, kWidth) == -5);
      CHECK(maxima.largest(1, place, place + 1) == 9);
      CHECK(maxima.largest(1, 0, place + 1) == 9);
      CHECK(maxima.largest(1, place, kWidth) == 9);
      if (place > 0) CHECK(maxima.largest(1, 0, place) == -5);
      if (place + 1 < kWidth) CHECK(maxima.largest(1, place + 1, kWidth) == -5);
    }
  }

  TEST_CASE("what is no number hides behind no other") {
    constexpr std::size_t kWidth = 300;
    for (std::size_t place = 0; place < kWidth; ++place) {
      std::vector<float> values(kWidth, 1.0F);
      values[place] = std::numeric_limits<float>::quiet_NaN();
      const RangeMaxima<float> maxima(kWidth, values);
      CHECK(std::isnan(largest_of(std::span<const float>(values))));
      CHECK(std::isnan(maxima.largest(0, 0, kWidth)));
      CHECK(std::isnan(maxima.largest(0, place, kWidth)));
      CHECK(std::isnan(maxima.largest(0, 0, place + 1)));
      if (place > 0) CHECK(maxima.largest(0, 0, place) == 1.0F);
      if (place + 1 < kWidth) CHECK(maxima.largest(0, place + 1, kWidth) == 1.0F);
    }
  }

  TEST_CASE("of nothing the maximum is the lowest number") {
    const RangeMaxima<float> maxima(2, {1.0F, 2.0F});
    CHECK(maxima.largest(0, 1, 1) == std::numeric_limits<float>::lowest());
    CHECK(largest_of(std::span<const std::int64_t>()) ==
          std::numeric_limits<std::int64_t>::lowest());
  }
}
