#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/inspection/beside_votes.hpp"
#include "support/contested_votes.hpp"
#include "support/npy_writer.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;
using pate::test::integer_table;
using pate::test::npy_array;
using pate::test::npy_table;

namespace {

std::shared_ptr<const NumericTable> table_of(const std::vector<double>& scores,
                                             std::int64_t queries, std::int64_t classes) {
  return npy_table(npy_array<double>({queries, classes}, scores));
}

std::vector<double> shares_of(const std::vector<Histogram>& counts, double decimals) {
  std::vector<double> shares;
  for (const Histogram& row : counts) {
    for (const std::int32_t count : row) {
      const double share = count / static_cast<double>(kContestedTeachers);
      shares.push_back(decimals > 0.0 ? std::round(share * decimals) / decimals : share);
    }
  }
  return shares;
}

}  // namespace

TEST_CASE("a student that is the votes is refused, one that has learnt or not is not") {
  Random random(12);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const auto queries = static_cast<std::size_t>(random.integer(30, 90));
    const auto classes = static_cast<std::int32_t>(random.integer(3, 9));
    const auto counts = contested_counts(queries, classes, random);
    const HistogramVotes votes(counts);
    const RowSelection rows = RowSelection::all(votes.queries());
    const auto doubt = [&](const std::vector<double>& scores) {
      const StudentScores student(table_of(scores, votes.queries(), classes), votes.queries(),
                                  classes);
      return student_doubt(votes, rows, student, "s.npy");
    };
    for (const double decimals : {0.0, 100.0, 1e4}) {
      CHECK_THROWS_WITH_AS((void)doubt(shares_of(counts, decimals)),
                           doctest::Contains("s.npy: expected what a student says who has not"),
                           input_error);
    }
    // It agrees with the teachers, and says so with other numbers.
    std::vector<double> learnt = shares_of(counts, 0.0);
    for (double& score : learnt) score = 0.8 * score + 0.2 / classes;
    CHECK_FALSE(doubt(learnt));
    std::vector<double> turned = learnt;
    std::rotate(turned.begin(), turned.begin() + classes, turned.end());
    const auto notice = doubt(turned);
    REQUIRE(notice);
    CHECK(notice->code == "labels_at_chance");
    CHECK(notice->message.find("\1student-rows") == std::string::npos);
  }
  // Teachers that all agree have the shares of a student that is sure.
  const std::vector<Histogram> agreed(20, Histogram{100, 0});
  const HistogramVotes votes(agreed);
  const StudentScores sure(table_of(shares_of(agreed, 0.0), 20, 2), 20, 2);
  CHECK_FALSE(student_doubt(votes, RowSelection::all(20), sure, "s.npy"));
}

TEST_CASE("labels of other rows are noticed, those of the same and of one class are not") {
  Random random(5);
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    const auto classes = static_cast<std::int32_t>(random.integer(3, 9));
    const auto queries = static_cast<std::size_t>(random.integer(29, 400));
    std::vector<std::int32_t> labels(queries);
    for (auto& label : labels) label = static_cast<std::int32_t>(random.integer(0, classes - 1));
    std::vector<Histogram> counts;
    for (const std::int32_t label : labels) {
      Histogram row(static_cast<std::size_t>(classes), 4);
      row[static_cast<std::size_t>(label)] = 40;
      counts.push_back(row);
    }
    const HistogramVotes votes(counts);
    const RowSelection rows = RowSelection::all(votes.queries());
    CHECK_FALSE(labels_at_chance(votes, rows, labels, "labels", "l.npy"));
    for (auto& label : labels) label = (label + 1) % classes;
    const auto notice = labels_at_chance(votes, rows, labels, "labels", "l.npy");
    CHECK(notice.has_value() == (queries >= 30));
    if (notice) CHECK(notice->message.find("\1labels-rows") != std::string::npos);
  }
}

TEST_CASE("labels that are given for row numbers") {
  const auto table = integer_table({8, 3}, std::vector<std::int64_t>(24, 1));
  const CountVotes votes(table);
  const auto what = [&](const std::vector<std::int64_t>& rows) {
    return what_rows_look_like(rows, *integer_table({std::ssize(rows)}, rows), votes);
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
  CHECK(what_rows_look_like(std::vector<std::int64_t>{1, 0}, *mask, votes) == "a mask of the rows");
}

TEST_CASE("accuracies are counted as they are defined") {
  Random random(4401);
  for (int round = 0; round < 50; ++round) {
    const std::int64_t teachers = random.integer(2, 12);
    const std::int64_t queries = random.integer(2, 30);
    const std::int64_t classes = random.integer(1, 6);
    std::vector<std::int64_t> ids(static_cast<std::size_t>(teachers * queries));
    for (auto& vote : ids) vote = random.integer(0, classes - 1);
    std::vector<std::int32_t> labels(static_cast<std::size_t>(queries));
    for (auto& label : labels) label = static_cast<std::int32_t>(random.integer(0, classes - 1));
    const PredictionVotes source(integer_table({teachers, queries}, ids),
                                 PredictionLayout::teachers_by_queries, classes);
    const RowSelection rows = RowSelection::all(queries);
    const auto got = accuracy(source, rows, labels, &source, nullptr);
    REQUIRE(got);
    std::vector<double> own(static_cast<std::size_t>(teachers));
    double pluralities = 0.0;
    for (std::size_t q = 0; q < labels.size(); ++q) {
      std::vector<std::int64_t> counts(static_cast<std::size_t>(classes), 0);
      for (std::size_t t = 0; t < own.size(); ++t) {
        const std::int64_t vote = ids[t * labels.size() + q];
        ++counts[static_cast<std::size_t>(vote)];
        own[t] += vote == labels[q] ? 1.0 : 0.0;
      }
      pluralities += std::ranges::max_element(counts) - counts.begin() == labels[q] ? 1.0 : 0.0;
    }
    const auto all = static_cast<double>(queries);
    CHECK(got->plurality == pluralities / all);
    CHECK(got->teachers_mean ==
          std::accumulate(own.begin(), own.end(), 0.0) / (all * static_cast<double>(teachers)));
    for (double& right : own) right /= all;
    CHECK(got->teachers == own);
    CHECK(accuracy(source, rows, labels, nullptr, nullptr)->teachers.empty());
    labels.pop_back();
    CHECK_THROWS_AS((void)accuracy(source, rows, labels, &source, nullptr), parameter_error);
  }
}
