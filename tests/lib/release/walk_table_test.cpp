#include "pate/release/curve/walk_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "pate/base/error.hpp"
#include "support/temp_directory.hpp"

using pate::CostUnits;
using pate::StoredUnits;
using pate::WalkTable;
using pate::test::message_of;

namespace {

CostUnits cost_of(std::int64_t value, std::int64_t v) {
  return 10 * value + (v * 7) % 5;
}

WalkTable::Question question() {
  return {3, 9, {8, 4, 0}, [](std::int64_t value) {
            return [value](std::int64_t v) { return cost_of(value, v); };
          }};
}

std::string refusal(const std::vector<CostUnits>& stored) {
  return message_of<pate::parameter_error>([&] {
    StoredUnits from(stored);
    const WalkTable table(from);
    std::mt19937_64 random(1);
    table.check(question(), random, 200);
  });
}

}  // namespace

TEST_SUITE("release") {
  TEST_CASE("a table of costs by a walk: the largest within a distance, at the cells of values") {
    const WalkTable table(question(), 1);
    CostUnits all = 0;
    for (std::int64_t v = 3; v <= 9; ++v) all = std::max(all, cost_of(8, v));
    CHECK(table.largest() == all);
    const std::vector<std::int64_t> values{0, 1, 4, 5, 8};
    const std::vector<std::int64_t> ends{0, 4, 4, 8, 8};  // of their cells
    for (std::int64_t centre = 3; centre <= 9; ++centre) {
      const auto found = table.within(centre, values.size(), values);
      REQUIRE(found.size() == values.size());
      for (std::size_t d = 0; d < values.size(); ++d) {
        const auto distance = static_cast<std::int64_t>(d);
        CostUnits largest = 0;
        for (std::int64_t v = std::max<std::int64_t>(3, centre - distance);
             v <= std::min<std::int64_t>(9, centre + distance); ++v) {
          for (const std::int64_t end : {0, 4, 8}) {
            if (end <= ends[d]) largest = std::max(largest, cost_of(end, v));
          }
        }
        CHECK(found[d] == largest);
      }
    }
  }

  TEST_CASE("a stored table that falls, is too small, or of other counts is refused") {
    std::vector<CostUnits> stored;
    WalkTable(question(), 1).store(stored);
    REQUIRE(stored.size() == 2 + 1 + 3 + 3 * 7);
    CHECK(refusal(stored) == "[no exception]");
    const std::size_t values = 6;
    auto falls = stored;
    falls[values + 7] = falls[values] - 1;
    CHECK(refusal(falls) == "stored costs fall where q grows");
    // More than it must be is no danger, the last row has nothing behind it.
    auto more = stored;
    ++more.back();
    CHECK(refusal(more) == "[no exception]");
    auto less = stored;
    less.back() -= 5;
    CHECK(refusal(less) != "[no exception]");
    auto others = stored;
    --others[0];
    CHECK(refusal(others) != "[no exception]");
  }
}
