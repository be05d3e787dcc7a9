#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "pate/studies/multilabel/label_ballots.hpp"
#include "support/npy_writer.hpp"

namespace pate_test {

/// What one teacher says of every label of one query.
using Marks = std::vector<std::uint8_t>;

/// The labels of a set that has this number, label 0 being its lowest digit.
inline Marks marks_of(std::uint64_t set, std::int64_t labels) {
  Marks marks(static_cast<std::size_t>(labels));
  for (std::size_t k = 0; k < marks.size(); ++k) marks[k] = (set >> k & 1U) != 0 ? 1 : 0;
  return marks;
}

/// Ballots from the sets that teachers give, by query, then teacher.
inline std::shared_ptr<const pate::LabelBallots> ballots_of(
    const std::vector<std::vector<std::uint64_t>>& sets, std::int64_t labels) {
  const auto queries = static_cast<std::int64_t>(sets.size());
  const auto teachers = static_cast<std::int64_t>(sets.front().size());
  std::vector<std::int64_t> numbers;
  for (const auto& query : sets) {
    for (const std::uint64_t set : query) {
      for (const std::uint8_t mark : marks_of(set, labels)) numbers.push_back(mark);
    }
  }
  const auto table = pate::test::integer_table({queries, teachers, labels}, numbers);
  return std::make_shared<const pate::LabelBallots>(
      *table, pate::PredictionLayout::queries_by_teachers, pate::RowSelection::all(queries));
}

/// All ensembles of so many teachers that answer one query: the sets each gives.
inline std::vector<std::vector<std::uint64_t>> all_ensembles(std::int64_t teachers,
                                                             std::int64_t labels) {
  const std::uint64_t sets = std::uint64_t{1} << labels;
  std::vector<std::vector<std::uint64_t>> result{{}};
  for (std::int64_t t = 0; t < teachers; ++t) {
    std::vector<std::vector<std::uint64_t>> longer;
    for (const auto& before : result) {
      for (std::uint64_t set = 0; set < sets; ++set) {
        longer.push_back(before);
        longer.back().push_back(set);
      }
    }
    result = std::move(longer);
  }
  return result;
}

}  // namespace pate_test
