#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/release/curve/top_count_costs.hpp"
#include "pate/release/sensitivity/local_sensitivity.hpp"
#include "pate/release/sensitivity/vote_profile.hpp"

namespace pate {

/// What bounds the forward cost of a query in a release through a curve.
enum class CurveCost {
  tilted,    ///< Gaussian noise: TiltedCost
  exact,     ///< two classes and Gaussian noise, no student
  tradeoff,  ///< any noise: the trade-off bound at an integer q
};
template <>
inline constexpr std::array<Named<CurveCost>, 3> kNames<CurveCost>{{
    {CurveCost::tilted, "tilted"},
    {CurveCost::exact, "exact"},
    {CurveCost::tradeoff, "tradeoff"},
}};

/// What is asked of the costs: public, all of it.
struct CostSpec {
  Aggregator aggregator;
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  double order = 0.0;
  CurveCost cost = CurveCost::tilted;
  ReleasedCost reading = ReleasedCost::joint;
};

/// Bytes that tables of the costs take, about.
[[nodiscard]] double costs_memory(const CostSpec& question);

/// Whether there are tables of the tilted cost for these neighbours: with several votes that move,
/// those by three keys alone.
[[nodiscard]] bool has_tilted_cost(const Neighbours& neighbours, std::int64_t teachers);

/// The cost that suits an aggregator: exact for two classes, tilted for more, trade-off for Laplace
/// noise and where there are no tables of the tilted one.
[[nodiscard]] CurveCost default_cost(const Aggregator& aggregator, std::int64_t teachers,
                                     std::int64_t classes);

/// Every query of a list at the cost that suits the aggregator; its order is still to be set.
[[nodiscard]] CostSpec joint_question(const Aggregator& aggregator, std::int64_t teachers,
                                      std::int64_t classes);

/// Throws `parameter_error` for a cost that there is not for the aggregator (exact: two classes,
/// Gaussian noise, no student; tilted: Gaussian noise, `has_tilted_cost`), for a single class, for
/// `realized` without a selection, and for teachers that are added or removed.
void validate(const CostSpec& question);

/// Costs by an integer v and a cell of integer values, for maxima over what is within d votes.
class WalkTable {
 public:
  /// What a table is of: v runs over first..last, `costs(value)(v)` is asked for values at the ends
  /// of cells, the largest value first: cells[0] > cells[1] > ... >= 0.
  struct Question {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::vector<std::int64_t> cells;
    std::function<std::function<CostUnits(std::int64_t v)>(std::int64_t value)> costs;
  };
  /// Costs are made not to fall with the value.
  WalkTable(Question question, unsigned threads);

  /// max over |v - centre| <= d of the cost of v at values[d], which must not fall and are at most
  /// the largest; empty: of the only cell.
  [[nodiscard]] std::vector<CostUnits> within(std::int64_t centre, std::size_t distances,
                                              std::span<const std::int64_t> values) const;
  [[nodiscard]] CostUnits largest() const { return largest_; }

  /// The same from what `store` of another gave. Throws `parameter_error` where it cannot be that.
  explicit WalkTable(StoredUnits& from);
  void store(std::vector<CostUnits>& to) const;
  /// As `KeyCosts::check`, of the question that it must be the table of.
  void check(const Question& question, std::mt19937_64& random, int entries) const;

 private:
  [[nodiscard]] std::int64_t width() const { return last_ - first_ + 1; }
  void set_rows(std::vector<CostUnits> values);

  std::int64_t first_;
  std::int64_t last_;
  std::vector<std::int64_t> cells_;  // upper ends, rising
  RowMaxima rows_;                   // by cell, then v
  CostUnits largest_ = 0;
};

/// The union bound on q in integers, of 2^-60: the pair terms of gaps, rounded up and made convex,
/// so that moving votes one by one from the largest count to the second largest gives the largest
/// sum within so many moves, exactly.
class IntegerQ {
 public:
  IntegerQ(const NoisyMax& noise, std::int64_t teachers, std::int64_t classes);
  /// The largest q within d moves, d = 0..teachers, of a histogram in decreasing order.
  [[nodiscard]] std::vector<std::int64_t> within(std::span<const std::int32_t> counts) const;
  [[nodiscard]] std::int64_t cap() const { return cap_; }
  [[nodiscard]] static double log_q(std::int64_t q);

 private:
  std::int64_t cap_;
  std::vector<std::int64_t> terms_;  // by gap
};

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
