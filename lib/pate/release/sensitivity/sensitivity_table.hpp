#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/mechanisms/answer_table.hpp"
#include "pate/numerics/range_maximum.hpp"
#include "pate/release/sensitivity/q_grid.hpp"

namespace pate {

/// Throws `validity_error` where a moment with this logarithm is beyond every floating point
/// number: nothing is computed at such orders.
void require_moments(double log_moment);

/// By how much the joint cost of one query can differ between votes with statistic v and q in a
/// cell, and any of their neighbours, for every v and cell:
///
///     H(v, q) = max over v'' in {v-1, v, v+1}, 0 <= v'' <= teachers, of
///               max( J(v'', B_U(q)) - J(v, q),  J(v, q) - J(v'', B_L(q)) )
///
/// with J the forward joint cost (divergence/bounds/joint_cost.hpp). Every entry bounds H from
/// above on its cell. In X, the excess of the noisy maximum, J is log(1 + largest of affine
/// functions) / (order - 1); between X and X + rise the difference of two such logarithms is
/// monotone in X for any two of the functions, so that the ends of the cell bound it.
///
/// Entries allow for the error of computed costs: 2e-9 times the larger cost is added. For very
/// large ensembles a row holds several neighbouring v, and the largest of their entries: cells of v
/// that are as fixed as those of q.
class SensitivityTable {
 public:
  /// Rows for v = first..last at least; without a ladder (no selection) there is one row, 0. The
  /// ladder must cover 0..teachers.
  SensitivityTable(const QGrid& grid, const std::optional<AnswerTable>& ladder, double order,
                   double log_cap, std::int64_t first, std::int64_t last, unsigned threads);

  /// The row that holds v, and the first and last rows there are.
  [[nodiscard]] std::int64_t row_of(std::int64_t v) const { return v / height_; }
  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t last() const { return last_; }
  [[nodiscard]] std::span<const float> row(std::int64_t r) const { return values_.row(index(r)); }
  /// The largest entry of row r between two cells, both included.
  [[nodiscard]] float largest(std::int64_t r, std::size_t low, std::size_t high) const {
    return values_.largest(index(r), low, high + 1);
  }
  [[nodiscard]] float largest_of_row(std::int64_t r) const { return row_largest_[index(r)]; }
  /// The largest entry.
  [[nodiscard]] float largest() const { return largest_; }

 private:
  [[nodiscard]] std::size_t index(std::int64_t r) const {
    return static_cast<std::size_t>(r - first_);
  }
  template <class Real>
  void fill(const QGrid& grid, const std::optional<AnswerTable>& ladder, double order,
            unsigned threads);

  std::int64_t height_;  // values of v in a row
  std::int64_t first_, last_;
  std::size_t cells_;
  float largest_ = 0.0F;
  RangeMaxima<float> values_;
  std::vector<float> row_largest_;
};

/// By how much a cost can rise and fall between votes and their neighbours.
struct CheckStep {
  double up = 0.0;
  double down = 0.0;

  [[nodiscard]] double larger() const { return max_or_nan(up, down); }
};

/// The threshold check of a query, its exact forward cost c_v = max over w = v - 1, v + 1 of
/// D(check at v || check at w), and by how much it changes with v: a walk over the integers, hence
/// exact up to the error of computed costs, which is added.
class CheckSensitivity {
 public:
  CheckSensitivity(const ThresholdCheck& check, std::int64_t teachers, double order);

  /// c_v, rounded outwards.
  [[nodiscard]] double cost(std::int64_t v) const { return costs_[static_cast<std::size_t>(v)]; }
  /// The largest changes between v' and its neighbours over |v' - v| <= d, for every d of `steps`.
  void around(std::int64_t v, std::vector<CheckStep>& steps) const;

 private:
  std::vector<double> costs_;
  std::vector<CheckStep> steps_;  // at v
};

/// The same for the noisy maximum alone, by cell of q.
struct NoisyMaxSensitivity {
  NoisyMaxSensitivity(const QGrid& grid, double order, double log_cap);

  std::vector<double> up, down;
};

}  // namespace pate
