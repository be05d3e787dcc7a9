#include "pate/release/sensitivity/vote_profile.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

using pate::VoteProfile;
using Counts = std::vector<std::int32_t>;

TEST_SUITE("release") {
  TEST_CASE("a profile keeps the counts of every query, and none of those that it is emptied of") {
    VoteProfile votes;
    votes.teachers = 9;
    votes.classes = 3;
    votes.add({0, -1.0, 2, 1}, Counts{6, 3, 0});
    votes.add({0, -0.5, 1, 0}, Counts{4, 4, 1});
    CHECK(votes.histogram(0) == Counts{6, 3, 0});
    CHECK(votes.histogram(1) == Counts{4, 4, 1});
    CHECK(std::ranges::equal(votes.voted(0), Counts{6, 3}));
    VoteProfile other = votes.without_queries();
    CHECK(other.distinct.empty());
    CHECK(other.teachers == 9);
    other.add({0, -3.0, 1, 1}, Counts{9});
    other.add({0, -0.4, 1, 1}, Counts{5, 4});
    CHECK(other.histogram(0) == Counts{9, 0, 0});
    CHECK(other.histogram(1) == Counts{5, 4, 0});
    CHECK(votes.histogram(1) == Counts{4, 4, 1});
  }
}
