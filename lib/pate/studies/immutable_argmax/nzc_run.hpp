#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/report.hpp"
#include "pate/studies/immutable_argmax/constant_added.hpp"
#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// What is asked of a dump. One of `tau` and `constant`.
struct NzcSettings {
  NoisyMax noise;
  std::optional<double> tau;       ///< the constant is that of the authors for it
  std::optional<double> constant;  ///< in votes
  double delta = 0.0;              ///< of all answers
};

/// Queries at a distance from another plurality.
struct NzcDistance {
  std::int64_t votes_to_flip = 0;
  std::int64_t queries = 0;
  std::optional<double> smooth_sensitivity;  ///< of a count; where beta is known
};

/// One answer's and all answers' cost where the noise is that of the smooth sensitivity: scale b
/// S_beta, with epsilon1 = epsilon2 = 2/b. Half of delta is for the answers, half for their
/// composition.
struct NzcSmoothCost {
  double beta = 0.0;
  double epsilon = 0.0;  ///< of one answer, at query_delta
  double query_delta = 0.0;
  double simple = 0.0;              ///< epsilon of all answers, added up
  double kov = 0.0;                 ///< the same, composed exactly
  double delta = 0.0;               ///< of all answers
  std::int64_t least_distance = 0;  ///< votes_to_flip from which on S_beta is 1
  std::int64_t queries = 0;         ///< how many of these votes are that far
};

/// How right the labels are, of those that are known.
struct NzcUtility {
  double plurality_accuracy = 0.0;
  double at_least = 0.0, at_most = 0.0;  ///< expected accuracy of the answers is in between
};

/// The mechanism on a dump: what is claimed of it, and what holds.
struct NzcAnalysis {
  NzcSettings settings;
  ImmutableArgmax mechanism;
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::int64_t queries = 0;

  std::vector<std::int64_t> queries_by_gap;  ///< between the two largest counts: 0, 1, ...
  std::vector<NzcDistance> distances;        ///< increasing
  std::vector<std::int64_t> labels;          ///< queries by plurality

  double log_failure_at_tie = 0.0;
  double expected_failure = 0.0;  ///< mean over the queries, an upper bound
  std::optional<double> sufficient_constant;

  std::optional<double> claimed_epsilon;        ///< by the authors, of all answers
  std::optional<double> claimed_query_epsilon;  ///< of one
  bool holds = false;
  std::string reason;
  BoundaryLoss boundary;

  double global_sensitivity = 1.0;  ///< of a count
  std::vector<CostEntry> global;    ///< of all answers
  double global_query = 0.0;        ///< pure epsilon of one, or RDP at order alpha over alpha
  std::optional<NzcSmoothCost> smooth;
  std::optional<NzcUtility> utility;
  std::vector<Notice> notices;
};

/// Computes all of it; reads the votes once. `labels`, if any, by row of the votes. Throws
/// `parameter_error` for settings out of range, no queries or fewer than two classes, and what
/// reading throws.
[[nodiscard]] NzcAnalysis analyze_nzc(const VoteSource& votes, const RowSelection& rows,
                                      const std::optional<std::vector<std::int32_t>>& labels,
                                      const NzcSettings& settings);

/// Nothing: the report accounts for no run.
[[nodiscard]] Guarantee guarantee_of(const NzcAnalysis& analysis);

}  // namespace pate
