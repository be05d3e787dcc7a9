#include "pate/inspection/inspection_notices.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "pate/inspection/inspection.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/npy_writer.hpp"

using pate::CountVotes;
using pate::Inspection;
using pate::Notice;
using pate::PredictionLayout;
using pate::PredictionVotes;
using pate::RowSelection;
using pate::test::integer_table;
using pate::test::npy_array;
using pate::test::npy_table;

namespace {

using Codes = std::vector<std::string>;

std::vector<Notice> notices_of(const pate::VoteSource& votes) {
  return pate::inspect(votes, RowSelection::all(votes.queries()), {},
                       dynamic_cast<const PredictionVotes*>(&votes), 1)
      .notices;
}

Codes codes_of(const std::vector<Notice>& notices) {
  Codes codes;
  for (const Notice& notice : notices) codes.push_back(notice.code);
  return codes;
}

Codes counts(std::initializer_list<std::int64_t> shape, const std::vector<std::int64_t>& values) {
  return codes_of(notices_of(CountVotes(integer_table(shape, values))));
}

Codes ids(std::initializer_list<std::int64_t> shape, const std::vector<std::int64_t>& values,
          std::int64_t classes) {
  return codes_of(notices_of(PredictionVotes(integer_table(shape, values),
                                             PredictionLayout::teachers_by_queries, classes)));
}

}  // namespace

TEST_SUITE("inspection") {
  TEST_CASE("votes as they should be have none") {
    CHECK(counts({3, 2}, {3, 1, 0, 4, 1, 3}).empty());
    CHECK(ids({3, 4}, {0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1}, 2).empty());
  }

  TEST_CASE("few queries") {
    CHECK(counts({0, 2}, {}) == Codes{"no_queries"});
    CHECK(counts({1, 2}, {3, 1}) == Codes{"one_query"});
  }

  TEST_CASE("classes without votes and ties, named and counted") {
    const auto notices = notices_of(CountVotes(integer_table({2, 9}, {0, 5, 0, 0, 0, 0, 0, 0, 5,  //
                                                                      0, 9, 0, 0, 0, 0, 0, 0, 1})));
    REQUIRE(codes_of(notices) == Codes{"class_without_votes", "ties"});
    CHECK(notices[0].message == "nobody votes for 7 of the 9 classes: 0, 2, 3, 4, 5, ...");
    CHECK(notices[1].message ==
          "1 query is tied at the top: the lowest of the tied classes is taken as the plurality");
    CHECK(notices_of(CountVotes(integer_table({2, 2}, {2, 2, 2, 2})))[0].message.find(
              "2 queries are tied") == 0);
  }

  TEST_CASE("class ids whose rows happen to have the same sum look like predictions") {
    const std::vector<std::int64_t> permuted{0, 1, 2, 3, 0, 1, 2, 3, 3, 2, 1, 0,
                                             3, 2, 1, 0, 1, 2, 0, 3, 1, 2, 0, 3};
    const Codes found = counts({3, 8}, permuted);
    CHECK(std::count(found.begin(), found.end(), "looks_like_predictions") == 1);
    // A single row adds up whatever it holds.
    CHECK(counts({1, 9}, {0, 1, 2, 0, 1, 2, 0, 1, 2}) ==
          Codes{"looks_like_predictions", "one_query"});
    // Zeros and ones: no two teachers ever agree.
    const Codes flags = counts({2, 8}, {1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0});
    CHECK(flags.front() == "looks_like_predictions");
    // One query on which teachers agree a little is enough to be counts, and so is a count that
    // could not be a class id.
    CHECK(counts({2, 8}, {2, 1, 1, 1, 1, 1, 1, 0, 4, 1, 1, 1, 0, 0, 0, 1}).empty());
    CHECK(counts({2, 8}, {3, 2, 2, 2, 2, 2, 2, 1, 8, 1, 1, 1, 1, 1, 1, 2}).empty());
  }

  TEST_CASE("counts that lie transposed") {
    // Two classes by three queries of four teachers, with as many votes for both classes.
    CHECK(counts({2, 3}, {3, 1, 2, 1, 3, 2}) == Codes{"looks_transposed"});
    CHECK(counts({2, 3}, {3, 1, 2, 1, 4, 1}).empty());
  }

  TEST_CASE("more teachers than queries were selected is no transposition") {
    const PredictionVotes votes(integer_table({3, 4}, {0, 1, 1, 1, 0, 2, 0, 1, 1, 2, 0, 0}),
                                PredictionLayout::teachers_by_queries, 3);
    CHECK(pate::inspect(votes, RowSelection::first(2), {}, &votes, 1).notices.empty());
    const CountVotes tall(integer_table({4, 3}, {3, 1, 2, 1, 3, 2, 6, 0, 0, 0, 0, 6}));
    CHECK(pate::inspect(tall, RowSelection::first(2), {}, nullptr, 1).notices.empty());
  }

  TEST_CASE("teachers that are the same, and teachers that are constant") {
    const PredictionVotes votes(integer_table({4, 5}, {0, 1, 1, 0, 0,  //
                                                       1, 1, 1, 1, 1,  //
                                                       0, 1, 1, 0, 0,  //
                                                       0, 0, 1, 0, 1}),
                                PredictionLayout::teachers_by_queries, 2);
    const auto notices = notices_of(votes);
    REQUIRE(codes_of(notices) == Codes{"ties", "identical_teachers", "constant_teachers"});
    CHECK(notices[1].message == "only 3 of 4 teachers are distinct; identical in all votes: 0 = 2");
    CHECK(notices[2].message == "1 teacher votes for one class throughout: 1");
  }

  TEST_CASE("an estimated number of distinct histograms says so") {
    Inspection inspection;
    inspection.teachers = 4;
    inspection.classes = 2;
    inspection.queries = 9'000'000;
    inspection.class_votes = {1, 2};
    inspection.top_count.deciles.assign(11, 3.0);
    CHECK(pate::inspection_notices(inspection, 9'000'000).empty());
    inspection.distinct_exact = false;
    CHECK(codes_of(pate::inspection_notices(inspection, 9'000'000)) == Codes{"distinct_estimated"});
  }

  TEST_CASE("dtypes of floating-point numbers") {
    for (const char* dtype : {"<f8", ">f4", "float64"}) {
      CAPTURE(dtype);
      const auto notice = pate::dtype_notice(dtype);
      REQUIRE(notice);
      CHECK(notice->code == "float_votes");
      CHECK(notice->message.find(dtype) != std::string::npos);
    }
    for (const char* dtype : {"<i8", "|b1", "|u1", ">u4", "int64"})
      CHECK_FALSE(pate::dtype_notice(dtype));
  }

  TEST_CASE("who does not inspect is told what puts every number in doubt, in the same words") {
    const auto doubts = [](const pate::VoteSource& votes) {
      return pate::layout_notices(votes, RowSelection::all(votes.queries()),
                                  dynamic_cast<const PredictionVotes*>(&votes) != nullptr);
    };
    const auto same = [&](const pate::VoteSource& votes, const char* code) {
      const std::vector<Notice> found = doubts(votes);
      REQUIRE(found.size() == 1);
      CHECK(found.front().code == code);
      const std::vector<Notice> inspected = notices_of(votes);
      CHECK(std::any_of(inspected.begin(), inspected.end(), [&](const Notice& notice) {
        return notice.code == code && notice.message == found.front().message;
      }));
    };
    std::vector<std::int64_t> ids;
    for (int i = 0; i < 30000; ++i) {
      for (const int id : {0, 1, 2, 1, 0, 1, 2, 1, 0, 1}) ids.push_back(id);
    }
    same(CountVotes(integer_table({30000, 10}, ids)), "looks_like_predictions");
    // Not so once one query has a clear plurality, even the last one.
    std::fill(ids.end() - 10, ids.end(), 0);
    ids.back() = 9;
    CHECK(doubts(CountVotes(integer_table({30000, 10}, ids))).empty());
    same(CountVotes(integer_table({2, 4}, {5, 1, 3, 3, 1, 5, 3, 3})), "looks_transposed");
    CHECK(doubts(CountVotes(integer_table({2, 4}, {5, 1, 3, 3, 2, 5, 3, 2}))).empty());
    CHECK(doubts(CountVotes(integer_table({0, 2}, {}))).empty());
    // Ties and classes without votes are no doubts.
    CHECK(doubts(CountVotes(integer_table({2, 3}, {2, 2, 0, 2, 2, 0}))).empty());
  }
}
