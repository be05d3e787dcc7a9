#include "pate/tuning/noise_sums.hpp"

#include <algorithm>
#include <utility>

namespace pate {

namespace {

constexpr std::int64_t kPieces = 64;

// Expected right answers by statistic over the first `queries` queries, if all were answered.
std::vector<double> right_by_statistic(const std::vector<LabelledQuery>& labelled,
                                       std::int64_t queries, const VoteSums& sums) {
  std::vector<double> right(sums.statistics().size(), 0.0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(queries); ++i) {
    const auto found = std::lower_bound(
        sums.statistics().begin(), sums.statistics().end(), labelled[i].statistic,
        [](const VoteSums::Statistic& statistic, std::int64_t v) { return statistic.v < v; });
    right[static_cast<std::size_t>(found - sums.statistics().begin())] += labelled[i].right;
  }
  return right;
}

}  // namespace

RowSelection first_rows(const RowSelection& rows, std::int64_t queries) {
  if (queries == rows.size()) return rows;
  if (rows.is_contiguous()) {
    return queries == 0 ? RowSelection::first(0) : RowSelection::range(rows[0], rows[0] + queries);
  }
  std::vector<std::int64_t> list;
  for (std::int64_t i = 0; i < queries; ++i) list.push_back(rows[i]);
  return RowSelection::list(std::move(list));
}

Run run_of(const TuningVotes& votes, const Aggregator& aggregator, std::int64_t queries) {
  return {votes.votes, first_rows(votes.rows, queries), aggregator, votes.student, {}, {}};
}

std::vector<std::int64_t> asked_queries(std::int64_t queries, bool limited) {
  if (!limited) return {queries};
  std::vector<std::int64_t> asked;
  for (std::int64_t k = 1; k <= kPieces; ++k) {
    const std::int64_t end = queries / kPieces * k + queries % kPieces * k / kPieces;
    if (end > 0 && (asked.empty() || end > asked.back())) asked.push_back(end);
  }
  if (asked.empty()) asked.push_back(0);
  return asked;
}

NoiseSums::NoiseSums(const TuningVotes& votes, const Aggregator& aggregator,
                     std::vector<std::int64_t> asked, VoteSums::Kind kind,
                     const TuningOrders& orders, unsigned threads)
    : votes_(votes),
      aggregator_(aggregator),
      asked_(std::move(asked)),
      kind_(kind),
      orders_(orders),
      made_(std::make_unique<std::once_flag[]>(asked_.size())),  // NOLINT(*-avoid-c-arrays)
      sums_(asked_.size()) {
  if (votes.labels) {
    Run run = run_of(votes, aggregator, asked_.back());
    run.labels = votes.labels;
    labelled_ = labelled_queries(run, threads);
  }
  std::call_once(made_[asked_.size() - 1], [&] { make(asked_.size() - 1, threads); });
}

const VoteSums& NoiseSums::at(std::size_t i) const {
  std::call_once(made_[i], [&] { make(i, 1); });
  return *sums_[i];
}

void NoiseSums::make(std::size_t i, unsigned threads) const {
  sums_[i] =
      std::make_unique<VoteSums>(run_of(votes_, aggregator_, asked_[i]), kind_, orders_, threads);
  if (votes_.labels) {
    sums_[i]->set_right(right_by_statistic(labelled_, asked_[i], *sums_[i]));
  }
}

}  // namespace pate
