#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/step_counts.hpp"

namespace pate {

/// Which votes a part is about.
struct VotesIdentity {
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::string sha256;  ///< of the file
  /// Of the counts of the selected rows; the same votes in another file have the same.
  std::string digest;
};

/// An epsilon that was published for a part, with its delta.
struct Released {
  double epsilon = 0.0;
  double delta = 0.0;
};

/// One thing that was done with an ensemble, or is planned: what a report says that is needed to
/// add it to others.
struct Part {
  std::string name;  ///< what messages call it: the file
  std::string mechanism;
  std::optional<VotesIdentity> votes;  ///< none for a plan
  std::int64_t queries = 0;
  std::optional<double> answered_expected;
  double answered_sd = 0.0;
  std::optional<std::int64_t> answered_realized;
  std::optional<double> delta;  ///< at which its costs are told; none where only a release counts

  /// Noisy steps at most, whatever the votes. A part that is counted by its published epsilon has
  /// none here.
  StepCounts steps;
  /// RDP under each data-dependent bound at the orders; a part without votes has none.
  std::vector<double> orders;
  std::map<Bound, RdpCurves> curves;
  std::optional<ExactCurves> exact;
  std::optional<Released> released;

  /// Whether its queries or scores were made from the answers of other parts.
  bool adaptive = false;
  /// Whether its own answers decided where it stopped.
  bool stopped = false;
};

/// What several parts cost together.
struct Composition {
  std::optional<std::int64_t> teachers, classes;  ///< none without votes, or where they differ
  std::int64_t queries = 0;
  double delta = 0.0;                       ///< of the conversion and of what was released
  std::optional<double> conversion_delta;   ///< none where nothing but releases is added up
  std::optional<double> answered_expected;  ///< none where a part does not know
  double answered_sd = 0.0;
  std::optional<std::int64_t> answered_realized;

  std::vector<CostEntry> costs;
  std::size_t headline = 0;  ///< index in costs
  StepCounts steps;
  std::optional<Released> released;  ///< the sum
  std::vector<double> orders;
  std::map<Bound, RdpCurves> curves;
  std::optional<ExactCurves> exact;
  /// The headline after each part, in their order.
  std::vector<TrajectoryPoint> trajectory;
  std::vector<Notice> notices;
};

}  // namespace pate
