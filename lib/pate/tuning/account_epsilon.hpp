#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/query_counts.hpp"
#include "pate/mechanisms/mechanism.hpp"
#include "pate/tuning/query_nodes.hpp"
#include "pate/tuning/tuning_grid.hpp"
#include "pate/tuning/tuning_settings.hpp"

namespace pate {

/// An epsilon and the order at which it is attained; order 0 where nothing is spent.
struct AccountEpsilon {
  double epsilon = 0.0;
  double order = 0.0;
};

/// The epsilon that `account` reports for this bound, reading and conversion: the same sums at the
/// same orders and the same search on the continuum, but from a few orders around the best instead
/// of all. Equal to 1e-7 where epsilon falls and then rises with the order, as it does.
///
/// hint: an order near the best, or 0. `threads` changes no bit.
[[nodiscard]] AccountEpsilon account_epsilon(const QueryCounts& query_counts,
                                             const Mechanism& aggregator,
                                             const Neighbours& neighbours, const EpsilonKind& kind,
                                             double hint, unsigned threads);

/// The same of rounds on the same teachers, whose RDP adds up at each order.
[[nodiscard]] AccountEpsilon account_epsilon(std::span<const QueryCounts> query_counts,
                                             std::span<const Mechanism> aggregators,
                                             const Neighbours& neighbours, const EpsilonKind& kind,
                                             double hint, unsigned threads);

/// The same for the joint reading of the tradeoff bound, for many selections with one noise of the
/// maximum, with sums over nodes instead of queries until its end. With a hint the search is on a
/// lattice of orders, whose sums are kept for all that ask, and ends at the vertex of the parabola
/// there: within 1e-8 of the search of an account, relative, which takes its place where epsilon at
/// the vertex is not what the parabola says (a kink) or there is none.
///
/// selection: the check of the aggregator; the noisy maximum is that of `nodes`.
[[nodiscard]] AccountEpsilon account_epsilon(const QueryNodes& nodes,
                                             const ThresholdCheck& selection,
                                             const EpsilonKind& kind, double hint);

/// A grid point whose epsilon is wanted as `account` gives it.
struct PointToRefine {
  std::size_t index;     ///< in the grid
  std::int64_t queries;  ///< asked
  double order;          ///< near the best
};

/// Their epsilons, the votes read once for each noise of the maximum and number of queries. Nothing
/// for those that were not reached when the watcher stops it.
[[nodiscard]] std::vector<std::optional<AccountEpsilon>> refine_points(
    const TuningTask& task, std::span<const PointToRefine> points);

}  // namespace pate
