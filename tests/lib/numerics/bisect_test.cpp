#include "pate/numerics/bisect.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

TEST_SUITE("numerics") {
  TEST_CASE("halving finds the border from either side, and asks neither end") {
    Random random(811);
    for (int i = 0; i < 2000; ++i) {
      const std::int64_t first = random.integer(-1, 40);
      const std::int64_t last = first + random.integer(1, i % 2 == 0 ? 9 : 1'000'000'000);
      const std::int64_t border = random.integer(first, last - 1);  // the last one below
      const auto is_below = [&](std::int64_t k) {
        CHECK((first < k && k < last));
        return k <= border;
      };
      CHECK(bisect(first, last, is_below) == border);
      CHECK(bisect(last, first, [&](std::int64_t k) { return !is_below(k); }) == border + 1);
      const std::int64_t start = std::max<std::int64_t>(first, 0);
      const auto up = [&](std::int64_t k) { return k < last && k <= border; };
      if (start <= border) CHECK(largest_by_doubling(start, start + 1, last, up) == border);
      const std::int64_t near = bisect(first, last, is_below, 0.1);
      CHECK((near <= border && 10 * (border - near) <= std::max<std::int64_t>(near, 0)));
    }
  }
}
