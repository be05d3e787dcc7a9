#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/release/curve/curve_release.hpp"
#include "pate/release/declared/declared_run.hpp"

namespace pate {

/// How a declared budget fares with so many queries.
struct QueriesOutlook {
  std::int64_t queries = 0;
  double pass_probability = 0.0;
  double labels = 0.0;  ///< expected where the test passes
};

/// What is to be expected of a declared budget at one level of agreement: of ensembles that nobody
/// asked, not of anybody's votes.
struct ConsensusOutlook {
  double least_top_share = 0.0;  ///< top shares are spread evenly from here to 1
  double answered = 0.0;         ///< the share of queries that is answered
  std::vector<QueriesOutlook> by_queries;
  /// Pass probabilities, and the most queries that pass with each; none where not even one does.
  std::vector<std::pair<double, std::optional<std::int64_t>>> most_queries;
};

/// The outlook at the levels of agreement that default parameters are chosen for
/// (`kMinTopShares`), before there are votes: estimates, and no part of any guarantee. The costs
/// are those of the test, of `kOutlookHistograms` queries a level, in proportion to their number;
/// `by_queries` has the number of queries of `mechanism`, a half, a quarter and twice of it.
inline constexpr std::int64_t kOutlookHistograms = 200;
[[nodiscard]] std::vector<ConsensusOutlook> declared_outlook(const DeclaredMechanism& mechanism,
                                                             const CurveTableSource& source = {},
                                                             const ProgressCallback& progress = {});

}  // namespace pate
