#pragma once

#include <span>
#include <vector>

#include "pate/bounds/published.hpp"
#include "pate/bounds/q_cells.hpp"

namespace pate {

/// Theorem 6 for very many values of q at once, by interpolation in cells of log(-log q)
/// (q_cells.hpp): costs within 5e-11 relative of `gaussian_noisy_max_published`, which the margin
/// of costs covers. Where its conditions fail somewhere in a cell, and in cells with few values,
/// the formula itself is evaluated.
class GaussianPublishedTable {
 public:
  /// The cells must outlive this. Domain: sigma > 0.
  GaussianPublishedTable(const QCells& cells, double sigma) : cells_(cells), sigma_(sigma) {}

  /// The bound's values at the nodes for one order.
  struct AtOrder {
    double order = 0.0;
    double data_independent = 0.0;
    std::vector<QCells::Nodes> log_cost;  ///< log(cost) - log q, by cell
    std::vector<char> usable;             ///< by cell
  };
  [[nodiscard]] std::vector<AtOrder> at_orders(std::span<const double> orders,
                                               unsigned threads) const;

  /// The cost at a position; `bound` is the formula for the position's q.
  [[nodiscard]] static double cost(const AtOrder& table, const QCells::Position& position,
                                   const GaussianPublishedBound& bound);

 private:
  const QCells& cells_;
  double sigma_;
};

}  // namespace pate
