#include "pate/studies/multilabel/label_ballots.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "pate/base/error.hpp"
#include "support/label_ballots.hpp"
#include "support/npy_writer.hpp"

using namespace pate;
using pate::test::integer_table;

namespace {

constexpr auto kByTeacher = PredictionLayout::teachers_by_queries;
constexpr auto kByQuery = PredictionLayout::queries_by_teachers;

// Two teachers, three queries, two labels.
const std::vector<std::int64_t> kMarks{1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1};

std::vector<std::int32_t> read(const VoteSource& votes) {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(votes.queries() * votes.classes()));
  votes.read(0, votes.queries(), counts);
  return counts;
}

}  // namespace

TEST_SUITE("multilabel") {
  TEST_CASE("ballots by teacher and by query are the same") {
    const LabelBallots ballots(*integer_table({2, 3, 2}, kMarks), kByTeacher, RowSelection::all(3));
    CHECK(ballots.teachers() == 2);
    CHECK(ballots.queries() == 3);
    CHECK(ballots.labels() == 2);
    const LabelBallots other(*integer_table({3, 2, 2}, {1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1}),
                             kByQuery, RowSelection::all(3));
    for (std::int64_t query = 0; query < 3; ++query) {
      for (std::int64_t teacher = 0; teacher < 2; ++teacher) {
        const auto a = ballots.ballot(query, teacher);
        const auto b = other.ballot(query, teacher);
        CHECK(std::vector(a.begin(), a.end()) == std::vector(b.begin(), b.end()));
      }
    }
    const LabelBallots some(*integer_table({2, 3, 2}, kMarks), kByTeacher,
                            RowSelection::range(2, 3));
    CHECK(some.queries() == 1);
    CHECK(some.ballot(0, 0)[0] == 1);
    CHECK(some.ballot(0, 1)[0] == 0);
  }

  TEST_CASE("labels and sets as votes") {
    const auto ballots = std::make_shared<const LabelBallots>(*integer_table({2, 3, 2}, kMarks),
                                                              kByTeacher, RowSelection::all(3));
    const auto labels = votes_of(ballots, BallotClasses::labels);
    CHECK(labels->queries() == 6);
    CHECK(read(*labels) == std::vector<std::int32_t>{1, 1, 2, 0, 1, 1, 0, 2, 1, 1, 0, 2});
    const auto sets = votes_of(ballots, BallotClasses::sets);
    CHECK(sets->classes() == 4);
    CHECK(read(*sets) == std::vector<std::int32_t>{1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1});
    const auto counts = std::make_shared<const LabelCounts>(*ballots);
    CHECK(read(*votes_of(counts)) == read(*labels));
    const LabelCounts of_file(*integer_table({3, 2}, {1, 0, 1, 2, 1, 2}), 2, RowSelection::all(3));
    CHECK(std::ranges::equal(of_file.positives(), counts->positives()));
  }

  TEST_CASE("what is no ballot is refused") {
    const auto read_them = [](std::initializer_list<std::int64_t> shape,
                              const std::vector<std::int64_t>& marks) {
      (void)LabelBallots(*integer_table(shape, marks), kByTeacher, RowSelection::all(1));
    };
    CHECK_THROWS_WITH_AS(read_them({1, 1, 2}, {0, 2}),
                         "test.npy: row 0, column 0, label 1: expected 0 or 1, found 2",
                         input_error);
    CHECK_THROWS_AS(read_them({1, 2}, {0, 1}), input_error);
    CHECK_THROWS_AS(read_them({0, 1, 2}, {}), input_error);
    CHECK_THROWS_AS(read_them({1, 0, 2}, {}), input_error);
    const auto count_them = [](const std::vector<std::int64_t>& counts, std::int64_t teachers) {
      (void)LabelCounts(*integer_table({1, 2}, counts), teachers, RowSelection::all(1));
    };
    CHECK_THROWS_AS(count_them({0, 3}, 2), input_error);
    CHECK_THROWS_AS(count_them({0, -1}, 2), input_error);
    CHECK_THROWS_AS(count_them({0, 1}, 0), parameter_error);
    CHECK_NOTHROW(count_them({0, 2}, 2));
  }

  TEST_CASE("sets of 20 labels are classes, of 21 they are refused") {
    const auto many = [](std::int64_t labels) { return pate_test::ballots_of({{1, 2}}, labels); };
    CHECK(votes_of(many(20), BallotClasses::sets)->classes() == 1 << 20);
    CHECK_THROWS_AS((void)votes_of(many(21), BallotClasses::sets), parameter_error);
    CHECK(votes_of(many(21), BallotClasses::labels)->queries() == 21);
  }
}
