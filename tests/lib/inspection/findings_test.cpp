#include "pate/inspection/inspection.hpp"

#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>
#include "pate/votes/fingerprint.hpp"

using pate::Bins;
using pate::Consensus;
using pate::consensus;
using pate::DistinctCounter;
using pate::Frequencies;
using pate::mix_bits;
using pate::TeacherColumns;
using pate::TeacherFindings;

TEST_SUITE("inspection") {
  TEST_CASE("counts each fingerprint once, zero too") {
    DistinctCounter counter;
    CHECK(counter.count() == 0);
    for (int round = 0; round < 3; ++round) {
      for (std::uint64_t i = 0; i < 5000; ++i) counter.add(mix_bits(i));
    }
    CHECK(counter.count() == 5000);
    counter.add(0);
    counter.add(0);
    CHECK(counter.count() == 5001);
  }

  TEST_CASE("fingerprints tell small histograms apart, and their order") {
    std::set<std::uint64_t> found;
    std::vector<std::int32_t> counts(3);
    for (counts[0] = 0; counts[0] < 40; ++counts[0]) {
      for (counts[1] = 0; counts[1] < 40; ++counts[1]) {
        for (counts[2] = 0; counts[2] < 40; ++counts[2]) found.insert(pate::fingerprint(counts));
      }
    }
    CHECK(found.size() == 64000);
  }

  TEST_CASE("fingerprints are the same everywhere") {
    // splitmix64 with seed 0 begins with this number.
    CHECK(mix_bits(0) == 0xe220a8397b1dcdafU);
    constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15U;
    CHECK(mix_bits(kStep) == 0x6e789e6aa1b965f4U);
  }
}

namespace {

void check(const std::vector<std::int32_t>& histogram, const Consensus& expected) {
  const Consensus found = consensus(histogram);
  CHECK(found.top == expected.top);
  CHECK(found.second == expected.second);
  CHECK(found.gap == expected.gap);
  CHECK(found.tied == expected.tied);
  CHECK(found.unanimous == expected.unanimous);
}

Frequencies of(const std::vector<std::int64_t>& values) {
  Frequencies frequencies;
  for (const std::int64_t value : values) frequencies.add(value);
  return frequencies;
}

}  // namespace

TEST_SUITE("inspection") {
  TEST_CASE("consensus: one class, no votes, and the most that there can be") {
    check({9}, {9, 0, 9, false, true});
    check({0, 0}, {0, 0, 0, false, false});
    check({0}, {0, 0, 0, false, false});
    check({2147483647, 0, 0}, {2147483647, 0, 2147483647, false, true});
  }

  TEST_CASE("agrees with sorting") {
    std::uint64_t state = 1;
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::int32_t> histogram(2 + static_cast<std::size_t>(round % 7));
      for (std::int32_t& votes : histogram) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        votes = static_cast<std::int32_t>(state >> 61U);
      }
      std::vector<std::int32_t> sorted = histogram;
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      if (sorted[0] == 0) continue;
      check(histogram,
            {sorted[0], sorted[1], sorted[0] - sorted[1], sorted[0] == sorted[1], sorted[1] == 0});
    }
  }

  TEST_CASE("one by one, many at once and in bulk are the same") {
    const std::vector<std::int64_t> values{5, 3, 5, 9, 3, 5};
    Frequencies at_once;
    at_once.add(values);
    at_once.add(std::vector<std::int64_t>{});
    Frequencies bulk;
    bulk.add(9);
    bulk.add(3, 2);
    bulk.add(5, 3);
    CHECK(of(values).times() == bulk.times());
    CHECK(at_once.times() == bulk.times());
    CHECK(bulk.times().at(5) == 3);
  }

  TEST_CASE("deciles as numpy.percentile gives them, to the bit") {
    // numpy.percentile(values, range(0, 101, 10)), numpy 1.24
    CHECK(of({7}).deciles() == std::vector<double>(11, 7.0));
    CHECK(of({1, 2}).deciles() ==
          std::vector<double>{1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0});
    CHECK(of({30, 0, 10}).deciles() ==
          std::vector<double>{0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 14.0, 18.0, 22.0, 26.0, 30.0});
    CHECK(of({3, 10}).deciles() == std::vector<double>{3.0, 3.7, 4.4, 5.1, 5.800000000000001, 6.5,
                                                       7.199999999999999, 7.8999999999999995, 8.6,
                                                       9.3, 10.0});
    CHECK(of({7, 1, 2, 0}).deciles() ==
          std::vector<double>{0.0, 0.30000000000000004, 0.6000000000000001, 0.8999999999999999,
                              1.2000000000000002, 1.5, 1.7999999999999998, 2.4999999999999982,
                              4.000000000000002, 5.500000000000001, 7.0});
    CHECK(of({4, 4, 4, 9, 9, 17}).deciles() ==
          std::vector<double>{4.0, 4.0, 4.0, 4.0, 4.0, 6.5, 9.0, 9.0, 9.0, 13.0, 17.0});
    std::vector<std::int64_t> hundred(101);
    std::iota(hundred.begin(), hundred.end(), 0);
    CHECK(of(hundred).deciles() == std::vector<double>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100});
  }

  TEST_CASE("there are no deciles of nothing") {
    CHECK(Frequencies().deciles().empty());
  }

  TEST_CASE("a bin for every value up to 1000, at most 100 bins beyond") {
    CHECK(Bins::over(0).width == 1);
    CHECK(Bins::over(0).count == 1);
    CHECK(Bins::over(1000).width == 1);
    CHECK(Bins::over(1000).count == 1001);
    CHECK(Bins::over(1001).width == 11);
    CHECK(Bins::over(1001).count == 92);  // the last one: 1001 and more
    CHECK(Bins::over(9999).width == 100);
    CHECK(Bins::over(9999).count == 100);
    CHECK(Bins::over(10000).width == 101);
    for (const std::int64_t largest : {1001, 5000, 99999, 2147483647}) {
      const Bins bins = Bins::over(largest);
      CHECK(bins.count <= 100);
      CHECK(bins.count >= 90);
      CHECK(bins.width * bins.count > largest);
      CHECK(bins.width * (bins.count - 1) <= largest);
    }
  }

  TEST_CASE("a histogram puts values into their bins") {
    const Frequencies values = of({0, 9, 10, 10, 19, 29});
    CHECK(pate::histogram(values, Bins{10, 3}) == std::vector<std::int64_t>{2, 3, 1});
    CHECK(pate::histogram(of({2, 0, 2}), Bins{1, 4}) == std::vector<std::int64_t>{1, 0, 2, 0});
  }
}

namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
using Numbers = std::vector<std::int64_t>;

TeacherFindings findings(std::int64_t teachers, std::int64_t classes,
                         const std::vector<std::int32_t>& ids) {
  TeacherColumns columns(teachers, classes);
  columns.add(0, ids);
  return columns.findings();
}

}  // namespace

TEST_SUITE("inspection") {
  TEST_CASE("identical, constant and missing, counted and named") {
    // Four queries by five teachers: 0 and 3 agree, 2 always votes 1, nobody votes 3.
    const TeacherFindings found = findings(5, 4, {0, 0, 1, 0, 2,  //
                                                  1, 0, 1, 1, 1,  //
                                                  2, 2, 1, 2, 0,  //
                                                  0, 0, 1, 0, 2});
    CHECK(found.teachers == 5);
    CHECK(found.distinct == 4);
    CHECK(found.identical_pairs == 1);
    CHECK(found.first_identical == Pairs{{0, 3}});
    CHECK(found.constant == 1);
    CHECK(found.first_constant == Numbers{2});
    CHECK(found.missing_some_class == 5);
    CHECK(found.missing == Numbers{1, 1, 1, 5});
  }

  TEST_CASE("teachers that vote for every class miss none") {
    const TeacherFindings found = findings(2, 2, {0, 1, 1, 0});
    CHECK(found.missing_some_class == 0);
    CHECK(found.missing == Numbers{0, 0});
    CHECK(found.distinct == 2);
    CHECK(found.identical_pairs == 0);
    CHECK(found.first_identical.empty());
    CHECK(found.constant == 0);
  }

  TEST_CASE("the first pairs in increasing order, whatever group they are in") {
    // Teachers 1 and 8 agree; so do all the others.
    const TeacherFindings found = findings(9, 2, {0, 1, 0, 0, 0, 0, 0, 0, 1});
    CHECK(found.distinct == 2);
    CHECK(found.identical_pairs == 1 + 7 * 6 / 2);
    CHECK(found.first_identical == Pairs{{0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}});
    const TeacherFindings other = findings(6, 3, {2, 1, 0, 0, 1, 2});
    CHECK(other.first_identical == Pairs{{0, 5}, {1, 4}, {2, 3}});
  }

  TEST_CASE("blocks of queries, in any order, give what one block gives") {
    constexpr std::int64_t kTeachers = 7;
    std::vector<std::int32_t> ids;
    for (std::int32_t query = 0; query < 30; ++query) {
      for (std::int32_t teacher = 0; teacher < kTeachers; ++teacher) {
        ids.push_back(query * (teacher % 5 + 1) % 70);
      }
    }
    const TeacherFindings whole = findings(kTeachers, 70, ids);
    CHECK(whole.identical_pairs == 2);
    TeacherColumns columns(kTeachers, 70);
    const std::span<const std::int32_t> all(ids);
    columns.add(20, all.subspan(20 * kTeachers));
    columns.add(0, all.first(20 * kTeachers));
    const TeacherFindings parts = columns.findings();
    CHECK(parts.distinct == whole.distinct);
    CHECK(parts.first_identical == whole.first_identical);
    CHECK(parts.constant == whole.constant);
    CHECK(parts.missing == whole.missing);
    CHECK(parts.missing_some_class == whole.missing_some_class);
  }

  TEST_CASE("the position of a vote matters") {
    // The same votes in another order are another teacher.
    CHECK(findings(2, 3, {0, 2, 2, 0}).distinct == 2);
    CHECK(findings(2, 3, {0, 1, 1, 0, 1, 1}).distinct == 2);
  }
}
