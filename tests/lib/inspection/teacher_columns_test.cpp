#include "pate/inspection/findings.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

using pate::TeacherColumns;
using pate::TeacherFindings;

namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
using Numbers = std::vector<std::int64_t>;

TeacherFindings findings(std::int64_t teachers, std::int64_t classes,
                         const std::vector<std::int32_t>& ids) {
  TeacherColumns columns(teachers, classes);
  columns.add(0, ids, 0, teachers);
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

  TEST_CASE("blocks of queries and of teachers, in any order, give what one block gives") {
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
    columns.add(20, all.subspan(20 * kTeachers), 0, kTeachers);
    columns.add(0, all.first(20 * kTeachers), 3, kTeachers);
    columns.add(0, all.first(20 * kTeachers), 0, 3);
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
