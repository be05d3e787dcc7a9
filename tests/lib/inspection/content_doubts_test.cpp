#include "pate/inspection/content_doubts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pate/inspection/inspection.hpp"
#include "pate/votes/tables/delimited_table.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"

using namespace pate;
using pate::test::integer_table;
using pate_test::Random;
using Values = std::vector<std::int64_t>;

namespace {

// Class ids, teachers x queries, of teachers that are right with some probability, and the counts.
struct Ensemble {
  std::int64_t teachers, queries, classes;
  std::vector<Values> ids;

  Ensemble(Random& random, std::int64_t t, std::int64_t q, std::int64_t k, double accuracy)
      : teachers(t), queries(q), classes(k), ids(static_cast<std::size_t>(t), Values()) {
    for (std::int64_t query = 0; query < q; ++query) {
      const std::int64_t right = random.integer(0, k - 1);
      for (Values& line : ids) {
        line.push_back(random.uniform(0, 1) < accuracy ? right : random.integer(0, k - 1));
      }
    }
  }
  [[nodiscard]] std::vector<Values> counts() const {
    std::vector<Values> rows(static_cast<std::size_t>(queries),
                             Values(static_cast<std::size_t>(classes)));
    for (const Values& line : ids) {
      for (std::size_t i = 0; i < line.size(); ++i) ++rows[i][static_cast<std::size_t>(line[i])];
    }
    return rows;
  }
};

std::shared_ptr<const NumericTable> table_of(const std::vector<Values>& lines) {
  Values flat;
  for (const Values& line : lines) flat.insert(flat.end(), line.begin(), line.end());
  return integer_table({std::ssize(lines), std::ssize(lines.front())}, flat);
}

std::vector<ContentDoubt> of_counts(const std::shared_ptr<const NumericTable>& table,
                                    std::optional<std::int64_t> said = {}) {
  const CountVotes votes(table);
  return content_doubts({votes, RowSelection::all(votes.queries()), *table, Layout::counts, said});
}

std::vector<ContentDoubt> of_ids(const std::vector<Values>& lines, std::int64_t classes,
                                 std::optional<std::int64_t> said = {},
                                 std::optional<Abstentions> abstentions = {}) {
  const auto table = table_of(lines);
  const PredictionVotes votes(table, PredictionLayout::teachers_by_queries, classes, abstentions);
  return content_doubts(
      {votes, RowSelection::all(votes.queries()), *table, Layout::predictions, said});
}

// The weight with which a code is told; none where it is not.
std::optional<Weight> weight_of(const std::vector<ContentDoubt>& doubts, std::string_view code) {
  for (const ContentDoubt& doubt : doubts) {
    if (doubt.notice.code == code) return doubt.weight;
  }
  return {};
}

}  // namespace

TEST_SUITE_BEGIN("inspection");

TEST_CASE("rules: honest ensembles are not doubted") {
  Random random(31);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const Ensemble e(random, random.integer(2, 60), random.integer(2, 80), random.integer(2, 12),
                     random.uniform(0.0, 0.98));
    CHECK(of_ids(e.ids, e.classes).empty());
    for (const ContentDoubt& doubt : of_counts(table_of(e.counts()))) {
      CAPTURE(doubt.notice.message);
      CHECK(doubt.weight == Weight::doubtful);
    }
  }
}

TEST_CASE("rules of counts: each kind is told, with its weight, until a person settles it") {
  struct Kind {
    const char* code;
    Weight weight;
    std::optional<Weight> said;  // none: no longer told
    std::function<void(Values&, Random&)> change;
  };
  const auto insert = [](std::int64_t value) {
    return [value](Values& row, Random&) { row.push_back(value); };
  };
  const std::vector<Kind> kinds{
      {"totals_column", Weight::certain, Weight::doubtful, insert(40)},
      {"scaled_votes",
       Weight::doubtful,
       {},
       [](Values& row, Random&) {
         for (std::int64_t& count : row) count *= 5;
       }},
      {"sorted_rows", Weight::likely, Weight::likely,
       [](Values& row, Random&) { std::ranges::sort(row, std::greater<>()); }},
      {"sorted_rows", Weight::likely, Weight::likely,
       [](Values& row, Random&) { std::ranges::sort(row); }},
      {"several_votes",
       Weight::doubtful,
       {},
       [](Values& row, Random& random) {
         const std::int64_t top = random.integer(17, 20);
         row = {top, 9, 40 - 9 - 4 - 1 - top, 4, 1};
         std::ranges::rotate(row, row.begin() + random.integer(0, 4));
       }},
      {"one_class", Weight::certain, Weight::certain, [](Values& row, Random&) { row = {40}; }},
  };
  Random random(2);
  for (const Kind& kind : kinds) {
    for (int round = 0; round < 20; ++round) {
      CAPTURE(kind.code);
      CAPTURE(round);
      std::vector<Values> rows =
          Ensemble(random, 40, random.integer(20, 60), random.integer(4, 9), 0.5).counts();
      for (Values& row : rows) kind.change(row, random);
      const auto table = table_of(rows);
      CHECK(weight_of(of_counts(table), kind.code) == kind.weight);
      CHECK(weight_of(of_counts(table, CountVotes(table).teachers()), kind.code) == kind.said);
    }
  }
  const auto bytes =
      pate::test::npy_table(pate::test::npy_array<std::uint8_t>({2, 3}, {4, 200, 51, 200, 4, 51}));
  CHECK(weight_of(of_counts(bytes), "byte_counts"));
  CHECK(weight_of(of_counts(integer_table({1, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2})),
                  "looks_like_predictions"));
}

TEST_CASE("sorted rows: queries of one class, and votes of a class that always wins, are none") {
  Random random(5);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    std::vector<Values> rows;
    for (int query = 0; query < 60; ++query) {
      Values row(3);
      for (int teacher = 0; teacher < 200; ++teacher) {
        const double u = random.uniform(0, 1);
        ++row[u < 0.85 ? 0 : u < 0.97 ? 1 : 2];
      }
      rows.push_back(row);
    }
    CHECK_FALSE(weight_of(of_counts(table_of(rows)), "sorted_rows"));
  }
}

TEST_CASE("rules of predictions: each kind is told, with its weight") {
  struct Kind {
    const char* code;
    Weight weight;
    std::function<void(Ensemble&, Random&)> change;
  };
  const std::vector<Kind> kinds{
      {"identical_teachers", Weight::likely,
       [](Ensemble& e, Random& random) {
         e.ids[0] = e.ids[static_cast<std::size_t>(random.integer(1, 19))];
       }},
      {"identical_teachers", Weight::likely,
       [](Ensemble& e, Random&) { e.ids.assign(20, e.ids.front()); }},
      {"constant_teachers", Weight::likely,
       [](Ensemble& e, Random&) {
         for (const std::size_t i : {4U, 5U}) std::ranges::fill(e.ids[i], 0);
       }},
      {"constant_teachers", Weight::doubtful,
       [](Ensemble& e, Random&) { std::ranges::fill(e.ids[3], 1); }},
      {"silent_teachers", Weight::likely,
       [](Ensemble& e, Random& random) {
         std::ranges::fill(e.ids[static_cast<std::size_t>(random.integer(0, 19))], -1);
       }},
      {"plus_minus_one", Weight::certain,
       [](Ensemble& e, Random&) {
         for (Values& line : e.ids) {
           for (std::int64_t& id : line) id = id < 2 ? -1 : 1;
         }
       }},
      {"plurality_column", Weight::likely,
       [](Ensemble& e, Random&) {
         const auto counts = e.counts();
         for (std::size_t i = 0; i < counts.size(); ++i) {
           auto without = counts[i];
           --without[static_cast<std::size_t>(e.ids[0][i])];
           e.ids[0][i] = std::ranges::max_element(without) - without.begin();
         }
       }},
      {"looks_transposed", Weight::likely,
       [](Ensemble& e, Random&) {
         std::vector<Values> turned(static_cast<std::size_t>(e.queries));
         for (const Values& line : e.ids) {
           for (std::size_t i = 0; i < line.size(); ++i) turned[i].push_back(line[i]);
         }
         e.ids = turned;
       }},
      {"looks_like_counts", Weight::certain, [](Ensemble& e, Random&) { e.ids = e.counts(); }},
  };
  Random random(32);
  for (const Kind& kind : kinds) {
    for (int round = 0; round < 10; ++round) {
      CAPTURE(kind.code);
      CAPTURE(round);
      Ensemble e(random, 20, 150, random.integer(4, 10), 0.4);
      kind.change(e, random);
      const bool has_none = std::ranges::min(e.ids[0]) < 0 || kind.code[0] == 's';
      CHECK(weight_of(of_ids(e.ids, 21, {},
                             has_none ? std::optional(Abstentions::as_class) : std::nullopt),
                      kind.code) == kind.weight);
    }
  }
}

TEST_CASE("another number of teachers than is said, and the likely reason") {
  const auto why = [](const std::shared_ptr<const NumericTable>& table, std::int64_t said) {
    const CountVotes votes(table);
    const RowSelection none = RowSelection::all(0);
    return why_other_teachers({votes, none, *table, Layout::counts, said}, said);
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(
      has(why(integer_table({2, 3}, {4, 1, 5, 2, 3, 5}), 5), "column 2 is the sum of all others"));
  CHECK(
      has(why(pate::test::npy_table(pate::test::npy_array<std::uint8_t>({2, 2}, {4, 200, 200, 4})),
              460),
          "wrapped"));
  CHECK(has(why(integer_table({4, 3}, {4, 2, 6, 8, 2, 2, 4, 2, 6, 8, 2, 2}), 6), "multiples of 2"));
  CHECK(has(why(integer_table({2, 3}, {4, 3, 2, 1, 2, 6}), 12), "abstained"));
  CHECK(why(integer_table({2, 3}, {4, 3, 2, 1, 2, 6}), 7).empty());
  const auto named = std::make_shared<const io::DelimitedTable>(
      "v.csv", "a,b,y_true\n0,1,1\n1,1,1\n", io::Separator::comma);
  const PredictionVotes by_query(named, PredictionLayout::queries_by_teachers, 2);
  const RowSelection none = RowSelection::all(0);
  CHECK(has(why_other_teachers({by_query, none, *named, Layout::predictions_by_query, 2}, 2),
            "column 2 (\"y_true\") is of labels"));
}

TEST_CASE("what inspect notices beside the rules: few queries, classes without votes, ties") {
  const auto notices = [](std::initializer_list<std::int64_t> shape, const Values& values) {
    const CountVotes votes(integer_table(shape, values));
    return inspect(votes, RowSelection::all(votes.queries()), {}, nullptr, 1).notices;
  };
  CHECK(notices({3, 2}, {3, 1, 0, 4, 1, 3}).empty());
  CHECK(notices({0, 2}, {}).front().code == "no_queries");
  CHECK(notices({1, 2}, {3, 1}).front().code == "one_query");
  const auto found = notices({2, 9}, {0, 5, 0, 0, 0, 0, 0, 0, 5, 0, 9, 0, 0, 0, 0, 0, 0, 1});
  REQUIRE(found.size() == 2);
  CHECK(found[0].message == "nobody votes for 7 of the 9 classes: 0, 2, 3, 4, 5, ...");
  CHECK(found[1].message ==
        "1 query is tied at the top: the lowest of the tied classes is taken as the plurality");
}

TEST_SUITE_END();
