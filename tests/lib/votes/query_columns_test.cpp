#include "pate/votes/query_columns.hpp"

#include <doctest/doctest.h>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>
#include "pate/base/error.hpp"
#include "pate/votes/tables/delimited_table.hpp"
#include "support/npy_writer.hpp"
#include "support/paths.hpp"
#include "support/temp_directory.hpp"

using pate::input_error;
using pate::StudentScores;
using pate::test::integer_table;
using pate::test::message_of;
using pate::test::npy_array;
using pate::test::npy_table;

namespace {

using Values = std::vector<std::int64_t>;
using Answered = std::vector<std::uint8_t>;

using pate::DecisionsAre;
using pate::RowSelection;
using pate::RowsOf;

pate::VotesShape beside(std::int64_t rows, const RowSelection& queries) {
  return {rows, 10, queries};
}

std::vector<std::int32_t> labels_of(const pate::NumericTable& table, std::int64_t rows) {
  const RowSelection all = RowSelection::all(rows);
  return pate::read_labels(table, beside(rows, all));
}

Answered decisions(const Values& values, std::optional<DecisionsAre> are = {}) {
  const auto rows = static_cast<std::int64_t>(values.size());
  const RowSelection all = RowSelection::all(rows);
  return pate::read_decisions(*integer_table({rows}, values), beside(rows, all), are).answered;
}

std::string decisions_refusal(const Values& values, std::optional<DecisionsAre> are = {}) {
  return message_of<input_error>([&] { static_cast<void>(decisions(values, are)); });
}

std::string labels_refusal(std::initializer_list<std::int64_t> shape, const Values& values,
                           std::int64_t rows) {
  return message_of<input_error>(
      [&] { static_cast<void>(labels_of(*integer_table(shape, values), rows)); });
}

std::shared_ptr<const pate::NumericTable> csv(const std::string& text) {
  return std::make_shared<pate::io::DelimitedTable>("test.csv", text, pate::io::Separator::comma);
}

}  // namespace

TEST_SUITE_BEGIN("votes");

TEST_CASE("labels are class ids, in a column of either kind and any type") {
  const std::vector<std::int32_t> expected{0, 9, 3};
  CHECK(labels_of(*integer_table({3}, {0, 9, 3}), 3) == expected);
  CHECK(labels_of(*integer_table({3, 1}, {0, 9, 3}), 3) == expected);
  CHECK(labels_of(*npy_table(npy_array<double>({3}, {0, 9, 3})), 3) == expected);
  CHECK(labels_of(*integer_table({0}, {}), 0).empty());
}

TEST_CASE("other labels are refused with row and value") {
  CHECK(labels_refusal({3}, {0, 10, 3}, 3) ==
        "test.npy: row 1: expected a class id in 0..9, found 10; ids count from "
        "0: subtract 1 where these count from 1");
  CHECK(labels_refusal({3}, {0, -1, -2}, 3) ==
        "test.npy: row 1: expected a class id in 0..9, found -1");
  CHECK(message_of<input_error>([] {
          static_cast<void>(labels_of(*npy_table(npy_array<double>({2}, {1, 0.5})), 2));
        }) == "test.npy: row 1, column 0: expected an integer in the range of int64, found 0.5");
}

TEST_CASE("there is one row per row of the votes") {
  CHECK(labels_refusal({3}, {0, 1, 2}, 4) ==
        "test.npy: expected 4 rows, one per row of the votes, found 3");
  CHECK(labels_refusal({1, 3}, {0, 1, 2}, 3) ==
        "test.npy: expected one row per query and one column, found shape (1, 3)");
  CHECK(labels_refusal({3, 2}, {0, 1, 2, 3, 4, 5}, 3) ==
        "test.npy: expected one row per query and one column, found shape (3, 2); if the first "
        "column "
        "says which rows these are, they are numbered under \"row\", from 0 on; if they lie in the "
        "order of the votes, what leaves it out: python3 -c 'import numpy as n; "
        "n.save(\"test-read.npy\", n.delete(n.load(\"test.npy\"), 0, 1))'");
  CHECK(labels_refusal({3, 0}, {}, 3) ==
        "test.npy: expected one row per query and one column, found shape (3, 0)");
  CHECK(message_of<input_error>([] {
          const RowSelection all = RowSelection::all(3);
          static_cast<void>(pate::read_decisions(*integer_table({2}, {0, -1}), beside(3, all)));
        }) == "test.npy: expected 3 rows, one per row of the votes, found 2");
  CHECK(message_of<input_error>([] {
          const RowSelection all = RowSelection::all(2);
          static_cast<void>(pate::read_decisions(*integer_table({1, 2}, {0, 1}), beside(2, all)));
        }).starts_with("test.npy: expected one row per query"));
  CHECK(message_of<input_error>([] {
          static_cast<void>(pate::read_indices(*integer_table({1, 2}, {0, 1})));
        }).starts_with("test.npy: expected one row per query"));
}

TEST_CASE("bool are decisions") {
  std::string file = npy_array<std::uint8_t>({3, 1}, {0, 1, 0});
  file.replace(file.find("u1"), 2, "b1");
  const RowSelection all = RowSelection::all(3);
  CHECK(pate::read_decisions(*npy_table(file), beside(3, all)).answered == Answered{0, 1, 0});
  CHECK(decisions({}) == Answered{});
}

TEST_CASE("zeros and ones that are not bool are decisions or labels as the user says") {
  for (const Values& values : {Values{0, 1, 1, 0}, Values{0, 0, 0, 0}, Values{1, 1, 1, 1}}) {
    const std::string message = decisions_refusal(values);
    CHECK(message.starts_with("test.npy: expected bool, or released labels"));
    CHECK(message.find("\1decisions-are answered") != std::string::npos);
    CHECK(message.find("\1decisions-are labels") != std::string::npos);
    CHECK(decisions(values, DecisionsAre::answered) == Answered(values.begin(), values.end()));
    CHECK(decisions(values, DecisionsAre::labels) == Answered{1, 1, 1, 1});
  }
}

TEST_CASE("where -1 occurs, or a label above 1, labels were released") {
  CHECK(decisions({-1, 0, 1, 7}) == Answered{0, 1, 1, 1});
  CHECK(decisions({0, 1, -1}) == Answered{1, 1, 0});
  CHECK(decisions({-1, -1}) == Answered{0, 0});
  CHECK(decisions({0, 1, 2}) == Answered{1, 1, 1});
  CHECK(decisions({0, 1, -1}, DecisionsAre::labels) == Answered{1, 1, 0});
}

TEST_CASE("what is neither a decision nor a label of the votes is named") {
  CHECK(decisions_refusal({0, -1, -2}) ==
        "test.npy: row 2: expected 0 or 1, or a released label with -1 for refused, found -2");
  CHECK(decisions_refusal({0, 10, -1}) ==
        "test.npy: row 1: expected a released label in 0..9, or -1 for refused, found 10");
  CHECK(decisions_refusal({0, -2}, DecisionsAre::labels) ==
        "test.npy: row 1: expected a released label in 0..9, or -1 for refused, found -2");
  CHECK(decisions_refusal({0, 1, -1}, DecisionsAre::answered) ==
        "test.npy: row 2: expected 1 for answered or 0 for refused, found -1");
}

TEST_CASE("indices are integers, as many as there are") {
  CHECK(pate::read_indices(*integer_table({4}, {7, 0, 7, -1})) == Values{7, 0, 7, -1});
  CHECK(pate::read_indices(*integer_table({1, 1}, {7})) == Values{7});
  CHECK(pate::read_indices(*integer_table({0}, {})).empty());
}

TEST_CASE("the labels that came with the project can be read (real votes)" *
          doctest::skip(!pate::test::has_shared_votes())) {
  const std::filesystem::path votes = pate::test::shared_votes("");
  const auto labels = labels_of(*pate::test::open_npy(votes / "mnist_t10k_250_labels.npy"), 2500);
  std::vector<int> seen(10);
  for (const std::int32_t label : labels) ++seen[static_cast<std::size_t>(label)];
  CHECK(seen == std::vector<int>{261, 270, 256, 249, 269, 217, 226, 245, 249, 258});
}

TEST_CASE("decisions of the selected queries alone, as a run writes them") {
  const auto read = [](const Values& values, const RowSelection& queries,
                       std::optional<RowsOf> rows_of = {}) {
    const auto size = static_cast<std::int64_t>(values.size());
    return pate::read_decisions(*integer_table({size}, values), beside(5, queries), {}, rows_of)
        .answered;
  };
  CHECK(read({3, -1}, RowSelection::range(2, 4)) == Answered{0, 0, 1, 0, 0});
  CHECK(read({-1, 1, 1}, RowSelection::list({4, 0, 2})) == Answered{1, 0, 1, 0, 0});
  CHECK(read({-1, 7, -1}, RowSelection::list({4, 0, 4})) == Answered{1, 0, 0, 0, 0});
  // As many rows as the votes: one for each of them.
  CHECK(read({-1, -1, 1, -1, 1}, RowSelection::range(2, 4)) == Answered{0, 0, 1, 0, 1});
  CHECK(message_of<input_error>([&] {
          (void)read({1, 1, -1}, RowSelection::range(2, 4));
        }) ==
        "test.npy: expected 5 rows, one per row of the votes, or 2, one per selected query, found "
        "3");
  CHECK(message_of<input_error>([&] {
          (void)read({5, 2, -1}, RowSelection::list({4, 1, 4}));
        }) ==
        "test.npy: row 2: expected the decision of the query before on row 4 of the votes, which "
        "was answered; found refused");
}

TEST_CASE("released labels stand beside decisions, by row of the votes") {
  using Labels = std::vector<std::int32_t>;
  const auto labels = [](const Values& values, const RowSelection& queries,
                         std::optional<DecisionsAre> are = {}) {
    const auto size = static_cast<std::int64_t>(values.size());
    return pate::read_decisions(*integer_table({size}, values), beside(3, queries), are).labels;
  };
  const RowSelection all = RowSelection::all(3);
  CHECK(labels({2, -1, 0}, all) == Labels{2, -1, 0});
  CHECK(labels({1, 0, 1}, all, DecisionsAre::labels) == Labels{1, 0, 1});
  CHECK(labels({1, 0, 1}, all, DecisionsAre::answered).empty());
  CHECK(labels({5, 4}, RowSelection::list({2, 0})) == Labels{4, -1, 5});
  // A query that was asked twice may have two labels.
  CHECK(labels({5, 4}, RowSelection::list({2, 2})) == Labels{-1, -1, 4});
}

TEST_CASE("where rows of the file and selected queries fit and differ, the user says which") {
  const RowSelection queries = RowSelection::list({4, 0, 1, 2, 3});
  const auto read = [&](const Values& values, std::optional<RowsOf> rows_of = {}) {
    return pate::read_decisions(*integer_table({5}, values), beside(5, queries), {}, rows_of)
        .answered;
  };
  const Values values{7, -1, -1, 3, 3};
  CHECK(message_of<input_error>([&] { (void)read(values); }) ==
        "test.npy: there are as many rows as rows of the votes and as selected queries, but query "
        "1 is row 0 of the votes and would be answered by the one, refused by the other: say whose "
        "they are with \1decisions-rows file or \1decisions-rows selected");
  CHECK(read(values, RowsOf::file) == Answered{1, 0, 0, 1, 1});
  CHECK(read(values, RowsOf::selected) == Answered{0, 0, 1, 1, 1});
  // The readings agree.
  CHECK(read({-1, -1, -1, -1, -1}) == Answered{0, 0, 0, 0, 0});
  CHECK(read({2, 3, 4, 5, 6}) == Answered{1, 1, 1, 1, 1});

  const auto labels = [&](const Values& ids, std::optional<RowsOf> rows_of = {}) {
    return pate::read_labels(*integer_table({5}, ids), beside(5, queries), rows_of);
  };
  CHECK(message_of<input_error>([&] {
          (void)labels({7, 1, 1, 3, 3});
        }).ends_with("say whose they are with \1labels-rows file or \1labels-rows selected"));
  CHECK(labels({7, 1, 1, 3, 3}, RowsOf::file) == std::vector<std::int32_t>{7, 1, 1, 3, 3});
  CHECK(labels({7, 1, 1, 3, 3}, RowsOf::selected) == std::vector<std::int32_t>{1, 1, 3, 3, 7});
}

TEST_CASE("labels may be those of the selected queries alone") {
  const RowSelection queries = RowSelection::list({4, 0});
  const auto labels = [&](std::optional<RowsOf> rows_of = {}) {
    return pate::read_labels(*integer_table({2}, {7, 1}), beside(5, queries), rows_of);
  };
  CHECK(labels() == std::vector<std::int32_t>{1, 0, 0, 0, 7});
  CHECK(labels(RowsOf::selected) == labels());
  CHECK(message_of<input_error>([&] { (void)labels(RowsOf::file); }) ==
        "test.npy: expected 5 rows, one per row of the votes, as \1labels-rows file says, found 2");
}

TEST_CASE("a column called row says of which row of the votes each entry is") {
  const RowSelection queries = RowSelection::list({2, 0});
  const auto read = [&](const std::string& text, std::optional<RowsOf> rows_of = {}) {
    return pate::read_decisions(*csv(text), beside(3, queries), {}, rows_of).answered;
  };
  const auto refusal = [&](const std::string& text, std::optional<RowsOf> rows_of = {}) {
    return message_of<input_error>([&] { (void)read(text, rows_of); });
  };
  CHECK(read("row,label\n0,-1\n2,4\n") == Answered{0, 0, 1});
  CHECK(read("row,label\n2,4\n1,3\n0,-1\n0,-1\n") == Answered{0, 1, 1});
  CHECK(pate::read_labels(*csv("row,label\n2,4\n0,1\n"), beside(3, queries)) ==
        std::vector<std::int32_t>{1, 0, 4});
  CHECK(refusal("row,label\n0,-1\n1,4\n") ==
        "test.csv: expected the decision of row 2 of the votes, which is selected; found none");
  CHECK(
      refusal("row,label\n0,-1\n3,4\n") ==
      "test.csv: row 1, column 0: expected a row of the votes in 0..2, found 3; if these are other "
      "numbers, and lie in the order of the votes, what leaves them out: cut -d',' \1complement "
      "-f1 "
      "test.csv > test-read.csv");
  CHECK(refusal("row,label\n0,-1\n2,4\n0,4\n") ==
        "test.csv: row 2: expected the decision of the query before on row 0 of the votes, which "
        "was refused; found answered");
  CHECK(refusal("row,label\n0,-1\n2,4\n", RowsOf::file) ==
        "test.csv: the column \"row\" says whose rows these are: leave \1decisions-rows out");
  CHECK(refusal("query,label\n0,-1\n2,4\n").starts_with("test.csv: expected one row per query"));
}

namespace {

std::string refusal(std::initializer_list<std::int64_t> shape, const std::vector<double>& values,
                    std::int64_t rows, std::int64_t classes) {
  return message_of<input_error>([&] {
    const StudentScores scores(npy_table(npy_array<double>(shape, values)), rows, classes);
    std::vector<double> out(values.size());
    scores.read(0, rows, out);
  });
}

}  // namespace

TEST_CASE("scores are read as they are") {
  const std::vector<double> values{0.25, 0.75, 1, 0, 0.5, 0.50005};
  const StudentScores scores(npy_table(npy_array<double>({3, 2}, values)), 3, 2);
  CHECK(scores.name() == "test.npy");
  CHECK(scores.rows() == 3);
  CHECK(scores.classes() == 2);
  std::vector<double> out(6);
  scores.read(0, 3, out);
  CHECK(out == values);
  std::vector<double> last(2);
  scores.read(2, 1, last);
  CHECK(last == std::vector<double>{0.5, 0.50005});
}

TEST_CASE("scores may be floats and integers") {
  const StudentScores floats(npy_table(npy_array<float>({1, 3}, {0.1F, 0.2F, 0.7F})), 1, 3);
  std::vector<double> out(3);
  floats.read(0, 1, out);
  CHECK(out[0] == static_cast<double>(0.1F));
  const StudentScores one_hot(pate::test::integer_table({1, 3}, {0, 1, 0}), 1, 3);
  one_hot.read(0, 1, out);
  CHECK(out == std::vector<double>{0, 1, 0});
}

TEST_CASE("the shape must be that of the votes") {
  CHECK(
      refusal({2, 3}, std::vector<double>(6), 3, 2) ==
      "test.npy: expected shape (3, 2), one row of scores per row of the votes and one column per "
      "class, found (2, 3), which looks transposed");
  CHECK(
      refusal({4, 2}, std::vector<double>(8), 3, 2) ==
      "test.npy: expected shape (3, 2), one row of scores per row of the votes and one column per "
      "class, found (4, 2)");
  CHECK(
      refusal({3}, std::vector<double>(3), 3, 1) ==
      "test.npy: expected shape (3, 1), one row of scores per row of the votes and one column per "
      "class, found (3,)");
}

TEST_CASE("scores outside [0, 1] are refused with their place and what they may be") {
  const auto begins = [](const std::string& text, const char* beginning, const char* line) {
    CAPTURE(text);
    CHECK(text.starts_with(beginning));
    CHECK(text.find(line) != std::string::npos);
  };
  begins(refusal({2, 2}, {0.5, 0.5, 1.5, -0.5}, 2, 2),
         "test.npy: row 1, column 0: expected a score in [0, 1], found 1.5; if these are logits",
         "n.exp(");
  begins(refusal({2, 2}, {-0.25, 1.25, 0.5, 0.5}, 2, 2),
         "test.npy: row 0, column 0: expected a score in [0, 1], found -0.25", "n.exp(");
  begins(refusal({1, 2}, {81.7, 18.3}, 1, 2),
         "test.npy: row 0, column 0: expected a score in [0, 1], found 81.7; what makes scores of",
         "a / a.sum(1, keepdims=True)");
  CHECK(refusal({1, 2}, {0.5, std::nan("")}, 1, 2) ==
        "test.npy: row 0, column 1: expected a finite number, found nan");
}

TEST_CASE("rows must sum to 1 within 1e-4") {
  CHECK(refusal({2, 2}, {0.5, 0.5, 0.251234, 0.5}, 2, 2)
            .starts_with("test.npy: row 1: expected scores that sum to 1 within 0.0001, found a "
                         "sum of 0.751234; if they were rounded"));
  CHECK(refusal({1, 2}, {0.5, 0.50009}, 1, 2) == "[no exception]");
  CHECK(refusal({1, 2}, {0.5, 0.49991}, 1, 2) == "[no exception]");
  CHECK(refusal({1, 2}, {0.5, 0.50011}, 1, 2).find("found a sum of 1.0001") != std::string::npos);
  CHECK(refusal({1, 2}, {0.5, 0.49989}, 1, 2).find("found a sum of 0.9998") != std::string::npos);
}

TEST_CASE("or within what rounding them to their decimals can do") {
  CHECK(refusal({1, 3}, {0.33, 0.33, 0.33}, 1, 3) == "[no exception]");
  CHECK(refusal({1, 3}, {0.33, 0.33, 0.32}, 1, 3).find("within 0.015") != std::string::npos);
  CHECK(refusal({1, 4}, {0.334, 0.333, 0.333, 0.002}, 1, 4) == "[no exception]");
  CHECK(refusal({1, 4}, {0.334, 0.333, 0.333, 0.003}, 1, 4) != "[no exception]");
  // Of one decimal no more than of two: few digits say little.
  CHECK(refusal({1, 3}, {0.3, 0.3, 0.3}, 1, 3).find("within 0.02") != std::string::npos);
  // However a softmax is rounded to two to six decimals, it is read.
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const auto classes = std::uniform_int_distribution<std::int64_t>(2, 4)(random);
    const double scale = std::pow(10.0, std::uniform_int_distribution<>(2, 6)(random));
    std::vector<double> row;
    for (std::int64_t k = 0; k < classes; ++k) {
      row.push_back(std::exp(std::normal_distribution<>(0.0, 2.0)(random)));
    }
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& score : row) score = std::round(score / sum * scale) / scale;
    CAPTURE(row);
    CHECK(refusal({1, classes}, row, 1, classes) == "[no exception]");
  }
}

TEST_CASE("rows in the middle are called by their number in the file") {
  const StudentScores scores(npy_table(npy_array<double>({3, 1}, {1, 1, 0.5})), 3, 1);
  std::vector<double> out(1);
  CHECK(message_of<input_error>([&] {
          scores.read(2, 1, out);
        }).starts_with("test.npy: row 2: expected scores that sum to 1 within"));
  CHECK_NOTHROW(scores.read(1, 1, out));
}

TEST_CASE("the student that came with the project can be read (real votes)" *
          doctest::skip(!pate::test::has_shared_votes())) {
  const std::filesystem::path votes = pate::test::shared_votes("");
  const StudentScores scores(pate::test::open_npy(votes / "mnist_t10k_250_student_scores.npy"),
                             2500, 10);
  std::vector<double> out(25000);
  CHECK_NOTHROW(scores.read(0, 2500, out));
}

TEST_SUITE_END();
