#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/tally.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/tuning/query_nodes.hpp"
#include "pate/tuning/vote_sums.hpp"

namespace pate {

/// Which epsilon of a run is meant.
struct EpsilonKind {
  VoteSums::Kind cost;
  Conversion conversion = Conversion::improved;
  double delta = 0.0;
  std::optional<std::vector<double>> orders;  ///< restricts orders to these
};

/// An epsilon and the order at which it is attained; order 0 where nothing is spent.
struct ExactEpsilon {
  double epsilon = 0.0;
  double order = 0.0;
};

/// The epsilon that `account` reports for this bound, reading and conversion: the same sums at the
/// same orders and the same search on the continuum, but from a few orders around the best instead
/// of all. Equal to 1e-9 where epsilon falls and then rises with the order, as it does.
///
/// hint: an order near the best, or 0. `threads` changes no bit.
[[nodiscard]] ExactEpsilon exact_epsilon(const Tally& tally, const Aggregator& aggregator,
                                         const EpsilonKind& kind, double hint, unsigned threads);

/// The same for the joint reading of the tradeoff bound, for many selections with one noise of the
/// maximum: the same search, with sums over nodes instead of queries (query_nodes.hpp). Rounded
/// outwards by 4e-10, relative.
///
/// selection: the check of the aggregator; the noisy maximum is that of `nodes`.
[[nodiscard]] ExactEpsilon exact_epsilon(const QueryNodes& nodes, const ThresholdCheck& selection,
                                         const EpsilonKind& kind, double hint);

}  // namespace pate
