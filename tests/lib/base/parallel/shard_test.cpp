#include "pate/base/parallel/shard.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "pate/base/error.hpp"

using namespace pate;

TEST_SUITE("parallel") {
  TEST_CASE("shards follow each other and differ by one at most") {
    for (const std::int64_t size : {0, 1, 2, 7, 100, 9000}) {
      for (const std::int64_t of : {1, 2, 3, 7, 10, 101}) {
        std::int64_t done = 0;
        for (std::int64_t index = 1; index <= of; ++index) {
          const Shard shard{index, of};
          CHECK(shard.begin(size) == done);
          CHECK(shard.end(size) - done >= size / of);
          CHECK(shard.end(size) - done <= size / of + 1);
          done = shard.end(size);
        }
        CHECK(done == size);
      }
    }
    constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
    const Shard last{1'000'000, 1'000'000};
    CHECK(last.end(kHuge) == kHuge);
    CHECK(last.begin(kHuge) < kHuge);
  }

  TEST_CASE("a shard is written i/n") {
    CHECK(parse_shard("2/3") == Shard{2, 3});
    CHECK(parse_shard("1/1") == Shard{});
    for (const char* text : {"", "/", "1", "1/", "/3", "0/3", "4/3", "1/0", "-1/3", "1/3/4", "1 /3",
                             "a/3", "1/1000001", "1/99999999999999999999", "+1/3", "1.0/3"}) {
      CHECK_THROWS_AS(static_cast<void>(parse_shard(text)), parameter_error);
    }
    CHECK_THROWS_WITH(static_cast<void>(parse_shard("4/3")),
                      "shard must be i/n with 1 <= i <= n <= 1000000, like 2/3, got '4/3'");
    CHECK_THROWS_WITH(static_cast<void>(parse_shard("4", "--shard", "2/8")),
                      "--shard must be i/n with 1 <= i <= n <= 1000000, like 2/8, got '4'");
  }
}
