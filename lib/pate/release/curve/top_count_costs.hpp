#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/bounds/tilted_cost.hpp"
#include "pate/release/curve/cost_units.hpp"

namespace pate {

/// The tilted cost as a function of the largest counts of a histogram, and its maximum over all
/// votes within d moves.
///
/// Keys are (v, x2, x3), the three largest counts; above `kMaxTeachersOfThreeKeys` teachers (v,
/// x2). H(key) is the largest cost of any histogram with that key. The classes of the key are cells
/// of `TiltedMoment`; from its monotonicity in all other counts, another class that takes part in
/// the move is given as much as it can have, the others the most uneven distribution of the rest.
/// The cost does not always rise with the count of a cell: K_v(S, X) is the maximum of H
/// over x2 <= X, x2 + x3 <= S. Votes within d moves of (v, x2, x3) with a top count of v' = v + j
/// have x2' <= x2 + A, x2' + x3' <= x2 + x3 + A with A = d - max(j, 0), so that
///
///     W(d) = max over j = -d..d of K_v'( min(x2 + x3 + A, M - v'), min(x2 + A, v', M - v') ).
///
/// With three keys H is evaluated for each (`ThreeKeyCosts`). With two, where the number of full
/// classes behind stays, the excess of every move is smooth along v where x2 stays. On long
/// stretches its logarithm is interpolated, and H at most 5e-10 larger than if it were evaluated,
/// never smaller. Who wins before and after a move does not depend on the order, and is computed
/// once for several.
///
/// The keys that W(d) looks up are among those that W(d + 1) of every neighbour looks up.
///
/// Where keys (v, x2) would be more than some millions they are cells: v + x2 is rounded up to a
/// multiple of `cell`, and the votes of the other classes are the most that the cell leaves.
/// Neither makes a cost smaller, since the second class is no cell of `TiltedMoment` then. Rounding
/// v + x2, not x2, does not depend on which v' an entry is looked up for, so that the sets of keys
/// stay nested.
class KeyCosts {
 public:
  enum class Keys { automatic, three, two };
  static constexpr std::int64_t kMaxTeachersOfThreeKeys = 400;

  /// Computes the table, in parallel over v; the same bits for any number of threads. `step` > 1
  /// computes only counts that are multiples of it, for estimates: then `within` is told counts,
  /// and gives distances, in units of it (two keys). cell: of two keys, 0: by their number.
  KeyCosts(const TiltedCost& cost, Keys keys, unsigned threads,
           const ProgressCallback& progress = {}, std::int64_t step = 1, std::int64_t cell = 0);

  /// Those of several costs of a run that differ by their orders, `Keys::automatic` and all counts:
  /// the same bits, and quicker together.
  [[nodiscard]] static std::vector<KeyCosts> at_orders(std::span<const TiltedCost> costs,
                                                       unsigned threads,
                                                       const ProgressCallback& progress = {});

  /// The same from what `store` of another gave, for the same teachers and classes,
  /// `Keys::automatic` and all counts. Throws `parameter_error` where the numbers cannot be those.
  KeyCosts(std::int64_t teachers, std::int64_t classes, StoredUnits& from);
  /// Whether classes of `Keys::automatic` are cells of the cost: of rounded counts they are none.
  [[nodiscard]] static bool has_cells(std::int64_t teachers);
  /// Bytes that one takes at least: with two keys they grow with the square of the teachers; with
  /// three they are few, 0.
  [[nodiscard]] static double memory(std::int64_t teachers);
  /// Bytes of the costs of all keys.
  [[nodiscard]] static double table_memory(std::int64_t teachers);
  void store(std::vector<CostUnits>& to) const;

  /// Compares stored costs with what they must be: all of them do not fall where the keys grow, and
  /// so many that are picked at random are no less than when they are computed now. Throws
  /// `parameter_error` where that is not so. A few numbers that were made smaller may stay unseen.
  void check(const TiltedCost& cost, std::mt19937_64& random, int entries) const;

  /// W(d), d = 0..M, for a histogram in decreasing order; or of so many of these distances, from 0
  /// on.
  [[nodiscard]] std::vector<CostUnits> within(std::span<const std::int32_t> counts) const {
    return within(counts, static_cast<std::size_t>(teachers_) + 1);
  }
  [[nodiscard]] std::vector<CostUnits> within(std::span<const std::int32_t> counts,
                                              std::size_t distances) const;
  /// W(M), the same for all votes.
  [[nodiscard]] CostUnits largest() const { return largest_; }
  [[nodiscard]] bool three_keys() const { return three_; }

 private:
  // K of one v: rows S, columns X. With two keys one row.
  struct Table {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<CostUnits> values;
    [[nodiscard]] CostUnits at(std::int64_t s, std::int64_t x) const {
      return values[static_cast<std::size_t>(s * columns + x)];
    }
  };
  // Without numbers.
  KeyCosts(const TiltedCost& cost, Keys keys, std::int64_t step, std::int64_t cell);
  // K of all v, for every cost into its own.
  static void compute_three_keys(std::span<const TiltedCost> costs, std::span<KeyCosts> to,
                                 unsigned threads, const ProgressCallback& progress);
  // H becomes K.
  static void make_rising(Table& table);
  // The same of two keys.
  static void compute_two_keys(std::span<const TiltedCost> costs, std::span<KeyCosts> to,
                               unsigned threads, const ProgressCallback& progress);
  [[nodiscard]] Table empty_table(std::int64_t v) const;
  // An entry of the tables that some histogram has, picked at random, and what it costs at least.
  void check_three_keys(const TiltedCost& cost, std::mt19937_64& random) const;
  void check_two_keys(const TiltedCost& cost, std::mt19937_64& random) const;
  void check_rising() const;
  void index();
  void index_two_keys();
  // Of two keys: the column of v that has x2, of the cell of v + x2.
  [[nodiscard]] std::int64_t column(std::int64_t v, std::int64_t x2) const;

  std::int64_t teachers_;  // in steps
  std::int64_t least_;     // the smallest top count
  std::int64_t step_;
  bool three_;
  std::int64_t cell_ = 1;
  CostUnits largest_ = 0;
  std::vector<Table> tables_;  // by v - least_

  // With two keys: the largest K_v of blocks of v, by size of the blocks; a row has those of one.
  static constexpr std::array<std::int64_t, 2> kBlockSizes{16, 256};
  struct Rows {
    std::int64_t width = 0;
    std::vector<CostUnits> values;
    [[nodiscard]] const CostUnits* row(std::int64_t i) const { return values.data() + i * width; }
    [[nodiscard]] CostUnits* row(std::int64_t i) { return values.data() + i * width; }
  };
  struct Run;
  void within_two_keys(std::int64_t v, std::int64_t x2, std::span<CostUnits> result) const;
  std::array<Rows, kBlockSizes.size()> columns_;    // K_v(x) by x
  std::array<Rows, kBlockSizes.size()> diagonals_;  // K_v(s - v) by the cell of s
};

}  // namespace pate
