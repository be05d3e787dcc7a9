#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pate/profile/outcome_table.hpp"

namespace pate {

/// A privacy profile from below: delta(epsilon) of a list of queries against one fixed neighbour.
///
/// Histories of outcomes are merged into cells by their loss, both masses added up: merging is
/// post-processing, so that every delta is at most the true one, wherever rounding puts a history.
class LowerProfile {
 public:
  /// Cells of `step` from `lowest` <= 0 to `highest` >= 0; losses beyond are merged at the ends.
  LowerProfile(double step, double lowest, double highest);

  /// Appends a query.
  void append(const OutcomeTable& table);

  /// delta at epsilon >= 0. Never above.
  [[nodiscard]] double delta(double epsilon) const;
  /// An epsilon >= 0 below which delta is not reached.
  [[nodiscard]] double epsilon(double delta) const;

 private:
  struct Mass {
    double p = 0.0;
    double q = 0.0;
  };

  double step_;
  double highest_;
  std::int64_t first_;
  std::vector<Mass> cells_;
  double at_infinity_ = 0.0;  // of outcomes that the neighbour never has
  std::int64_t queries_ = 0;
};

}  // namespace pate
