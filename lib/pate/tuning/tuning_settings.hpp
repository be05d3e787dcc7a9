#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/run.hpp"
#include "pate/parallel/parallel_for.hpp"
#include "pate/rdp/conversion.hpp"

namespace pate {

/// The votes that parameters are tuned on.
struct TuningVotes {
  const VoteSource& votes;
  RowSelection rows;
  const StudentScores* student = nullptr;
  std::optional<std::vector<std::int32_t>> labels;
};

/// The run with the parameters of a point on the first `queries` of the votes' queries, without
/// labels. Domain: 0 <= queries <= votes.rows.size().
[[nodiscard]] Run run_of(const TuningVotes& votes, const Aggregator& aggregator,
                         std::int64_t queries);

/// Which cost of a run: the reading joint or expected of a bound.
struct CostKind {
  Bound bound = Bound::tradeoff;
  Reading reading = Reading::joint;
};

/// Which epsilon of a run is meant.
struct EpsilonKind {
  CostKind cost;
  Conversion conversion = Conversion::improved;
  double delta = 0.0;
  std::optional<std::vector<double>> orders;  ///< restricts orders to these
};

/// Which epsilon the points have and how many answers are wanted.
struct GridSettings {
  EpsilonKind kind;
  /// Of every point only so many queries are asked, the first ones, as are expected to give this
  /// many answers (a multiple of a 64th of all queries); further answers do not count.
  std::optional<double> max_answers;
  unsigned threads = 0;  ///< 0: all processors; changes no bit
};

/// How a long computation talks to the one who waits; both may be empty. Called from any thread.
struct Watcher {
  ProgressCallback progress;   ///< told of points
  std::function<bool()> stop;  ///< whether to stop as soon as possible

  [[nodiscard]] bool wants_stop() const { return stop && stop(); }
};

}  // namespace pate
