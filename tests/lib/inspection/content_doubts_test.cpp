#include "pate/inspection/content_doubts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pate/inspection/headings.hpp"
#include "pate/inspection/label_rows.hpp"
#include "pate/inspection/orientation.hpp"
#include "pate/inspection/teachers_mismatch.hpp"
#include "pate/votes/tables/delimited_table.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"

using pate::ContentDoubt;
using pate::CountVotes;
using pate::Layout;
using pate::PredictionLayout;
using pate::PredictionVotes;
using pate::RowSelection;
using pate::VotesDoubt;
using pate::Weight;
using pate::test::integer_table;
using pate::test::npy_array;
using pate::test::npy_table;
using pate_test::Random;
using Values = std::vector<std::int64_t>;

namespace {

std::vector<ContentDoubt> doubts(const std::shared_ptr<const pate::NumericTable>& table,
                                 std::optional<std::int64_t> teachers = {}) {
  const CountVotes votes(table);
  const RowSelection rows = RowSelection::all(votes.queries());
  return pate::content_doubts({votes, rows, *table, Layout::counts, teachers});
}

std::vector<std::string> codes(const std::vector<ContentDoubt>& found) {
  std::vector<std::string> result;
  for (const ContentDoubt& doubt : found) result.push_back(doubt.notice.code);
  return result;
}

// Counts of teachers of whom each votes for class 0 with some probability that differs by query.
Values random_counts(Random& random, std::int64_t queries, std::int64_t classes,
                     std::int64_t teachers) {
  Values values;
  for (std::int64_t query = 0; query < queries; ++query) {
    Values row(static_cast<std::size_t>(classes), 0);
    const double best = random.uniform(0.3, 0.95);
    for (std::int64_t t = 0; t < teachers; ++t) {
      const bool votes_best = random.uniform(0, 1) < best;
      ++row[static_cast<std::size_t>(votes_best ? query % classes
                                                : random.integer(0, classes - 1))];
    }
    values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

}  // namespace

TEST_SUITE("inspection") {
  TEST_CASE("a class that is the sum of all others is certain where chance cannot be it") {
    Random random(1);
    const std::int64_t queries = 12;
    const std::int64_t classes = 4;
    const Values counts = random_counts(random, queries, classes, 61);
    Values with_total;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      with_total.push_back(counts[i]);
      if ((i + 1) % 4 == 0) with_total.push_back(61);
    }
    const auto found = doubts(integer_table({queries, classes + 1}, with_total));
    REQUIRE(codes(found) == std::vector<std::string>{"totals_column"});
    CHECK(found.front().weight == Weight::certain);
    CHECK(found.front().kind == VotesDoubt::totals_column);
    CHECK(found.front().notice.message.find("61 teachers and not 122") != std::string::npos);
    // Who says that there are 122 is believed, and told.
    CHECK(doubts(integer_table({queries, classes + 1}, with_total), 122).front().weight ==
          Weight::doubtful);
    // One row that is otherwise, the last one, is enough.
    with_total[with_total.size() - 1] = 60;
    with_total[with_total.size() - 2] += 1;
    for (const std::string& code :
         codes(doubts(integer_table({queries, classes + 1}, with_total)))) {
      CHECK(code != "totals_column");
    }
    // Two rows may be chance, and two classes can be nothing else.
    CHECK(doubts(integer_table({2, 3}, {2, 1, 1, 2, 0, 2})).empty());
    CHECK(doubts(integer_table({5, 2}, {5, 5, 5, 5, 5, 5, 5, 5, 5, 5})).empty());
  }

  TEST_CASE("scaled counts, several votes a teacher and bytes are doubted until M is said") {
    Random random(2);
    Values counts = random_counts(random, 20, 5, 30);
    CHECK(doubts(integer_table({20, 5}, counts)).empty());
    for (std::int64_t& count : counts) count *= 5;
    CHECK(codes(doubts(integer_table({20, 5}, counts))) ==
          std::vector<std::string>{"scaled_votes"});
    CHECK(doubts(integer_table({20, 5}, counts), 150).empty());
    // Teachers that all agree are multiples of their number, and no scaling.
    CHECK(doubts(integer_table({5, 3}, {9, 0, 0, 0, 9, 0, 0, 0, 9, 9, 0, 0, 0, 9, 0})).empty());
    Values two;
    for (int query = 0; query < 20; ++query) {
      const std::int64_t top = random.integer(24, 30);
      two.insert(two.end(), {top, 60 - top - 21, 9, 7, 5});
    }
    CHECK(codes(doubts(integer_table({20, 5}, two))) == std::vector<std::string>{"several_votes"});
    const auto bytes = npy_table(npy_array<std::uint8_t>({2, 3}, {4, 200, 51, 200, 4, 51}));
    CHECK(codes(doubts(bytes)) == std::vector<std::string>{"byte_counts"});
    CHECK(doubts(bytes, 255).empty());
  }

  TEST_CASE("orientation: agreement is compared, not the number of rows with that of columns") {
    Random random(3);
    for (int turn = 0; turn < 20; ++turn) {
      const std::int64_t teachers = random.integer(20, 120);
      const std::int64_t queries = turn % 2 == 0 ? teachers : random.integer(20, 120);
      Values ids;  // queries x teachers
      for (std::int64_t query = 0; query < queries; ++query) {
        const std::int64_t label = random.integer(0, 4);
        for (std::int64_t t = 0; t < teachers; ++t) {
          ids.push_back(random.uniform(0, 1) < 0.8 ? label : random.integer(0, 4));
        }
      }
      const auto table = integer_table({queries, teachers}, ids);
      const auto found = [&](PredictionLayout layout, std::optional<std::int64_t> said) {
        const PredictionVotes votes(table, layout, 5);
        const RowSelection rows = RowSelection::all(votes.queries());
        return pate::content_doubts({votes, rows, *table,
                                     layout == PredictionLayout::queries_by_teachers
                                         ? Layout::predictions_by_query
                                         : Layout::predictions,
                                     said});
      };
      CHECK(found(PredictionLayout::queries_by_teachers, {}).empty());
      const auto wrong = found(PredictionLayout::teachers_by_queries, {});
      REQUIRE(codes(wrong) == std::vector<std::string>{"looks_transposed"});
      CHECK(wrong.front().weight == Weight::likely);
      // A number of teachers settles it where it says which axis they are along.
      const auto said = found(PredictionLayout::teachers_by_queries, queries);
      CHECK(said.front().weight == (queries == teachers ? Weight::likely : Weight::doubtful));
    }
    CHECK_FALSE(pate::agreement_of(*integer_table({4, 9}, Values(36, 1))).has_value());
    CHECK_FALSE(pate::agrees_more(0.54, 0.001, 0.5, 0.001));
    CHECK_FALSE(pate::agrees_more(0.6, 0.02, 0.5, 0.02));
    CHECK(pate::agrees_more(0.6, 0.01, 0.5, 0.01));
  }

  TEST_CASE("headings of labels, indices and totals, however they are written") {
    for (const char* name : {"label", "True Label", "Y_TRUE", "ground-truth", " target "}) {
      CHECK(pate::heads_labels(name));
    }
    for (const char* name : {"id", "Image.ID", "Unnamed: 0", "filename"}) {
      CHECK(pate::heads_index(name));
    }
    for (const char* name : {"total", "All", "row sum"}) CHECK(pate::heads_totals(name));
    for (const char* name : {"t0", "teacher_label", "", "_", "0", "resnet18"}) {
      CHECK_FALSE(pate::heads_labels(name));
      CHECK_FALSE(pate::heads_index(name));
      CHECK_FALSE(pate::heads_totals(name));
    }
  }

  TEST_CASE("labels that are given for row numbers") {
    const auto table = integer_table({8, 3}, Values(24, 1));
    const CountVotes votes(table);
    const auto what = [&](const Values& rows) {
      return pate::what_rows_look_like(rows, *integer_table({std::ssize(rows)}, rows), votes);
    };
    CHECK(what({0, 1, 2, 0, 1, 2, 0, 1}) == "labels");
    CHECK(what({0, 1, 2, 0, 1, 2}) == "labels");
    CHECK(what({0, 1, 0, 1, 1, 1, 0, 1}) == "labels of two classes, or a mask of the rows");
    CHECK(what({0, -1, 2, 0, 1}) == "released labels, with -1 for refused");
    CHECK(what({0, 1, 2, 3, 4, 5, 6, 7}).empty());
    CHECK(what({0, 1, 2}).empty());
    CHECK(what({2, 0, 1, 2}).empty());
    CHECK(what({0, 0, 0, 3}).empty());
    const auto mask =
        npy_table(pate::test::npy_file(pate::test::npy_dict("|b1", {2}), std::string("\1\0", 2)));
    CHECK(pate::what_rows_look_like(Values{1, 0}, *mask, votes) == "a mask of the rows");
  }

  TEST_CASE("another number of teachers than is said, and the likely reason") {
    const auto why = [](const std::shared_ptr<const pate::NumericTable>& table, std::int64_t said) {
      return pate::why_other_teachers(CountVotes(table), *table, Layout::counts, said);
    };
    const auto has = [](const std::string& text, const char* part) {
      return text.find(part) != std::string::npos;
    };
    CHECK(has(why(integer_table({2, 3}, {4, 1, 5, 2, 3, 5}), 5),
              "column 2 is the sum of all others"));
    CHECK(has(why(integer_table({2, 3}, {4, 1, 2, 2, 3, 2}), 5), "column 2 is 2 in every row"));
    CHECK(has(why(npy_table(npy_array<std::uint8_t>({2, 2}, {4, 200, 200, 4})), 460), "wrapped"));
    CHECK(has(why(integer_table({2, 3}, {4, 2, 6, 8, 2, 2}), 6), "multiples of 2"));
    CHECK(has(why(integer_table({2, 3}, {4, 3, 3, 5, 4, 1}), 5), "2 votes a teacher fit"));
    CHECK(has(why(integer_table({2, 3}, {4, 3, 2, 1, 2, 6}), 12), "abstained"));
    CHECK(why(integer_table({2, 3}, {4, 3, 2, 1, 2, 6}), 7).empty());
    const auto ids = integer_table({4, 6}, Values(24, 0));
    const PredictionVotes votes(ids, PredictionLayout::teachers_by_queries, 2);
    CHECK(has(pate::why_other_teachers(votes, *ids, Layout::predictions, 6),
              "--layout predictions-by-query"));
    CHECK(has(pate::why_other_teachers(votes, *ids, Layout::predictions, 3), "one row of labels"));
    CHECK(pate::why_other_teachers(votes, *ids, Layout::predictions, 9).empty());
    const auto named = std::make_shared<const pate::io::DelimitedTable>(
        "v.csv", "a,b,y_true\n0,1,1\n1,1,1\n", pate::io::Separator::comma);
    const PredictionVotes by_query(named, PredictionLayout::queries_by_teachers, 2);
    CHECK(has(pate::why_other_teachers(by_query, *named, Layout::predictions_by_query, 4),
              "column 2 (\"y_true\") is of labels"));
  }
}
