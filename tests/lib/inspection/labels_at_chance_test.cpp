#include "pate/inspection/labels_at_chance.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;

namespace {

// Counts of 40 teachers, most of which vote for `labels`.
std::vector<pate_test::Histogram> counts_of(const std::vector<std::int32_t>& labels,
                                            std::int32_t classes, pate_test::Random& random) {
  std::vector<pate_test::Histogram> counts;
  for (const std::int32_t label : labels) {
    std::vector<std::int32_t> row(static_cast<std::size_t>(classes), 0);
    for (int teacher = 0; teacher < 40; ++teacher) {
      const auto vote = random.integer(0, 9) < 6 ? label : random.integer(0, classes - 1);
      ++row[static_cast<std::size_t>(vote)];
    }
    counts.push_back(row);
  }
  return counts;
}

}  // namespace

TEST_CASE("labels at chance: labels of other rows are noticed, those of the same are not") {
  pate_test::Random random(5);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    const auto classes = static_cast<std::int32_t>(random.integer(3, 12));
    const auto queries = static_cast<std::size_t>(random.integer(60, 400));
    std::vector<std::int32_t> labels(queries);
    for (auto& label : labels) label = static_cast<std::int32_t>(random.integer(0, classes - 1));
    const pate_test::HistogramVotes votes(counts_of(labels, classes, random));
    const RowSelection rows = RowSelection::all(static_cast<std::int64_t>(queries));
    CHECK_FALSE(labels_at_chance(votes, rows, labels, "labels", "l.npy"));
    // One row late; and classes numbered from the other end.
    std::vector<std::int32_t> late = labels;
    std::ranges::rotate(late, late.begin() + 1);
    std::vector<std::int32_t> turned = labels;
    for (auto& label : turned) label = (label + 1) % classes;
    const auto notice = labels_at_chance(votes, rows, turned, "labels", "l.npy");
    REQUIRE(notice);
    CHECK(notice->code == "labels_at_chance");
    CHECK(labels_at_chance(votes, rows, late, "labels", "l.npy"));
    // Released labels, of which some were refused.
    for (auto* const some : {&labels, &late}) {
      for (std::size_t i = 0; i < queries; i += 3) (*some)[i] = -1;
    }
    CHECK_FALSE(labels_at_chance(votes, rows, labels, "decisions", "d.npy"));
    const auto of_others = labels_at_chance(votes, rows, late, "decisions", "d.npy");
    CHECK(of_others.has_value() == (2 * queries / 3 >= 30));
    if (of_others) CHECK(of_others->message.find("--decisions-rows") != std::string::npos);
  }
}

TEST_CASE("labels at chance: nothing is said of few queries, or of one class") {
  pate_test::Random random(6);
  std::vector<std::int32_t> labels(29, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(i % 3);
  std::vector<std::int32_t> others = labels;
  for (auto& label : others) label = (label + 1) % 3;
  const pate_test::HistogramVotes few(counts_of(labels, 3, random));
  CHECK_FALSE(labels_at_chance(few, RowSelection::all(29), others, "labels", "l.npy"));
  const std::vector<std::int32_t> same(100, 1);
  std::vector<std::int32_t> wrong(100, 0);
  const pate_test::HistogramVotes one(counts_of(same, 2, random));
  CHECK_FALSE(labels_at_chance(one, RowSelection::all(100), wrong, "labels", "l.npy"));
}
