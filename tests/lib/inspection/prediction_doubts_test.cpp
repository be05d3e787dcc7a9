#include "pate/inspection/prediction_doubts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/npy_writer.hpp"
#include "support/random.hpp"

using pate::ContentDoubt;
using pate::Layout;
using pate::PredictionLayout;
using pate::PredictionVotes;
using pate::RowSelection;
using pate::Weight;
using pate::test::integer_table;
using pate_test::Random;
using Values = std::vector<std::int64_t>;

namespace {

// Class ids, teachers x queries, of teachers that are right with some probability.
struct Ids {
  std::int64_t teachers, queries, classes;
  Values values;

  [[nodiscard]] std::int64_t& at(std::int64_t teacher, std::int64_t query) {
    return values[static_cast<std::size_t>(teacher * queries + query)];
  }
};

Ids random_ids(Random& random, std::int64_t teachers, std::int64_t queries, std::int64_t classes,
               double accuracy) {
  Ids ids{teachers, queries, classes, Values(static_cast<std::size_t>(teachers * queries))};
  for (std::int64_t query = 0; query < queries; ++query) {
    const std::int64_t right = random.integer(0, classes - 1);
    for (std::int64_t teacher = 0; teacher < teachers; ++teacher) {
      ids.at(teacher, query) =
          random.uniform(0, 1) < accuracy ? right : random.integer(0, classes - 1);
    }
  }
  return ids;
}

void copy_teacher(Ids& ids, std::int64_t from, std::int64_t to) {
  for (std::int64_t query = 0; query < ids.queries; ++query)
    ids.at(to, query) = ids.at(from, query);
}

std::vector<ContentDoubt> doubts(const Ids& ids, std::optional<std::int64_t> said = {},
                                 std::vector<ContentDoubt> found = {}) {
  const auto table = integer_table({ids.teachers, ids.queries}, ids.values);
  const PredictionVotes votes(table, PredictionLayout::teachers_by_queries, ids.classes);
  const RowSelection rows = RowSelection::all(ids.queries);
  pate::look_at_predictions({votes, rows, *table, Layout::predictions, said}, found);
  return found;
}

}  // namespace

TEST_SUITE_BEGIN("inspection");

TEST_CASE("predictions of honest ensembles are not doubted") {
  Random random(31);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const Ids ids = random_ids(random, random.integer(2, 60), random.integer(2, 80),
                               random.integer(2, 12), random.uniform(0.0, 0.98));
    CHECK(doubts(ids).empty());
  }
}

TEST_CASE("teachers that are there twice are likely wrong, however many a person says") {
  Random random(32);
  for (int round = 0; round < 50; ++round) {
    CAPTURE(round);
    Ids ids = random_ids(random, random.integer(6, 40), 120, 10, 0.5);
    copy_teacher(ids, 0, random.integer(1, ids.teachers - 1));
    const auto found = doubts(ids, ids.teachers);
    REQUIRE(found.size() == 1);
    CHECK(found[0].notice.code == "identical_teachers");
    CHECK(found[0].weight == Weight::likely);
  }
}

TEST_CASE("teachers that are all alike are likely one, unless there are few votes") {
  Random random(39);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    Ids ids = random_ids(random, random.integer(3, 60), 900, 10, 0.5);
    const bool is_filled = random.integer(0, 1) == 0;
    if (!is_filled) std::fill(ids.values.begin(), ids.values.end(), 0);
    for (std::int64_t teacher = 1; teacher < ids.teachers; ++teacher) {
      copy_teacher(ids, 0, teacher);
    }
    const auto found = doubts(ids, ids.teachers);
    REQUIRE(found.size() == 1);
    CHECK(found[0].notice.code == "identical_teachers");
    CHECK(found[0].weight == ((ids.teachers - 1) * 900 > 2297 ? Weight::likely : Weight::doubtful));
    CHECK((found[0].notice.message.find("not filled") == std::string::npos) == is_filled);
  }
  Ids few = random_ids(random, 3, 40, 10, 0.5);
  copy_teacher(few, 0, 1);
  copy_teacher(few, 0, 2);
  CHECK(doubts(few).empty());
}

TEST_CASE(
    "many teachers whose votes were not filled are told where a person says how many there are") {
  Random random(40);
  for (const std::int64_t missing : {4, 20, 39, 59}) {
    CAPTURE(missing);
    Ids ids = random_ids(random, 60, 200, 10, 0.6);
    for (std::int64_t teacher = 60 - missing; teacher < 60; ++teacher) {
      for (std::int64_t query = 0; query < 200; ++query) ids.at(teacher, query) = 0;
    }
    // As a table that looks turned, which a person says it is not.
    const auto found =
        doubts(ids, 60,
               {{{"looks_transposed", ""}, Weight::doubtful, pate::VotesDoubt::looks_transposed}});
    CHECK(std::any_of(found.begin(), found.end(), [](const auto& doubt) {
      return doubt.notice.code == "constant_teachers" && doubt.weight == Weight::likely;
    }));
  }
}

TEST_CASE("teachers that agree by chance, or always say one class, are no copies") {
  Random random(33);
  Ids few = random_ids(random, 20, 5, 2, 0.9);
  copy_teacher(few, 0, 1);
  CHECK(doubts(few).empty());
  Ids constant = random_ids(random, 20, 120, 10, 0.5);
  for (std::int64_t query = 0; query < 120; ++query) constant.at(3, query) = 7;
  copy_teacher(constant, 3, 4);
  const auto found = doubts(constant);
  REQUIRE(found.size() == 1);
  CHECK(found[0].notice.code == "constant_teachers");
  CHECK(found[0].weight == Weight::doubtful);
}

TEST_CASE("teachers whose votes were not filled in an array of zeros are likely wrong") {
  Random random(36);
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    Ids ids = random_ids(random, random.integer(12, 60), 200, random.integer(3, 12), 0.6);
    const std::int64_t missing = random.integer(1, 3);
    const std::int64_t from = missing == 1 ? ids.teachers - 1 : random.integer(0, 8);
    const std::int64_t id = random.integer(0, 1);
    for (std::int64_t i = 0; i < missing; ++i) {
      for (std::int64_t query = 0; query < 200; ++query) ids.at(from + i, query) = id;
    }
    const auto found = doubts(ids, ids.teachers);
    REQUIRE(found.size() == 1);
    CHECK(found[0].notice.code == "constant_teachers");
    CHECK(found[0].weight == (id == 0 ? Weight::likely : Weight::doubtful));
  }
}

TEST_CASE("a teacher that says what nearly all say is no doubt") {
  Random random(37);
  Ids ids = random_ids(random, 20, 100, 3, 0.5);
  for (std::int64_t query = 0; query < 100; ++query) {
    for (std::int64_t teacher = 0; teacher < 20; ++teacher) {
      ids.at(teacher, query) = teacher == 5 || random.uniform(0.0, 1.0) < 0.99 ? 0 : 1;
    }
  }
  CHECK(doubts(ids).empty());
}

TEST_CASE("the plurality among the teachers is told, at an end of the file likely wrong") {
  Random random(34);
  for (const std::int64_t place : {0, 7, 19}) {
    CAPTURE(place);
    Ids ids = random_ids(random, 20, 200, 5, 0.4);
    for (std::int64_t query = 0; query < 200; ++query) {
      Values times(5);
      for (std::int64_t teacher = 0; teacher < 20; ++teacher) {
        if (teacher != place) ++times[static_cast<std::size_t>(ids.at(teacher, query))];
      }
      ids.at(place, query) = std::ranges::max_element(times) - times.begin();
    }
    const auto found = doubts(ids);
    REQUIRE(found.size() == 1);
    CHECK(found[0].notice.code == "plurality_column");
    CHECK(found[0].weight == (place == 7 ? Weight::doubtful : Weight::likely));
    CHECK(doubts(ids, 20)[0].weight == Weight::doubtful);
  }
}
