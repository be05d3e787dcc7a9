#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/numerics/chebyshev.hpp"

namespace pate {

/// Cells of the axis of log(-log q), on which bounds at a fixed order are smooth, for evaluating a
/// bound at very many values of q: where a cell holds more values than it has nodes, the bound is
/// computed at the cell's Chebyshev nodes only and interpolated. Which cells are in use depends on
/// the values given at construction alone, never on their order or the number of threads.
///
/// On wide cells the logarithms of costs are smooth. On narrow ones q does not change much either:
/// costs themselves are smooth, and sums of them are sums over nodes.
class QCells {
 public:
  static constexpr std::size_t kNodes = chebyshev::kNodes;
  using Nodes = chebyshev::Nodes;

  enum class Width { wide, narrow };

  /// log_q: the values that will be asked for, finite and < 0.
  explicit QCells(std::span<const double> log_q, Width width = Width::wide);

  [[nodiscard]] std::size_t size() const { return cells_.size(); }
  /// The values, increasing, that have no cell as there are too few near them: at most as many
  /// as nodes wherever a wide cell is not in use. Of narrow cells they are not kept.
  [[nodiscard]] const std::vector<double>& isolated() const { return alone_; }
  /// log q at the nodes of a cell, `chebyshev::points` of it.
  [[nodiscard]] Nodes nodes(std::size_t cell) const;

  static constexpr std::size_t kNoCell = static_cast<std::size_t>(-1);
  /// Where a value lies and how the nodes of its cell weigh: found once, used for every function.
  struct Position {
    double log_q = 0.0;
    std::size_t cell = kNoCell;
    Nodes weights{};
    std::size_t isolated = kNoCell;  ///< which of `isolated()`; kNoCell for another value
  };
  [[nodiscard]] Position locate(double log_q) const;
  /// Without the weights: the cell and where in it, from -1 to 1.
  struct Place {
    std::size_t cell = kNoCell;
    double s = 0.0;
  };
  [[nodiscard]] Place place(double log_q) const;
  /// log q at a place of a cell.
  [[nodiscard]] double log_q(const Place& at) const;

 private:
  [[nodiscard]] double coordinate(double log_q) const;

  Width width_;
  std::vector<long> cells_;  // numbers of the cells in use, increasing
  std::vector<double> alone_;
};

/// Theorem 6 for very many values of q at once, by interpolation in cells of log(-log q):
/// costs within 5e-11 relative of `published_cost`, which the margin of costs covers. Where its
/// conditions fail somewhere in a cell, and in cells with few values, the formula itself is
/// evaluated.
class GaussianPublishedTable {
 public:
  /// The cells must outlive this. Domain: sigma > 0.
  GaussianPublishedTable(const QCells& cells, double sigma) : cells_(&cells), sigma_(sigma) {}

  /// The bound's values at the nodes for one order.
  struct AtOrder {
    double order = 0.0;
    double data_independent = 0.0;
    std::vector<QCells::Nodes> log_cost;  ///< log(cost) - log q, by cell
    std::vector<char> usable;             ///< by cell
  };
  [[nodiscard]] std::vector<AtOrder> at_orders(std::span<const double> orders,
                                               unsigned threads) const;

  /// The formula for one q.
  [[nodiscard]] GaussianPublishedBound bound(double log_q) const { return {log_q, sigma_}; }
  /// The cost at a position; `bound` is the formula for the position's q.
  [[nodiscard]] static double cost(const AtOrder& table, const QCells::Position& position,
                                   const GaussianPublishedBound& bound);

 private:
  const QCells* cells_;
  double sigma_;
};

/// The Gaussian trade-off bound for very many values of q at once, by interpolation in cells of
/// log(-log q). Where the interpolant has not converged, and in cells with few
/// values, the bound itself is computed. Every log excess is within 5e-11 of the bound's (relative
/// where it is above 1), so that the margin of costs (math/margin.hpp) covers the difference.
class GaussianTradeoffTable {
 public:
  /// mu > 0 as for `gaussian_tradeoff_log_excess`. The cells must outlive this.
  GaussianTradeoffTable(const QCells& cells, double mu) : cells_(&cells), mu_(mu) {}

  /// The bound's values at the nodes for one order.
  struct AtOrder {
    double order = 0.0;
    double log_cap = 0.0;                         ///< log excess of the data-independent cost
    double cap = 0.0;                             ///< the data-independent cost, rounded outwards
    std::vector<QCells::Nodes> forward, reverse;  ///< log excess - log q, by cell
    std::vector<char> converged;                  ///< by cell
    std::vector<BothDirections> isolated;  ///< log excess by value that is alone; or none are known
  };
  /// orders: increasing. The tables do not depend on `threads` (0: all processors).
  [[nodiscard]] std::vector<AtOrder> at_orders(std::span<const double> orders,
                                               unsigned threads) const;

  /// The same for the cells alone: other values are evaluated when they are asked for.
  [[nodiscard]] std::vector<AtOrder> cells_at_orders(std::span<const double> orders,
                                                     unsigned threads) const;

  /// The log excesses at the nodes of a cell, where they are not interpolated.
  [[nodiscard]] std::array<BothDirections, QCells::kNodes> at_nodes(const AtOrder& table,
                                                                    std::size_t cell) const;
  /// The log excess in both directions, at most that of the data-independent cost.
  [[nodiscard]] BothDirections log_excess(const AtOrder& table,
                                          const QCells::Position& position) const;

 private:
  [[nodiscard]] std::vector<AtOrder> fill(std::span<const double> orders,
                                          std::span<const double> isolated, unsigned threads) const;

  const QCells* cells_;
  double mu_;
};

/// The tables of a noise whose bounds are dear enough for one; none for Laplace noise.
[[nodiscard]] std::optional<GaussianPublishedTable> published_table(const QCells& cells,
                                                                    const NoisyStep& step);
[[nodiscard]] std::optional<GaussianTradeoffTable> tradeoff_table(const QCells& cells,
                                                                  const NoisyStep& step);

}  // namespace pate
