#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/sensitivity/excess_curve.hpp"

namespace pate {

/// How fine a QGrid is. What is computed on a coarser grid is an upper bound just as well.
struct GridResolution {
  double cells_per_vote = 16.0;  ///< where the largest number of cells allows
  double points_per_vote = 400.0;
  std::size_t most_cells = 8192;
  std::size_t most_points = 500'000;

  /// For finding parameters: a few per cent above.
  [[nodiscard]] static GridResolution coarse() { return {4.0, 48.0, 1024, 50'000}; }
};

/// What the excess X of the noisy maximum does between q in a cell and a neighbour's q, at one
/// order: X changes from some Z to at most Z + rise, where Z is in [low, high].
struct ExcessStep {
  long double low = 0.0L;
  long double high = 0.0L;
  long double rise = 0.0L;
};

/// A fixed grid of cells of q, from that of unanimous votes to the cap 1 - 1/m. The cells depend on
/// the ensemble, the mechanism and the order alone, not on votes: what is said of a whole cell is
/// then a function of the cell, and smooth sensitivity stays smooth.
///
/// Cells are equally wide in the normal quantile of q (Gaussian noise) or its logarithm (Laplace),
/// where one vote is about the same step everywhere. Below X = e^-90 there is one cell.
class QGrid {
 public:
  QGrid(const ExcessCurve& curve, const Aggregator& aggregator, std::int64_t classes,
        const GridResolution& resolution, unsigned threads);

  [[nodiscard]] std::size_t size() const { return upwards_.size(); }
  /// The cell that holds log q. `near` is where the search begins.
  [[nodiscard]] std::size_t find(double log_q, std::size_t near) const;

  /// From q in the cell to any neighbour's q: Z is X(q), Z + rise at least X(B_U(q)).
  [[nodiscard]] const ExcessStep& upwards(std::size_t cell) const { return upwards_[cell]; }
  /// From any neighbour's q to q in the cell: Z is X(B_L(q)), Z + rise at least X(q).
  [[nodiscard]] const ExcessStep& downwards(std::size_t cell) const { return downwards_[cell]; }

 private:
  std::vector<double> log_q_;  // lower ends of the cells, increasing; the first is not used
  std::vector<ExcessStep> upwards_, downwards_;
};

}  // namespace pate
