#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "pate/divergence/bounds/q_tables.hpp"

namespace pate {

/// A table of the trade-off bound at any order, from Chebyshev nodes in log(order - 1) that are
/// computed once for all who ask nearby: log excesses within 5e-11 (relative where they are above
/// 1) of those computed at the order, which they are in cells where an interpolant has not
/// converged.
class TableBetweenOrders {
 public:
  /// The cells must outlive this. mu > 0 as for `GaussianTradeoffTable`.
  TableBetweenOrders(const QCells& cells, double mu) : cells_(cells), mu_(mu) {}

  /// Thread safe; the result depends on the order alone, not on what was asked before.
  [[nodiscard]] GaussianTradeoffTable::AtOrder at(double order) const;

 private:
  struct Piece {
    std::once_flag made;
    std::vector<GaussianTradeoffTable::AtOrder> nodes;  // by increasing order
    std::vector<std::size_t> other_cells;               // those that must be computed
    std::optional<QCells> other;                        // the same
  };
  void fill(long number, Piece& piece) const;
  [[nodiscard]] bool interpolates(const Piece& piece, std::size_t cell) const;

  const QCells& cells_;
  double mu_;
  mutable std::mutex mutex_;
  mutable std::map<long, std::unique_ptr<Piece>> pieces_;
};

}  // namespace pate
