#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/divergence/bounds/q_tables.hpp"
#include "pate/numerics/extended.hpp"

namespace pate {

/// The excess of the forward trade-off bound of a noisy maximum as a function of q,
/// at one order: X(q) = e^((order-1) beta(q)) - 1, at most that of the data-independent cost.
///
/// What is interpolated and what is not depends on the ensemble and the order alone, never on
/// votes, so that X(q) is the same number in every run. Accuracy: log X within 1e-10 (relative
/// where it is above 1); non-decreasing in q as far as that.
class ExcessCurve {
 public:
  /// Covers log_q in (-inf, log(1 - 1/classes)].
  ExcessCurve(const NoisyMax& noisy_max, std::int64_t teachers, std::int64_t classes, double order,
              unsigned threads);
  ExcessCurve(const ExcessCurve&) = delete;
  ExcessCurve& operator=(const ExcessCurve&) = delete;
  ~ExcessCurve() = default;

  [[nodiscard]] double order() const { return order_; }
  [[nodiscard]] double log_cap() const { return log_cap_; }
  [[nodiscard]] double log_excess(double log_q) const;

  /// A log q below which X is less than e^-90: there is no use in telling such values apart. At
  /// least that of unanimous votes.
  [[nodiscard]] double log_q_floor() const { return floor_; }
  /// log q of unanimous votes, the smallest there is.
  [[nodiscard]] double log_q_unanimous() const { return unanimous_; }

 private:
  [[nodiscard]] double direct(double log_q) const;

  NoisyMax noisy_max_;
  double order_;
  double log_cap_;
  double floor_;
  double unanimous_;
  QCells cells_{std::span<const double>{}};
  std::optional<GaussianTradeoffTable> table_;
  GaussianTradeoffTable::AtOrder at_order_;
};

/// How fine a QGrid is. What is computed on a coarser grid is an upper bound just as well.
struct GridResolution {
  double cells_per_vote = 16.0;  ///< where the largest number of cells allows
  double points_per_vote = 400.0;
  std::size_t most_cells = 8192;
  std::size_t most_points = 500'000;

  /// For finding parameters: a few per cent above.
  [[nodiscard]] static GridResolution coarse() { return {4.0, 48.0, 1024, 50'000}; }
  /// For finding an order, at which parameters are then found: all sensitivities are larger, at all
  /// orders by about as much.
  [[nodiscard]] static GridResolution rough() { return {1.0, 16.0, 256, 8'000}; }
};

/// What the excess X of the noisy maximum does between q in a cell and a neighbour's q, at one
/// order: X changes from some Z to at most Z + rise, where Z is in [low, high].
struct ExcessStep {
  Extended low = 0;
  Extended high = 0;
  Extended rise = 0;
};

/// A fixed grid of cells of q, from that of unanimous votes to the cap 1 - 1/m. The cells depend on
/// the ensemble, the mechanism and the order alone, not on votes: what is said of a whole cell is
/// then a function of the cell, and smooth sensitivity stays smooth.
///
/// Cells are equally wide in the normal quantile of q (Gaussian noise) or its logarithm (Laplace),
/// where one vote is about the same step everywhere. Below X = e^-90 there is one cell.
class QGrid {
 public:
  QGrid(const ExcessCurve& curve, const NoisyMax& noisy_max, std::int64_t classes,
        const GridResolution& resolution, unsigned threads);

  [[nodiscard]] std::size_t size() const { return upwards_.size(); }
  /// The cell that holds log q. `near` is where the search begins.
  [[nodiscard]] std::size_t find(double log_q, std::size_t near) const;

  /// By cell, from q in it to any neighbour's q: Z is X(q), Z + rise at least X(B_U(q)).
  [[nodiscard]] const std::vector<ExcessStep>& upwards() const { return upwards_; }
  /// By cell, from any neighbour's q to q in it: Z is X(B_L(q)), Z + rise at least X(q).
  [[nodiscard]] const std::vector<ExcessStep>& downwards() const { return downwards_; }

 private:
  std::vector<double> log_q_;  // lower ends of the cells, increasing; the first is not used
  std::vector<ExcessStep> upwards_, downwards_;
};

}  // namespace pate
