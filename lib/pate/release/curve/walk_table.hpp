#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "pate/numerics/range_maximum.hpp"
#include "pate/release/curve/cost_units.hpp"

namespace pate {

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
  RangeMaxima<CostUnits> rows_;      // by cell, then v
  CostUnits largest_ = 0;
};

}  // namespace pate
