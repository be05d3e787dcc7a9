#include "pate/inspection/beside_votes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/tables/open_table.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"

using namespace pate;

TEST_CASE("accuracies are counted as they are defined") {
  pate_test::Random random(4401);
  const pate::test::TempDirectory directory;
  for (int round = 0; round < 50; ++round) {
    const std::int64_t teachers = random.integer(2, 12);
    const std::int64_t queries = random.integer(2, 30);
    const std::int64_t classes = random.integer(1, 6);
    std::vector<std::vector<std::int64_t>> votes(
        static_cast<std::size_t>(teachers),
        std::vector<std::int64_t>(static_cast<std::size_t>(queries)));
    for (auto& row : votes) {
      for (auto& vote : row) vote = random.integer(0, classes - 1);
    }
    std::vector<std::int32_t> labels(static_cast<std::size_t>(queries));
    for (auto& label : labels) label = static_cast<std::int32_t>(random.integer(0, classes - 1));
    std::string text;
    for (const auto& row : votes) {
      for (std::size_t q = 0; q < row.size(); ++q) {
        text += (q > 0 ? "," : "") + std::to_string(row[q]);
      }
      text += '\n';
    }
    const std::string path = (directory / (std::to_string(round) + ".csv")).string();
    pate::test::write_bytes(path, text);
    const PredictionVotes source(io::open_table(path).table, PredictionLayout::teachers_by_queries,
                                 classes);
    const RowSelection rows = RowSelection::all(queries);
    const auto got = accuracy(source, rows, labels, &source, nullptr);
    REQUIRE(got);
    std::int64_t right = 0;
    std::int64_t pluralities = 0;
    for (std::size_t q = 0; q < labels.size(); ++q) {
      std::vector<std::int64_t> counts(static_cast<std::size_t>(classes), 0);
      for (const auto& row : votes) ++counts[static_cast<std::size_t>(row[q])];
      right += counts[static_cast<std::size_t>(labels[q])];
      if (std::ranges::max_element(counts) - counts.begin() == labels[q]) ++pluralities;
    }
    CHECK(got->plurality == static_cast<double>(pluralities) / static_cast<double>(queries));
    CHECK(got->teachers_mean ==
          static_cast<double>(right) / static_cast<double>(queries * teachers));
    REQUIRE(got->teachers.size() == votes.size());
    for (std::size_t t = 0; t < votes.size(); ++t) {
      std::int64_t own = 0;
      for (std::size_t q = 0; q < labels.size(); ++q) own += votes[t][q] == labels[q] ? 1 : 0;
      CHECK(got->teachers[t] == static_cast<double>(own) / static_cast<double>(queries));
    }
    CHECK(accuracy(source, rows, labels, nullptr, nullptr)->teachers.empty());
    labels.pop_back();
    CHECK_THROWS_AS((void)accuracy(source, rows, labels, &source, nullptr), parameter_error);
  }
}
