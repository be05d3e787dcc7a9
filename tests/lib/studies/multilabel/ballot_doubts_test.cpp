#include "pate/studies/multilabel/ballot_doubts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/label_ballots.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr std::int64_t kLabels = 3;
constexpr std::size_t kTeachers = 20;

// By query, then teacher: sets of labels that each teacher gives with a share of its own.
std::vector<std::vector<std::uint64_t>> sets_of(std::int64_t queries) {
  Random random(2611);
  std::vector<std::vector<std::uint64_t>> sets;
  for (std::int64_t query = 0; query < queries; ++query) {
    auto& its = sets.emplace_back();
    for (std::size_t teacher = 0; teacher < kTeachers; ++teacher) {
      std::uint64_t set = 0;
      for (std::int64_t label = 0; label < kLabels; ++label) {
        const double share = (query + label) % kLabels == 0 ? 0.8 : 0.2;
        if (random.uniform(0.0, 1.0) < share) set |= std::uint64_t{1} << label;
      }
      its.push_back(set);
    }
  }
  return sets;
}

std::vector<Notice> doubts_of(const std::vector<std::vector<std::uint64_t>>& sets) {
  const auto ballots = ballots_of(sets, kLabels);
  return ballot_doubts(*ballots, LabelCounts(*ballots));
}

}  // namespace

TEST_SUITE("ballot_doubts") {
  TEST_CASE("teachers on their own are not doubted; copies and silent ones are") {
    std::vector<std::vector<std::uint64_t>> sets = sets_of(40);
    CHECK(doubts_of(sets).empty());
    for (auto& query : sets) {
      query[3] = 0;
      query[7] = query[5];
      query[9] = query[5];
    }
    const std::vector<Notice> found = doubts_of(sets);
    REQUIRE(found.size() == 2);
    const auto silent = std::ranges::find(found, "silent_teachers", &Notice::code);
    const auto alike = std::ranges::find(found, "identical_teachers", &Notice::code);
    REQUIRE(silent != found.end());
    REQUIRE(alike != found.end());
    CHECK(silent->message.find("1 of 20 teachers give no query any label: 3;") !=
          std::string::npos);
    CHECK(alike->message.find("teachers 5, 7, 9 have") != std::string::npos);
  }

  TEST_CASE("what chance explains is no doubt: few queries, and teachers that all agree") {
    std::vector<std::vector<std::uint64_t>> few = sets_of(3);
    for (auto& query : few) query[7] = query[5];
    CHECK(doubts_of(few).empty());
    CHECK(doubts_of({40, std::vector<std::uint64_t>(kTeachers, 5)}).empty());
    CHECK(doubts_of({40, std::vector<std::uint64_t>(kTeachers, 0)}).empty());
  }
}
