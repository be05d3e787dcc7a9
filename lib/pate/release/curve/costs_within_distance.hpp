#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pate/release/curve/cost_spec.hpp"
#include "pate/release/curve/integer_q.hpp"
#include "pate/release/curve/top_count_costs.hpp"
#include "pate/release/curve/walk_table.hpp"
#include "pate/release/sensitivity/vote_profile.hpp"

namespace pate {

/// An upper bound on the cost of a run and of all runs within d teachers, UB(d):
///
///     UB(0) >= C,    UB'(d) <= UB(d + 1) on neighbours,    UB(M) the same for all votes,
///
/// where neighbours are those of the aggregator: where one person reaches S teachers d counts
/// persons, of whom S d votes of a query may move, and what is said below of d moves is read at S d
/// of them, or at M where that is less.
/// as integers, exactly: each cost is computed once as a function of an integer key and stored, and
/// what is within d moves is the maximum over a set of keys that lies in that of d + 1 on every
/// neighbour. The tables depend on public inputs alone.
class CostsWithinDistance {
 public:
  explicit CostsWithinDistance(const CostSpec& question, unsigned threads = 0,
                               const ProgressCallback& progress = {});

  /// Those of the question at each of the orders, whatever its own: the same bits, and quicker
  /// together. All are in memory at once: `costs_memory` bytes for each.
  [[nodiscard]] static std::vector<std::shared_ptr<const CostsWithinDistance>> at_orders(
      const CostSpec& question, std::span<const double> orders, unsigned threads = 0,
      const ProgressCallback& progress = {});

  /// The same from the `numbers` of another, for the same question: tables may be kept. Throws
  /// `parameter_error` where the numbers cannot be those. They may have been changed meanwhile, and
  /// the guarantee rests on them: all must rise as costs do, and `kCheckedEntries` of every table,
  /// picked by `seed`, are computed anew. That finds a table that was made cheaper as a whole or in
  /// a large part (of a share p of its entries with probability 1 - (1 - p)^kCheckedEntries), and
  /// not a few numbers that somebody picked with care: who may write to tables must be trusted.
  CostsWithinDistance(const CostSpec& question, std::span<const CostUnits> numbers,
                      std::uint64_t seed);
  static constexpr int kCheckedEntries = 200;
  /// All that took time to compute.
  [[nodiscard]] std::vector<CostUnits> numbers() const;

  [[nodiscard]] const CostSpec& question() const { return question_; }

  /// UB(M) of a run of so many queries, of which so many answered (they count where the reading is
  /// `realized`). Throws `validity_error` where it is more than units hold.
  [[nodiscard]] CostUnits largest(std::int64_t queries, std::int64_t answered) const;

  /// UB(d), d = 0..teachers. The same bits whatever the threads and the order of queries.
  ///
  /// With fewer `distances` as many numbers: the first ones, but for the last, which is UB(M). So
  /// they are costs within distances in the sense above too, of whoever takes what is farther away
  /// to be all votes, and take far less time where there are many teachers.
  [[nodiscard]] std::vector<CostUnits> upper(const VoteProfile& votes, unsigned threads = 0,
                                             std::size_t distances = kAllDistances) const;
  static constexpr std::size_t kAllDistances = static_cast<std::size_t>(-1);

  /// W(d) of a query, its answer counted `answered` times of `count`; `statistic` is that of the
  /// selection, `counts` in decreasing order.
  void add(std::span<const std::int32_t> counts, std::int64_t statistic, std::int64_t count,
           std::int64_t answered, std::span<CostUnits> to) const;

 private:
  // With tables by key that were computed before, where there are such.
  CostsWithinDistance(const CostSpec& question, std::optional<KeyCosts> keys, unsigned threads);

  CostSpec question_;
  std::optional<KeyCosts> keys_;
  std::optional<IntegerQ> q_;
  std::optional<WalkTable> checks_;  // realized: the selection alone
  std::optional<WalkTable> walk_;
};

}  // namespace pate
