#include "pate/accounting/count_distinct.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "pate/votes/vote_source.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"

using namespace pate;
using pate_test::Random;

namespace {

using Key = std::vector<std::int32_t>;

Key key_at(const KeyList& keys, std::size_t i) {
  return {keys[i].begin(), keys[i].end()};
}

Run run_of(const VoteSource& votes, Shard shard = {}) {
  std::vector<std::uint8_t> decisions;
  for (std::int64_t i = 0; i < votes.queries(); ++i) decisions.push_back(i % 3 == 0 ? 1 : 0);
  return {votes,
          RowSelection::all(votes.queries()),
          Aggregator{ThresholdCheck{8.0, 2.0}, {GaussianNoisyMax{3.0}}, false},
          {},
          nullptr,
          std::move(decisions),
          std::nullopt,
          shard};
}

}  // namespace

TEST_SUITE("accounting") {
  TEST_CASE("numbers keep their order and their bits as keys") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::vector<double> numbers{
        -kInfinity, -1e300, -3.5, -3.4999999999999996, -1e-310, 0.0, 5e-324, 1.0, 1e9, kInfinity};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      Key key;
      append_ordered(numbers[i], key);
      CHECK(ordered_number(key) == numbers[i]);
      if (i == 0) continue;
      Key before;
      append_ordered(numbers[i - 1], before);
      CHECK(before < key);
    }
  }

  TEST_CASE("keys of one size or several, short or long, are joined in their order") {
    Random random(18);
    const std::vector<std::int32_t> extremes{std::numeric_limits<std::int32_t>::min(), -1, 0, 1,
                                             std::numeric_limits<std::int32_t>::max()};
    for (const auto& [least, most] : std::vector<std::pair<int, int>>{
             {0, 0}, {1, 1}, {3, 3}, {4, 4}, {5, 5}, {0, 2}, {3, 4}, {2, 6}, {7, 9}}) {
      std::vector<KeyCounts> parts(static_cast<std::size_t>(random.integer(1, 5)));
      std::map<Key, DistinctQueries::Times> expected;
      // Enough of the longest for several ranges of them.
      for (int i = 0; i < (least == 7 ? 60'000 : 400); ++i) {
        Key key(static_cast<std::size_t>(random.integer(least, most)));
        for (std::int32_t& number : key) {
          number = extremes[static_cast<std::size_t>(random.integer(0, 4))];
        }
        const std::int64_t count = random.integer(1, 3);
        parts[static_cast<std::size_t>(
                  random.integer(0, static_cast<std::int64_t>(parts.size()) - 1))]
            .add(key, count, 1);
        expected[key].count += count;
        expected[key].answered += 1;
      }
      const DistinctQueries joined = join(parts, 2);
      REQUIRE(joined.keys.size() == expected.size());
      std::size_t i = 0;
      for (const auto& [key, times] : expected) {
        CHECK(key_at(joined.keys, i) == key);
        CHECK(joined.times(i).count == times.count);
        CHECK(joined.times(i).answered == times.answered);
        ++i;
      }
    }
  }

  TEST_CASE("joined counts do not depend on the threads, and know what every query is") {
    const auto parts_of = [](std::uint64_t seed, std::vector<Key>& of_query) {
      Random same(seed);
      std::vector<KeyCounts> parts(7);
      for (int i = 0; i < 90'000; ++i) {
        // Half of all keys in the last part; one of them very often.
        KeyCounts& part =
            parts[static_cast<std::size_t>(std::min<std::int64_t>(same.integer(0, 13), 6))];
        const auto often = static_cast<std::int32_t>(same.integer(0, 3));
        const Key key{often == 0 ? 5 : static_cast<std::int32_t>(same.integer(-40'000, 40'000)),
                      often};
        part.of_query.push_back(part.add(key, 1, often == 1 ? 1 : 0));
      }
      for (const KeyCounts& part : parts) {
        for (const std::uint32_t number : part.of_query) {
          const auto key = part.keys()[number];
          of_query.emplace_back(key.begin(), key.end());
        }
      }
      return parts;
    };
    std::vector<Key> of_query;
    auto once = parts_of(20, of_query);
    of_query.clear();
    auto again = parts_of(20, of_query);
    const DistinctQueries one = join(once, 1);
    const DistinctQueries two = join(again, 2);
    REQUIRE(one.keys.size() == two.keys.size());
    REQUIRE(one.keys.size() > 40'000);
    CHECK(one.first_occurrence == two.first_occurrence);
    CHECK(one.of_query == two.of_query);
    REQUIRE(one.of_query.size() == of_query.size());
    std::int64_t count = 0;
    for (std::size_t i = 0; i < one.keys.size(); ++i) {
      CHECK(key_at(one.keys, i) == key_at(two.keys, i));
      if (i > 0) CHECK(key_at(one.keys, i - 1) < key_at(one.keys, i));
      CHECK(one.times(i).count == two.times(i).count);
      CHECK(one.times(i).answered == two.times(i).answered);
      count += one.times(i).count;
    }
    CHECK(count == 90'000);
    for (std::size_t i = 0; i < of_query.size(); ++i) {
      CHECK(key_at(one.keys, one.of_query[i]) == of_query[i]);
    }
  }

  TEST_CASE("a key without numbers is none with the least of them") {
    const std::int32_t least = std::numeric_limits<std::int32_t>::min();
    for (const bool last : {false, true}) {
      std::vector<KeyCounts> parts(3);
      parts[last ? 2 : 0].add(Key{}, 5, 0);
      parts[last ? 0 : 2].add(Key{least}, 7, 1);
      const DistinctQueries joined = join(parts, 2);
      REQUIRE(joined.keys.size() == 2);
      CHECK(joined.keys[0].empty());
      CHECK(joined.times(0).count == 5);
      CHECK(key_at(joined.keys, 1) == Key{least});
      CHECK(joined.times(1).count == 7);
    }
  }

  TEST_CASE("distinct queries are counted as a map counts them, whatever the threads") {
    Random random(17);
    std::vector<std::int64_t> counts;
    constexpr std::int64_t kQueries = 2000;
    for (std::int64_t i = 0; i < kQueries; ++i) {
      const std::int64_t top = random.integer(0, 12);
      const std::int64_t second = random.integer(0, 12 - top);
      counts.insert(counts.end(), {top, second, 12 - top - second});
    }
    const CountVotes votes(pate::test::integer_table({kQueries, 3}, counts));
    std::map<Key, DistinctQueries::Times> expected;
    std::vector<Key> of_query;
    for (std::int64_t i = 0; i < kQueries; ++i) {
      Key key(counts.begin() + 3 * i, counts.begin() + 3 * i + 3);
      std::sort(key.begin(), key.end(), std::greater<>());
      std::erase(key, 0);
      key.insert(key.begin(), key.front());
      ++expected[key].count;
      expected[key].answered += i % 3 == 0 ? 1 : 0;
      of_query.push_back(key);
    }
    QueryKey histogram = sorted_histogram();
    histogram.by_query = true;
    const QueryKey all{[](const QueryReader&, std::int64_t, Key&) {}};
    for (const unsigned threads : {1U, 3U}) {
      const std::vector<QueryKey> keys{all, histogram};
      const auto counted = count_distinct(run_of(votes), keys, {.threads = threads});
      REQUIRE(counted.size() == 2);
      CHECK(counted[0].keys.size() == 1);
      CHECK(counted[0].times(0).count == kQueries);
      CHECK(counted[0].of_query.empty());
      REQUIRE(counted[1].keys.size() == expected.size());
      std::size_t i = 0;
      for (const auto& [key, times] : expected) {
        CHECK(key_at(counted[1].keys, i) == key);
        CHECK(counted[1].times(i).count == times.count);
        CHECK(counted[1].times(i).answered == times.answered);
        ++i;
      }
      REQUIRE(counted[1].of_query.size() == of_query.size());
      for (std::size_t query = 0; query < of_query.size(); ++query) {
        CHECK(key_at(counted[1].keys, counted[1].of_query[query]) == of_query[query]);
      }
    }
    std::int64_t visited = 0;
    const auto part =
        count_distinct(run_of(votes, {2, 3}), histogram,
                       {.threads = 1, .visit = [&](const QueryReader& reader, std::int64_t first) {
                          CHECK(first == visited);
                          visited += reader.size();
                        }});
    CHECK(visited == static_cast<std::int64_t>(part.of_query.size()));
    CHECK(visited == 667);
    CHECK(key_at(part.keys, part.of_query[0]) == of_query[666]);
  }
}
