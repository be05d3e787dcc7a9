#include "pate/tuning/tuning_settings.hpp"

#include <utility>

namespace pate {

namespace {

RowSelection first_rows(const RowSelection& rows, std::int64_t queries) {
  if (queries == rows.size()) return rows;
  if (rows.is_contiguous()) return RowSelection::range(rows[0], rows[0] + queries);
  std::vector<std::int64_t> list;
  for (std::int64_t i = 0; i < queries; ++i) list.push_back(rows[i]);
  return RowSelection::list(std::move(list));
}

}  // namespace

Run run_of(const TuningVotes& votes, const Aggregator& aggregator, std::int64_t queries) {
  return {votes.votes, first_rows(votes.rows, queries), aggregator, votes.student, {}, {}};
}

}  // namespace pate
