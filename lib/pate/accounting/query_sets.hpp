#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/accounting/tally.hpp"
#include "pate/bounds/q_tables.hpp"

namespace pate {

/// The distinct queries of a run whose q lie in one cell, for sums of functions of q: with f known
/// at the nodes of the cell,
///
///     sum of count_i f(q_i) = sum over the nodes of weight_k f(node_k),
///     weight_k = sum of count_i w_k(q_i), w_k the weights of the interpolation,
///
/// and the weights do not depend on f. Which queries form a set depends on the tally alone.
class QuerySets {
 public:
  struct Set {
    std::size_t begin, end;  ///< in a list of all sets' queries
    std::size_t cell;
    std::uint32_t smallest_q, largest_q;  ///< the queries at both ends
  };

  /// cells: of the finite log q of the tally. by_statistic: a set has one selection statistic.
  QuerySets(const Tally& tally, const QCells& cells, bool by_statistic);
  /// No sets: all queries are loose.
  explicit QuerySets(const Tally& tally);

  [[nodiscard]] std::span<const Set> sets() const { return sets_; }
  /// Positions of distinct queries, in their canonical order.
  [[nodiscard]] std::span<const std::uint32_t> queries(const Set& set) const {
    return std::span(queries_).subspan(set.begin, set.end - set.begin);
  }
  /// Where in its cell each of them lies.
  [[nodiscard]] std::span<const double> places(const Set& set) const {
    return std::span(places_).subspan(set.begin, set.end - set.begin);
  }
  /// Those of no set: too few in a cell to be worth its nodes.
  [[nodiscard]] std::span<const std::uint32_t> loose() const { return loose_; }

 private:
  std::vector<Set> sets_;
  std::vector<std::uint32_t> queries_, loose_;
  std::vector<double> places_;
};

}  // namespace pate
