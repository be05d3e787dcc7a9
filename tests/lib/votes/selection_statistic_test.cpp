#include "pate/votes/selection_statistic.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

using pate::interactive_statistic;
using pate::top_count;

namespace {

std::int32_t statistic(const std::vector<std::int32_t>& histogram,
                       const std::vector<double>& scores, std::int64_t teachers) {
  return interactive_statistic(histogram, scores, teachers);
}

}  // namespace

TEST_SUITE_BEGIN("votes");

TEST_CASE("the top count is the largest count") {
  CHECK(top_count(std::vector<std::int32_t>{3, 9, 1}) == 9);
  CHECK(top_count(std::vector<std::int32_t>{0, 0, 2147483647}) == 2147483647);
  CHECK(top_count(std::vector<std::int32_t>{5}) == 5);
  CHECK(top_count({}) == 0);
}

TEST_CASE("the student's side is rounded once, half down") {
  CHECK(statistic({6, 4}, {0.5, 0.5}, 10) == 1);
  CHECK(statistic({6, 4}, {0, 1}, 10) == 6);
  // M p = 2.5 rounds to 2, 2.6 to 3, 2.4 to 2.
  CHECK(statistic({10, 0}, {0.25, 0.75}, 10) == 8);
  CHECK(statistic({10, 0}, {0.26, 0.74}, 10) == 7);
  CHECK(statistic({10, 0}, {0.24, 0.76}, 10) == 8);
  // M p = 1.5 rounds to 1: half to even would be 2.
  CHECK(statistic({10, 0}, {0.15, 0.85}, 10) == 9);
}

TEST_CASE("the statistic stays within 0 and the number of teachers") {
  CHECK(statistic({10, 0}, {1, 0}, 10) == 0);
  CHECK(statistic({10}, {1}, 10) == 0);
  CHECK(statistic({5, 5}, {1, 1}, 10) == 0);
  CHECK(statistic({10, 0}, {0, 1}, 10) == 10);
  CHECK(statistic({2147483647, 0}, {0, 1}, 2147483647) == 2147483647);
  CHECK(statistic({0, 2147483647}, {0, 1}, 2147483647) == 0);
  CHECK(statistic({}, {}, 0) == 0);
}

TEST_CASE("a student without opinion leaves the counts their order") {
  const std::vector<double> scores(4, 0.25);
  CHECK(statistic({40, 30, 20, 10}, scores, 100) == 15);
}

TEST_CASE("one changed vote changes either statistic by at most 1") {
  const std::vector<double> students[] = {{0.2, 0.3, 0.5},
                                          {1.0 / 3, 1.0 / 3, 1.0 / 3},
                                          {0.05, 0.05, 0.9},
                                          {0.15, 0.25, 0.6},
                                          {0, 0, 1}};
  constexpr std::int32_t kTeachers = 10;
  int moved = 0;
  for (const auto& scores : students) {
    for (std::int32_t a = 0; a <= kTeachers; ++a) {
      for (std::int32_t b = 0; a + b <= kTeachers; ++b) {
        const std::vector<std::int32_t> votes{a, b, kTeachers - a - b};
        for (std::size_t from = 0; from < 3; ++from) {
          for (std::size_t to = 0; to < 3; ++to) {
            if (from == to || votes[from] == 0) continue;
            std::vector<std::int32_t> neighbour = votes;
            --neighbour[from];
            ++neighbour[to];
            const auto change =
                statistic(neighbour, scores, kTeachers) - statistic(votes, scores, kTeachers);
            CHECK(std::abs(change) <= 1);
            CHECK(std::abs(top_count(neighbour) - top_count(votes)) <= 1);
            moved += std::abs(change);
          }
        }
      }
    }
  }
  CHECK(moved > 100);
}

TEST_SUITE_END();
