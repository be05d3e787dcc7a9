#pragma once

#include <span>
#include <vector>

#include "pate/bounds/direction.hpp"
#include "pate/bounds/q_cells.hpp"

namespace pate {

/// The Gaussian trade-off bound for very many values of q at once, by interpolation in cells of
/// log(-log q) (q_cells.hpp). Where the interpolant has not converged, and in cells with few
/// values, the bound itself is computed. Every log excess is within 5e-11 of the bound's (relative
/// where it is above 1), so that the margin of costs (margin.hpp) covers the difference.
class GaussianTradeoffTable {
 public:
  /// mu > 0 as for `gaussian_tradeoff_log_excess`. The cells must outlive this.
  GaussianTradeoffTable(const QCells& cells, double mu) : cells_(cells), mu_(mu) {}

  /// The bound's values at the nodes for one order.
  struct AtOrder {
    double order = 0.0;
    double log_cap = 0.0;                         ///< log excess of the data-independent cost
    double cap = 0.0;                             ///< the data-independent cost, rounded outwards
    std::vector<QCells::Nodes> forward, reverse;  ///< log excess - log q, by cell
    std::vector<char> converged;                  ///< by cell
  };
  /// orders: increasing. The tables do not depend on `threads` (0: all processors).
  [[nodiscard]] std::vector<AtOrder> at_orders(std::span<const double> orders,
                                               unsigned threads) const;

  /// The log excess in both directions, at most that of the data-independent cost.
  [[nodiscard]] BothDirections log_excess(const AtOrder& table,
                                          const QCells::Position& position) const;

 private:
  const QCells& cells_;
  double mu_;
};

}  // namespace pate
