#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/run.hpp"
#include "pate/accounting/utility.hpp"
#include "pate/tuning/tuning_grid.hpp"
#include "pate/tuning/vote_sums.hpp"

namespace pate {

/// The votes that parameters are tuned on.
struct TuningVotes {
  const VoteSource& votes;
  RowSelection rows;
  const StudentScores* student = nullptr;
  std::optional<std::vector<std::int32_t>> labels;
};

/// The run with the parameters of a point on the first `queries` of the votes' queries.
[[nodiscard]] Run run_of(const TuningVotes& votes, const Aggregator& aggregator,
                         std::int64_t queries);

/// The first `queries` of a selection. Domain: 0 <= queries <= rows.size().
[[nodiscard]] RowSelection first_rows(const RowSelection& rows, std::int64_t queries);

/// The numbers of queries that a grid point may ask: all of them, or with a limit on answers the
/// ends of 64 equal pieces.
[[nodiscard]] std::vector<std::int64_t> asked_queries(std::int64_t queries, bool limited);

/// The sums of the votes for one noise of the maximum, for each number of queries that may be
/// asked; made when first asked for.
class NoiseSums {
 public:
  /// aggregator: with a selection, of which only the kind matters. `votes` and `orders` must
  /// outlive this. Reads the votes: once, and once more for labels.
  NoiseSums(const TuningVotes& votes, const Aggregator& aggregator, std::vector<std::int64_t> asked,
            VoteSums::Kind kind, const TuningOrders& orders, unsigned threads);

  [[nodiscard]] std::span<const std::int64_t> asked() const { return asked_; }
  /// The sums of the first asked()[i] queries. Thread safe.
  [[nodiscard]] const VoteSums& at(std::size_t i) const;
  [[nodiscard]] const VoteSums& all() const { return at(asked_.size() - 1); }

 private:
  void make(std::size_t i, unsigned threads) const;

  const TuningVotes& votes_;
  Aggregator aggregator_;
  std::vector<std::int64_t> asked_;
  VoteSums::Kind kind_;
  const TuningOrders& orders_;
  std::vector<LabelledQuery> labelled_;
  std::unique_ptr<std::once_flag[]> made_;  // NOLINT(*-avoid-c-arrays): flags do not move
  mutable std::vector<std::unique_ptr<VoteSums>> sums_;
};

}  // namespace pate
