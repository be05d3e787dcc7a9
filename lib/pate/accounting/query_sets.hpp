#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pate/accounting/query_counts.hpp"
#include "pate/divergence/bounds/q_tables.hpp"

namespace pate {

/// The distinct queries of a run whose q lie in one cell, for sums of functions of q: with f known
/// at the nodes of the cell,
///
///     sum of count_i f(q_i) = sum over the nodes of weight_k f(node_k),
///     weight_k = sum of count_i w_k(q_i), w_k the weights of the interpolation,
///
/// and the weights do not depend on f. Which queries form a set depends on the query counts alone.
class QuerySets {
 public:
  /// A distinct query by its position, and where in the cell it lies.
  struct QueryInCell {
    std::uint32_t query;
    double s;
  };
  struct Set {
    std::size_t begin, end;  ///< in a list of all sets' queries
    std::size_t cell;
    QueryInCell smallest_q, largest_q;  ///< the queries at both ends
  };

  QuerySets() = default;
  /// cells: of the finite log q of the query counts. by_statistic: a set has one selection
  /// statistic.
  QuerySets(const QueryCounts& query_counts, const QCells& cells, bool by_statistic);
  /// No sets: all queries are loose.
  explicit QuerySets(const QueryCounts& query_counts);

  [[nodiscard]] std::span<const Set> sets() const { return sets_; }
  /// Its queries, in their canonical order.
  [[nodiscard]] std::span<const QueryInCell> queries(const Set& set) const {
    return std::span(queries_).subspan(set.begin, set.end - set.begin);
  }

  /// Queries of a set whose q lie in a part of its cell, which is taken for a cell in turn.
  struct Part {
    std::size_t cell;
    double middle, half;  ///< of the part; those of the cell are 0 and 1
    std::span<const QueryInCell> queries;
    QueryInCell smallest_q, largest_q;

    /// Where a place of the cell lies in the part, from -1 to 1.
    [[nodiscard]] double within(double s) const { return (s - middle) / half; }
    /// And where in the cell a place of the part does.
    [[nodiscard]] double in_cell(double s) const { return middle + half * s; }
  };
  [[nodiscard]] Part whole(const Set& set) const {
    return {set.cell, 0.0, 1.0, queries(set), set.smallest_q, set.largest_q};
  }
  /// The half of a part with the smaller q, then that with the larger; those without queries are
  /// left out. `queries` keeps what they point to.
  [[nodiscard]] static std::vector<Part> halves(const Part& part,
                                                std::vector<QueryInCell>& queries);
  /// Those of no set: too few in a cell to be worth its nodes.
  [[nodiscard]] std::span<const std::uint32_t> ungrouped() const { return loose_; }

 private:
  std::vector<Set> sets_;
  std::vector<QueryInCell> queries_;
  std::vector<std::uint32_t> loose_;
};

}  // namespace pate
