#include "pate/divergence/exact/vote_groups.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>

#include "pate/votes/selection_statistic.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// Compares the change of the statistic that the groups tell with the statistic itself.
void check_changes(const Counts& counts, const std::vector<double>& scores, bool interactive) {
  const std::int64_t teachers = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const auto statistic = [&](const Counts& n) {
    return interactive ? interactive_statistic(n, scores, teachers) : top_count(n);
  };
  const GroupedVotes votes = interactive ? group_interactive_votes(counts, scores, teachers)
                                         : group_confident_votes(counts);
  CHECK(votes.statistic == statistic(counts));
  const auto groups = groups_of_classes(votes, counts, scores, teachers);
  std::int32_t classes = 0;
  for (const VoteGroup& group : votes.groups) classes += group.classes;
  CHECK(static_cast<std::size_t>(classes) == counts.size());
  for (std::size_t a = 0; a < counts.size(); ++a) {
    for (std::size_t b = 0; b < counts.size(); ++b) {
      if (a == b) continue;
      CHECK(can_move(votes, groups[a], groups[b]) == (counts[a] > 0));
      if (counts[a] == 0) continue;
      Counts neighbour = counts;
      --neighbour[a];
      ++neighbour[b];
      CHECK_MESSAGE(
          statistic_change(votes, groups[a], groups[b]) == statistic(neighbour) - statistic(counts),
          a, " to ", b);
    }
  }
}

}  // namespace

TEST_SUITE("exact") {
  TEST_CASE("groups tell how a moved vote changes the statistic") {
    Random random(601);
    for (int i = 0; i < 1500; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 9), random.integer(1, 6));
      std::vector<double> scores(counts.size());
      double sum = 0.0;
      for (double& score : scores) sum += score = random.uniform(0.0, 1.0);
      for (double& score : scores) score /= sum;
      check_changes(counts, {}, false);
      check_changes(counts, scores, true);
    }
    // The student expects more than there is: every lead is negative and the statistic 0.
    check_changes({1, 1, 1}, {1.0 / 3, 1.0 / 3, 1.0 / 3}, true);
    check_changes({2, 2, 2, 2}, {0.35, 0.35, 0.3, 0.0}, true);
    check_changes({0, 5}, {0.0, 1.0}, true);
    check_changes({3, 2}, {0.9, 0.9}, true);
  }

  TEST_CASE("groups are sorted and take equal classes together") {
    const GroupedVotes votes = group_votes(Counts{0, 4, 1, 0, 1, 0});
    REQUIRE(votes.groups.size() == 3);
    CHECK(votes.groups[0] == VoteGroup{4, LeadRank::lower, 1});
    CHECK(votes.groups[1] == VoteGroup{1, LeadRank::lower, 2});
    CHECK(votes.groups[2] == VoteGroup{0, LeadRank::lower, 3});
    CHECK(can_move(votes, 1, 1));        // to the other class with one vote
    CHECK_FALSE(can_move(votes, 0, 0));  // there is no other
    CHECK_FALSE(can_move(votes, 2, 0));  // nobody voted for it
    CHECK(group_votes(Counts{1, 0, 4, 0, 0, 1}) == votes);
    CHECK(group_confident_votes(Counts{5, 4, 3}).groups[1].place == LeadRank::below);
  }

  TEST_CASE("classes without a vote that are left out are in their group all the same") {
    Random random(84);
    for (int i = 0; i < 500; ++i) {
      // No votes, one and a few: classes without any may be the top, or below it.
      const Counts counts = random_histogram(random, random.integer(0, 4), random.integer(1, 6));
      const auto zeros = static_cast<std::size_t>(random.integer(0, 3));
      Counts all = counts;
      all.resize(counts.size() + zeros, 0);
      CHECK(group_votes(counts, zeros) == group_votes(all));
      CHECK(group_confident_votes(counts, zeros) == group_confident_votes(all));
    }
    CHECK(group_confident_votes(Counts{}, 5) == group_confident_votes(Counts(5, 0)));
    CHECK(group_votes(Counts{}, 5) == group_votes(Counts(5, 0)));
  }

  TEST_CASE("the classes of another histogram have no group") {
    const GroupedVotes votes = group_votes(Counts{3, 1});
    CHECK_THROWS_AS(static_cast<void>(groups_of_classes(votes, Counts{2, 2}, {}, 4)),
                    std::logic_error);
  }
}
