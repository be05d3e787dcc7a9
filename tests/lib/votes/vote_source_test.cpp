#include "pate/votes/vote_source.hpp"

#include <doctest/doctest.h>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>
#include "pate/base/error.hpp"
#include "support/npy_writer.hpp"
#include "support/paths.hpp"
#include "support/temp_directory.hpp"

using pate::Abstentions;
using pate::CountVotes;
using pate::input_error;
using pate::parameter_error;
using pate::PredictionLayout;
using pate::PredictionVotes;
using pate::test::integer_table;
using pate::test::message_of;
using pate::test::npy_array;
using pate::test::npy_table;

namespace {

std::vector<std::int32_t> read(const CountVotes& votes, std::int64_t first, std::int64_t count) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(count * votes.classes()), -7);
  votes.read(first, count, out);
  return out;
}

std::string construction_refusal(std::shared_ptr<const pate::NumericTable> table) {
  return message_of<input_error>([&] { const CountVotes votes(table); });
}

std::string read_refusal(std::shared_ptr<const pate::NumericTable> table) {
  const CountVotes votes(table);
  return message_of<input_error>([&] { read(votes, 0, votes.queries()); });
}

}  // namespace

TEST_SUITE_BEGIN("votes");

TEST_CASE("counts are histograms as they stand") {
  const CountVotes votes(integer_table({3, 2}, {4, 1, 0, 5, 2, 3}));
  CHECK(votes.name() == "test.npy");
  CHECK(votes.queries() == 3);
  CHECK(votes.classes() == 2);
  CHECK(votes.teachers() == 5);
  CHECK(read(votes, 0, 3) == std::vector<std::int32_t>{4, 1, 0, 5, 2, 3});
  CHECK(read(votes, 1, 1) == std::vector<std::int32_t>{0, 5});
  CHECK(read(votes, 3, 0).empty());
}

TEST_CASE("counts stored as floats are counts") {
  const CountVotes votes(npy_table(npy_array<double>({2, 2}, {250, 0, 125, 125}, '>', true)));
  CHECK(votes.teachers() == 250);
  CHECK(read(votes, 0, 2) == std::vector<std::int32_t>{250, 0, 125, 125});
  CHECK(construction_refusal(npy_table(npy_array<double>({1, 2}, {1.5, 0.5}))) ==
        "test.npy: row 0, column 0: expected an integer in the range of int64, found 1.5");
}

TEST_CASE("many rows and wide rows come in pieces without a seam") {
  for (const std::int64_t classes : {1, 7, 40000}) {
    const std::int64_t rows = classes == 40000 ? 3 : 5000;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(rows * classes), 0);
    for (std::int64_t i = 0; i < rows; ++i) {
      counts[static_cast<std::size_t>(i * classes + i % classes)] = 9;
    }
    const CountVotes votes(integer_table({rows, classes}, counts));
    CHECK(read(votes, 0, rows) == std::vector<std::int32_t>(counts.begin(), counts.end()));
    CHECK(read(votes, 1, rows - 1) ==
          std::vector<std::int32_t>(counts.begin() + classes, counts.end()));
  }
}

TEST_CASE("no queries, no teachers") {
  const CountVotes votes(integer_table({0, 10}, {}));
  CHECK(votes.queries() == 0);
  CHECK(votes.classes() == 10);
  CHECK(votes.teachers() == 0);
  CHECK(read(votes, 0, 0).empty());
}

TEST_CASE("what is no table of counts is refused") {
  CHECK(construction_refusal(integer_table({3}, {1, 2, 3})) ==
        "test.npy: expected counts with one row per query and one column per class (queries x "
        "classes), found a one-dimensional array of 3 numbers; if these are labels that a run "
        "released, looking at them costs nothing, and what the run cost for any votes is said by "
        "'pate plan'; if they are what one teacher of several predicts, what is read with \1layout "
        "predictions is made by python3 -c 'import glob, re, numpy as n; f = "
        "sorted(glob.glob(re.sub(r\"[0-9]+\", "
        "\"*\", glob.escape(\"test.npy\"))), key=lambda f: (len(f), f)); assert len(f) > 1, \"no "
        "other file has such a name\"; n.save(\"test-read.npy\", n.stack([n.load(x) for x in "
        "f]))'; if they are the "
        "votes for class 1 of two, add \1teachers M, and a line is shown that makes both");
  CHECK(construction_refusal(integer_table({3, 0}, {})) ==
        "test.npy: expected one column per class, found a table of 3 rows without columns");
  CHECK(construction_refusal(integer_table({0, 0}, {})) ==
        "test.npy: expected one column per class, found a table of 0 rows without columns");
  CHECK(construction_refusal(integer_table({0, 2147483648}, {})) ==
        "test.npy: expected at most 2147483647 classes, found 2147483648");
  CHECK(construction_refusal(integer_table({2, 2}, {0, 0, 1, 0})) ==
        "test.npy: row 0: expected the votes of at least one teacher, found only zeros");
}

TEST_CASE("negative counts are refused with their place") {
  const std::string noisy =
      "; counts after the noise, which have fractions and negatives, are not the votes: dump the "
      "counts before the noise is added (numpy: counts.copy() above the line that adds it)";
  CHECK(construction_refusal(integer_table({1, 3}, {5, -2, 1})) ==
        "test.npy: row 0, column 1: expected a count of votes >= 0, found -2" + noisy);
  CHECK(read_refusal(integer_table({3, 2}, {2, 1, 3, 0, 4, -1})) ==
        "test.npy: row 2, column 1: expected a count of votes >= 0, found -1" + noisy);
}

TEST_CASE("a row with another sum is refused, and the layout that would fit suggested") {
  const std::string by_teacher =
      "; if these are class ids and not counts, add \1layout predictions";
  CHECK(read_refusal(integer_table({2, 3}, {2, 1, 0, 0, 2, 2})) ==
        "test.npy: row 1: expected 3 votes, the sum of row 0, found a sum of 4" + by_teacher);
  CHECK(read_refusal(integer_table({4, 3}, {2, 1, 0, 0, 2, 2, 1, 1, 1, 0, 0, 0})) ==
        "test.npy: row 1: expected 3 votes, the sum of row 0, found a sum of 4" + by_teacher +
            "-by-query");
  // Numbers as large as these are no ids of so few votes.
  const std::string abstained =
      "; if teachers abstained, add \1abstentions, where a command has that, and how many they "
      "are, "
      "\1teachers M";
  CHECK(read_refusal(integer_table({3, 2}, {2, 1, 3, 0, 2, 2})) ==
        "test.npy: row 2: expected 3 votes, the sum of row 0, found a sum of 4" + abstained);
  CHECK(read_refusal(integer_table({3, 2}, {5, 1, 2, 2, 0, 4})) ==
        "test.npy: row 1: expected 6 votes, the sum of row 0, found a sum of 4; but every column "
        "has a sum of 7: the file looks transposed (classes x queries)");
  // Columns without a common sum, over many pieces; no counts; more teachers than there may be.
  constexpr std::int64_t kRows = 100001;
  std::vector<std::int64_t> values(3 * kRows, 2);
  values[1] = 7;
  const auto ending = [&](const std::vector<std::int64_t>& counts) {
    return read_refusal(integer_table({kRows, 3}, counts));
  };
  CHECK(ending(values).find("without column 1 every row has a sum of 4: is it no class") !=
        std::string::npos);
  values[3] = 3;
  CHECK(ending(values).ends_with("found a sum of 7" + abstained));
  values[3] = 2;
  values[0] = values[2] = 7;
  CHECK(ending(values).ends_with("looks transposed (classes x queries)"));
  values.back() = 8;
  CHECK(ending(values).ends_with("found a sum of 6" + abstained));
  const std::int64_t huge = 2147483647;
  CHECK(read_refusal(integer_table({2, 2}, {huge, 0, 1, huge})).find("transposed") ==
        std::string::npos);
  const CountVotes votes(integer_table({3, 2}, {2, 1, 3, 0, 2, 2}));
  // Rows that are not asked for do not matter.
  CHECK(read(votes, 0, 2) == std::vector<std::int32_t>{2, 1, 3, 0});
}

TEST_CASE("there are at most 2^31 - 1 teachers") {
  const CountVotes most(integer_table({2, 2}, {2147483646, 1, 0, 2147483647}));
  CHECK(most.teachers() == 2147483647);
  CHECK(read(most, 1, 1) == std::vector<std::int32_t>{0, 2147483647});
  CHECK(construction_refusal(integer_table({1, 2}, {2147483647, 1})) ==
        "test.npy: row 0: expected at most 2147483647 votes in a row, found 2147483648");
  CHECK(
      construction_refusal(integer_table({1, 2}, {1, 2147483648})) ==
      "test.npy: row 0, column 1: expected a count of at most 2147483647 votes, found 2147483648");
  // Sums that wrap around to the number of teachers.
  CHECK(
      read_refusal(integer_table({2, 3}, {1, 1, 0, 9223372036854775807, 9223372036854775807, 4})) ==
      "test.npy: row 1, column 0: expected a count of at most 2147483647 votes, found "
      "9223372036854775807");
}

TEST_CASE("queries outside the table are a bug") {
  const CountVotes votes(integer_table({2, 2}, {1, 1, 2, 0}));
  std::vector<std::int32_t> out(4);
  CHECK_THROWS_AS(votes.read(1, 2, out), std::out_of_range);
  CHECK_THROWS_AS(votes.read(-1, 2, out), std::out_of_range);
  CHECK_THROWS_AS(votes.read(0, 1, out), std::out_of_range);
}

TEST_CASE("the published dumps are counts of 250 teachers (real votes)" *
          doctest::skip(!pate::test::has_shared_votes())) {
  const std::filesystem::path votes = pate::test::shared_votes("");
  for (const char* name : {"s18_mnist_250_counts.npy", "s18_adult_250_counts.npy"}) {
    const CountVotes counts(pate::test::open_npy(votes / name));
    CHECK(counts.teachers() == 250);
    const auto all = read(counts, 0, counts.queries());
    CHECK(std::accumulate(all.begin(), all.end(), std::int64_t{0}) == 250 * counts.queries());
  }
  // Predictions taken for counts: the message says what to do.
  const CountVotes wrong(pate::test::open_npy(votes / "digits_100_predictions.npy"));
  CHECK(message_of<input_error>([&] {
          read(wrong, 0, wrong.queries());
        }).ends_with("add \1layout predictions"));
}

namespace {

constexpr auto kByTeacher = PredictionLayout::teachers_by_queries;
constexpr auto kByQuery = PredictionLayout::queries_by_teachers;

std::vector<std::int32_t> read(const pate::VoteSource& votes, std::int64_t first,
                               std::int64_t count) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(count * votes.classes()), -7);
  votes.read(first, count, out);
  return out;
}

std::vector<std::int32_t> read_votes(const PredictionVotes& votes, std::int64_t first,
                                     std::int64_t count) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(count * votes.teachers()), -7);
  votes.read_votes(first, count, out);
  return out;
}

}  // namespace

TEST_CASE("predictions become histograms, in either layout") {
  // Three teachers, four queries; nobody votes for class 3.
  const PredictionVotes by_teacher(integer_table({3, 4}, {0, 1, 2, 2, 0, 1, 1, 2, 0, 0, 1, 2}),
                                   kByTeacher, 4);
  const PredictionVotes by_query(integer_table({4, 3}, {0, 0, 0, 1, 1, 0, 2, 1, 1, 2, 2, 2}),
                                 kByQuery, 4);
  for (const auto* votes : {&by_teacher, &by_query}) {
    CHECK(votes->name() == "test.npy");
    CHECK(votes->queries() == 4);
    CHECK(votes->teachers() == 3);
    CHECK(votes->classes() == 4);
    CHECK(read(*votes, 0, 4) ==
          std::vector<std::int32_t>{3, 0, 0, 0, 1, 2, 0, 0, 0, 2, 1, 0, 0, 0, 3, 0});
    CHECK(read(*votes, 2, 1) == std::vector<std::int32_t>{0, 2, 1, 0});
    CHECK(read(*votes, 4, 0).empty());
    CHECK(read_votes(*votes, 1, 2) == std::vector<std::int32_t>{1, 1, 0, 2, 1, 1});
    CHECK(read_votes(*votes, 0, 0).empty());
  }
}

TEST_CASE("blocks of any size agree with counting one by one") {
  constexpr std::int64_t kTeachers = 70;
  constexpr std::int64_t kQueries = 5000;  // more than a piece of either layout
  for (const std::int64_t classes : {3, 500}) {
    std::vector<std::int64_t> by_teacher(kTeachers * kQueries);
    std::vector<std::int64_t> by_query(kTeachers * kQueries);
    std::vector<std::int32_t> ids(kTeachers * kQueries);
    std::vector<std::int32_t> histograms(static_cast<std::size_t>(kQueries * classes));
    std::uint64_t state = 1;
    for (std::int64_t t = 0; t < kTeachers; ++t) {
      for (std::int64_t q = 0; q < kQueries; ++q) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const auto id =
            static_cast<std::int64_t>((state >> 33U) % static_cast<std::uint64_t>(classes));
        by_teacher[static_cast<std::size_t>(t * kQueries + q)] = id;
        by_query[static_cast<std::size_t>(q * kTeachers + t)] = id;
        ids[static_cast<std::size_t>(q * kTeachers + t)] = static_cast<std::int32_t>(id);
        ++histograms[static_cast<std::size_t>(q * classes + id)];
      }
    }
    const PredictionVotes first(integer_table({kTeachers, kQueries}, by_teacher), kByTeacher,
                                classes);
    const PredictionVotes second(integer_table({kQueries, kTeachers}, by_query), kByQuery, classes);
    for (const auto* votes : {&first, &second}) {
      CHECK(read(*votes, 0, kQueries) == histograms);
      CHECK(read(*votes, 4097, 903) ==
            std::vector<std::int32_t>(histograms.begin() + 4097 * classes, histograms.end()));
      CHECK(read_votes(*votes, 0, kQueries) == ids);
      CHECK(
          read_votes(*votes, 300, 257) ==
          std::vector<std::int32_t>(ids.begin() + 300 * kTeachers, ids.begin() + 557 * kTeachers));
    }
  }
}

TEST_CASE("class ids outside the classes are refused with their place in the file") {
  const auto refusal = [](PredictionLayout layout, std::int64_t id) {
    const PredictionVotes votes(integer_table({2, 3}, {0, 1, 0, 1, id, 0}), layout, 2);
    const auto message = message_of<input_error>([&] { read(votes, 0, votes.queries()); });
    CHECK(message_of<input_error>([&] { read_votes(votes, 0, votes.queries()); }) == message);
    return message;
  };
  for (const auto layout : {kByTeacher, kByQuery}) {
    CHECK(refusal(layout, 2) ==
          "test.npy: row 1, column 1: expected a class id in 0..1, found 2; ids count from 0: "
          "subtract 1 where these count from 1");
    CHECK(refusal(layout, -1) ==
          "test.npy: row 1, column 1: expected a class id in 0..1, found -1; where a teacher "
          "abstained (-1, of one-hot predictions zeros only) it needs \1abstentions, where a "
          "command has that");
    CHECK(refusal(layout, 4294967296) ==
          "test.npy: row 1, column 1: expected a class id in 0..1, found 4294967296");
  }
  // The place is that of the file, not that of the block.
  const PredictionVotes votes(integer_table({2, 3}, {0, 1, 0, 1, 0, 9}), kByTeacher, 2);
  CHECK(message_of<input_error>([&] { read(votes, 2, 1); }) ==
        "test.npy: row 1, column 2: expected a class id in 0..1, found 9");
  CHECK(read(votes, 0, 2) == std::vector<std::int32_t>{1, 1, 1, 1});
}

TEST_CASE("one-hot predictions are class ids, in either layout") {
  // Teachers x queries x classes: ids (2, 0), (1, 1), (2, none).
  const std::vector<std::int64_t> numbers{0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  const auto ids =
      std::make_shared<const pate::OneHotPredictions>(integer_table({3, 2, 3}, numbers));
  CHECK(ids->name() == "test.npy");
  CHECK(ids->dimensions() == 2);
  CHECK(ids->rows() == 3);
  CHECK(ids->columns() == 2);
  CHECK(ids->classes() == 3);
  CHECK(ids->description().shape == std::vector<std::int64_t>{3, 2, 3});
  std::vector<std::int64_t> out(6);
  ids->read_integers(0, 3, 0, 2, out);
  CHECK(out == std::vector<std::int64_t>{2, 0, 1, 1, 2, -1});
  std::vector<double> reals(2);
  ids->read_reals(1, 2, 1, 1, reals);
  CHECK(reals == std::vector<double>{1, -1});
  const PredictionVotes votes(ids, kByTeacher, 3, Abstentions::as_class);
  CHECK(read(votes, 0, 2) == std::vector<std::int32_t>{0, 1, 2, 0, 1, 1, 0, 1});
  CHECK(
      message_of<input_error>([&] {
        const PredictionVotes without(ids, kByTeacher, 3);
        read(without, 0, 2);
      }) ==
      "test.npy: row 2, column 1: expected a class id in 0..2, found -1; where a teacher abstained "
      "(-1, of one-hot predictions zeros only) it needs \1abstentions, where a command has that");
  const PredictionVotes other(ids, kByQuery, 3, Abstentions::as_class);
  CHECK(other.queries() == 3);
  CHECK(other.teachers() == 2);
}

TEST_CASE("what is not one-hot is refused with its cell") {
  const auto refusal = [](std::vector<std::int64_t> numbers) {
    const pate::OneHotPredictions ids(integer_table({1, 2, 3}, numbers));
    std::vector<std::int64_t> out(2);
    return message_of<input_error>([&] { ids.read_integers(0, 1, 0, 2, out); });
  };
  const std::string place = "test.npy: row 0, column 1, class ";
  CHECK(refusal({0, 0, 1, 0, 2, 0}) == place + "1: expected one-hot, 0 or 1, found 2");
  CHECK(refusal({0, 0, 1, -1, 0, 0}) == place + "0: expected one-hot, 0 or 1, found -1");
  CHECK(refusal({0, 0, 1, 1, 0, 1})
            .starts_with(place + "2: expected one-hot, 0 after the 1 of class 0, found 1; several "
                                 "labels a query are for pate multilabel (teachers x queries x "
                                 "labels), or as many queries of two classes"));
  CHECK(message_of<input_error>([&] {
          const pate::OneHotPredictions ids(
              npy_table(npy_array<double>({1, 2, 3}, {0, 0, 1, 0, 0.5, 0.5})));
          std::vector<std::int64_t> out(2);
          ids.read_integers(0, 1, 0, 2, out);
        }) == place + "1: expected an integer in the range of int64, found 0.5");
  CHECK(message_of<input_error>([&] {
          const pate::OneHotPredictions ids(integer_table({2, 2}, {0, 1, 1, 0}));
        }) == "test.npy: expected one-hot predictions of three dimensions, found 2");
  CHECK(
      construction_refusal(integer_table({1, 2, 3}, {0, 0, 1, 1, 0, 0})) ==
      "test.npy: expected counts with one row per query and one column per class (queries x "
      "classes), found shape (1, 2, 3); one-hot predictions are read with \1layout predictions "
      "(teachers x queries x classes) or predictions-by-query, and scores with them are told what "
      "makes ids of them; ballots of zeros and ones (teachers x queries x labels) are for pate "
      "multilabel; counts of several labels a query, and nothing else, are as many queries, made "
      "by python3 -c 'import numpy as n; n.save(\"test-read.npy\", "
      "n.load(\"test.npy\").reshape(-1, 3))'");
}

TEST_CASE("one-hot predictions of many classes come in pieces without a seam") {
  constexpr std::int64_t kTeachers = 3;
  constexpr std::int64_t kQueries = 40;
  constexpr std::int64_t kClasses = 700;
  std::vector<std::int64_t> numbers(kTeachers * kQueries * kClasses);
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i < kTeachers * kQueries; ++i) {
    expected.push_back(i * 37 % kClasses);
    numbers[static_cast<std::size_t>(i * kClasses + expected.back())] = 1;
  }
  const pate::OneHotPredictions ids(integer_table({kTeachers, kQueries, kClasses}, numbers));
  std::vector<std::int64_t> out(expected.size());
  ids.read_integers(0, kTeachers, 0, kQueries, out);
  CHECK(out == expected);
}

TEST_CASE("teachers that abstain vote for a class of their own") {
  for (const auto layout : {kByTeacher, kByQuery}) {
    const PredictionVotes votes(integer_table({2, 2}, {0, -1, -1, 1}), layout, 2,
                                Abstentions::as_class);
    CHECK(votes.classes() == 3);
    CHECK(votes.teachers() == 2);
    CHECK(read(votes, 0, 2) == std::vector<std::int32_t>{1, 0, 1, 0, 1, 1});
    CHECK(read_votes(votes, 0, 1) == std::vector<std::int32_t>{0, 2});
    for (const std::int64_t id : {std::int64_t{-2}, std::int64_t{3}}) {
      const PredictionVotes bad(integer_table({2, 2}, {0, -1, id, 1}), layout, 2,
                                Abstentions::as_class);
      CHECK(
          message_of<input_error>([&] { read(bad, 0, 2); }) ==
          "test.npy: row 1, column 0: expected a class id in 0..1, or -1 of an abstention, found " +
              std::to_string(id));
    }
  }
  // Of counts, as many as there are teachers.
  const CountVotes counts(integer_table({3, 2}, {2, 1, 0, 0, 1, 2}), 3);
  CHECK(counts.classes() == 3);
  CHECK(counts.teachers() == 3);
  CHECK(read(counts, 0, 3) == std::vector<std::int32_t>{2, 1, 0, 0, 0, 3, 1, 2, 0});
  const CountVotes more(integer_table({2, 2}, {2, 1, 3, 1}), 3);
  CHECK(message_of<input_error>([&] { read(more, 0, 2); }) ==
        "test.npy: row 1: expected at most 3 votes, one per teacher, found a sum of 4");
  CHECK(message_of<parameter_error>([&] {
          const CountVotes none(integer_table({1, 2}, {2, 1}), 0);
        }) == "teachers must be >= 1 and <= 2147483647, got 0");
}

TEST_CASE("teachers that abstain are left out") {
  const auto ids = integer_table({2, 3}, {0, -1, -1, -1, 1, -1});
  const PredictionVotes votes(ids, kByTeacher, 2, Abstentions::left_out);
  CHECK(votes.classes() == 2);
  CHECK(votes.teachers() == 2);
  CHECK(votes.leaves_out_abstentions());
  CHECK(read(votes, 0, 3) == std::vector<std::int32_t>{1, 0, 0, 1, 0, 0});
  CHECK(message_of<parameter_error>([&] {
          read_votes(votes, 0, 1);
        }).starts_with("votes of single teachers are read where those that abstain vote"));
  CHECK_FALSE(PredictionVotes(ids, kByTeacher, 2, Abstentions::as_class).leaves_out_abstentions());
  const CountVotes counts(integer_table({2, 2}, {2, 1, 0, 0}), 3, Abstentions::left_out);
  CHECK(counts.classes() == 2);
  CHECK(counts.teachers() == 3);
  CHECK(counts.leaves_out_abstentions());
  CHECK(read(counts, 0, 2) == std::vector<std::int32_t>{2, 1, 0, 0});
  CHECK_FALSE(CountVotes(integer_table({1, 2}, {2, 1})).leaves_out_abstentions());
}

TEST_CASE("whatever one teacher does, abstaining or not, moves one vote at most on every query") {
  // Three teachers, two queries, two classes: all predictions, and all that the first teacher may
  // say instead.
  const auto histograms = [](std::vector<std::int64_t> ids) {
    const PredictionVotes votes(integer_table({3, 2}, ids), kByTeacher, 2, Abstentions::as_class);
    return read(votes, 0, 2);
  };
  const auto digits = [](int number, std::size_t count) {
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < count; ++i, number /= 3) ids.push_back(number % 3 - 1);
    return ids;
  };
  for (int all = 0; all < 729; ++all) {
    const std::vector<std::int64_t> ids = digits(all, 6);
    const auto before = histograms(ids);
    for (int first = 0; first < 9; ++first) {
      std::vector<std::int64_t> other = digits(first, 2);
      other.insert(other.end(), ids.begin() + 2, ids.end());
      const auto after = histograms(other);
      for (std::size_t query = 0; query < 2; ++query) {
        int up = 0;
        int down = 0;
        for (std::size_t i = 3 * query; i < 3 * query + 3; ++i) {
          up += std::max(0, after[i] - before[i]);
          down += std::max(0, before[i] - after[i]);
        }
        CHECK(up == down);
        CHECK(up <= 1);
      }
    }
  }
}

TEST_CASE("the number of classes must make sense") {
  const auto refusal = [](std::int64_t classes) {
    return message_of<parameter_error>([&] {
      const PredictionVotes votes(integer_table({1, 1}, {0}), kByTeacher, classes);
    });
  };
  CHECK(refusal(0) == "classes must be >= 1, got 0");
  CHECK(refusal(-3) == "classes must be >= 1, got -3");
  CHECK(refusal(1048577) == "classes must be <= 1048576, got 1048577");
}

TEST_CASE("what is no table of predictions is refused") {
  const auto refusal = [](std::initializer_list<std::int64_t> shape, PredictionLayout layout) {
    std::size_t size = 1;
    for (const std::int64_t dimension : shape) size *= static_cast<std::size_t>(dimension);
    const auto table = integer_table(shape, std::vector<std::int64_t>(size));
    return message_of<input_error>([&] { const PredictionVotes votes(table, layout, 2); });
  };
  const auto together = [](const char* axis) {
    return std::string(
               "found a one-dimensional array of 5 numbers; of one file a teacher all "
               "together are made by python3 -c 'import glob, re, numpy as n; f = "
               "sorted(glob.glob(re.sub(r\"[0-9]+\", "
               "\"*\", glob.escape(\"test.npy\"))), key=lambda f: (len(f), f)); assert len(f) > 1, "
               "\"no "
               "other file has such a name\"; n.save(\"test-read.npy\", n.stack([n.load(x) for x "
               "in f]") +
           axis + "))'";
  };
  CHECK(refusal({5}, kByTeacher) ==
        "test.npy: expected class ids with one row per teacher and one column per query (teachers "
        "x queries), " +
            together(""));
  CHECK(refusal({5}, kByQuery) ==
        "test.npy: expected class ids with one row per query and one column per teacher (queries x "
        "teachers), " +
            together(", 1"));
  CHECK(refusal({0, 5}, kByTeacher) ==
        "test.npy: expected at least one row of predictions, found none");
  CHECK(refusal({5, 0}, kByQuery) ==
        "test.npy: expected at least one column of predictions, found none");
  CHECK(refusal({0, 2147483648}, kByQuery) ==
        "test.npy: expected at most 2147483647 teachers, found 2147483648");
}

TEST_CASE("classes that have votes, query by query, of counts and of predictions") {
  const auto listed = [](const pate::VoteSource& votes, std::int64_t first, std::int64_t count) {
    std::vector<std::vector<std::int64_t>> result;
    for (const pate::ClassVotes& its : votes.read_voted(first, count)) {
      result.push_back({its.query, its.id, its.votes});
    }
    return result;
  };
  using Listed = std::vector<std::vector<std::int64_t>>;
  const CountVotes counts(integer_table({3, 3}, {4, 1, 0, 0, 0, 5, 2, 0, 3}));
  CHECK(listed(counts, 0, 3) == Listed{{0, 0, 4}, {0, 1, 1}, {1, 2, 5}, {2, 0, 2}, {2, 2, 3}});
  CHECK(listed(counts, 1, 2) == Listed{{1, 2, 5}, {2, 0, 2}, {2, 2, 3}});
  CHECK(listed(counts, 3, 0).empty());
  const PredictionVotes predictions(integer_table({3, 2}, {2, 0, 0, 0, 1, 2}), kByQuery, 3);
  CHECK(listed(predictions, 0, 3) == Listed{{0, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 1}, {2, 2, 1}});
  CHECK(listed(predictions, 1, 1) == Listed{{1, 0, 2}});
  // More than are read at a time.
  constexpr std::int64_t kWide = 1000;
  std::vector<std::int64_t> many(static_cast<std::size_t>(100 * kWide), 0);
  Listed expected;
  for (std::int64_t query = 0; query < 100; ++query) {
    many[static_cast<std::size_t>(query * kWide + 9 * query)] = 7;
    expected.push_back({query, 9 * query, 7});
  }
  CHECK(listed(CountVotes(integer_table({100, kWide}, many)), 0, 100) == expected);
}

TEST_CASE("no queries, no teachers") {
  const PredictionVotes votes(integer_table({5, 0}, {}), kByTeacher, 3);
  CHECK(votes.queries() == 0);
  CHECK(votes.teachers() == 0);
  CHECK(read(votes, 0, 0).empty());
  CHECK(read_votes(votes, 0, 0).empty());
}

TEST_CASE("queries outside the table are a bug") {
  const PredictionVotes votes(integer_table({2, 3}, {0, 1, 0, 1, 0, 0}), kByTeacher, 2);
  std::vector<std::int32_t> out(4);
  CHECK_THROWS_AS(votes.read(2, 2, out), std::out_of_range);
  CHECK_THROWS_AS(votes.read(-1, 2, out), std::out_of_range);
  CHECK_THROWS_AS(votes.read(0, 3, out), std::out_of_range);
  CHECK_THROWS_AS(votes.read_votes(2, 2, out), std::out_of_range);
}

TEST_CASE("the predictions that came with the project add up to their counts (real votes)" *
          doctest::skip(!pate::test::has_shared_votes())) {
  const std::filesystem::path votes = pate::test::shared_votes("");
  for (const std::string name : {"mnist_t10k_250", "mnist_t10k_5v8_11", "digits_100"}) {
    CAPTURE(name);
    const pate::CountVotes counts(pate::test::open_npy(votes / (name + "_counts.npy")));
    const PredictionVotes predictions(pate::test::open_npy(votes / (name + "_predictions.npy")),
                                      kByTeacher, counts.classes());
    REQUIRE(predictions.queries() == counts.queries());
    CHECK(predictions.teachers() == counts.teachers());
    CHECK(read(predictions, 0, counts.queries()) == read(counts, 0, counts.queries()));
  }
}

TEST_SUITE_END();
