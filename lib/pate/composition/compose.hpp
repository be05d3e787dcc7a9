#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/names.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/step_counts.hpp"
#include "pate/exact/exact_run.hpp"

namespace pate {

/// Which votes a part is about.
struct VotesIdentity {
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::string sha256;  ///< of the file
  /// Of the counts of the selected rows; the same votes in another file have the same.
  std::string digest;
  /// The ledger that vouches for its teachers: all that it records is about one ensemble.
  std::string ledger = {};
};

/// An epsilon that was released for a part, with its delta.
struct Released {
  double epsilon = 0.0;
  double delta = 0.0;
};

/// What qualifies costs beyond their numbers. A sum has the weakest of its parts.
struct Provenance {
  /// Of released numbers: whether parameters of one were chosen from votes, and the smallest
  /// probability that the noise in one did not make it too small.
  std::optional<bool> parameters_chosen;
  std::optional<double> confidence;
  /// The one order that was named before the run.
  std::optional<double> fixed_order;
  /// Whether limits could stop the run after some of its answers, and whether they did. The costs
  /// that depend on the votes are guarantees at `fixed_order` then, and known at no other.
  bool limited = false;
  bool stopped = false;
  /// Whether its queries or scores were made from the answers of other parts; whether such parts
  /// were added up with others.
  bool adaptive = false;
  bool adaptive_rounds = false;
  /// Set where one record of the data is protected, not one teacher's votes: answers of teachers
  /// that are private themselves.
  std::optional<bool> records = {};
};

/// The distinct queries of a run whose list was fixed beforehand: all that its privacy profile is
/// made of.
struct ProfiledQueries {
  Aggregator aggregator;
  std::int64_t queries = 0;
  std::vector<ExactQuery> distinct;  ///< in canonical order
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

  /// Noisy steps at most, whatever the votes. A part that is counted by its released epsilon has
  /// none here.
  StepCounts steps;
  /// RDP under each data-dependent bound at the orders; a part without votes has none.
  std::vector<double> orders;
  std::map<Bound, RdpCurves> curves;
  std::optional<ExactCurves> exact;
  std::vector<ProfiledQueries> profiled;  ///< with exact RDP; of a sum, those of its parts
  std::optional<Released> released;

  Provenance provenance;
};

/// What of a part may be published: its noisy steps and its releases, nothing that depends on the
/// votes in another way. Messages call it "part `number`", not by its file.
[[nodiscard]] Part public_part(Part part, std::size_t number);

/// What several parts cost together.
struct Composition {
  std::optional<std::int64_t> teachers, classes;  ///< none without votes, or where they differ
  std::int64_t queries = 0;
  double delta = 0.0;                       ///< of the conversion and of what was released
  std::optional<double> conversion_delta;   ///< none where nothing but releases is added up
  double query_delta = 0.0;                 ///< of that, by queries of PTR
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
  std::vector<ProfiledQueries> profiled;
  std::optional<ProfileCurve> profile;
  Provenance provenance;
  /// The headline after each part, in their order.
  std::vector<TrajectoryPoint> trajectory;
  std::vector<Notice> notices;
};

/// What the headline of a sum promises.
[[nodiscard]] Guarantee guarantee_of(const Composition& sum);

struct ComposeSettings {
  /// At which the sum is converted; unset: that of the parts, which must agree.
  std::optional<double> delta;
  /// Only these orders, at which every part must know its cost; unset: all the parts share.
  std::optional<std::vector<double>> orders;
  /// Restrict the headline; unset picks by the default order of reports, and the smallest cost
  /// where all hold for every votes.
  std::optional<Reading> reading;
  std::optional<ReportedConversion> conversion;
  std::optional<Bound> bound;
  /// The parts are about the same teachers although their votes lie in different files.
  bool same_teachers = false;
  unsigned threads = 0;  ///< of the privacy profile; changes no bit
};

/// Adds up what was done with the same teachers, one after the other.
///
/// RDP adds at each order, for every bound and reading that all parts with votes have; a part
/// without votes adds its data-independent RDP to each. Exact RDP adds by direction; where the
/// queries of all parts are known and none depend on answers of others, the privacy profile is that
/// of all of them, with Gaussian steps of parts without votes as its start. The order is
/// then the best of the orders that the parts share (Mironov 2017, Proposition 1). Noisy steps add
/// as counts, so that the exact compositions of data-independent costs are those of one run with
/// all the steps. Released epsilons are added to the result, and their deltas (Dwork, Roth 2014,
/// Theorem 3.16). No sum is below that of the parts.
///
/// An order that is looked for after the answers gives a guarantee only for costs that do not
/// depend on them. So costs of runs with limits are added at the one order they all fixed, or left
/// out; realized costs at the order that the runs with a selection fixed; rounds whose queries or
/// scores depend on earlier answers at the one order named in all of them. Where none was, the best
/// is told, marked `order_chosen_after`.
///
/// Throws `input_error`, naming the parts, for parts that protect different things, votes of
/// different teachers (or, without `same_teachers`, of different files), different deltas (without
/// `delta`), orders that not all have, a total delta of 1 or more; `parameter_error` for settings
/// that fit no cost.
[[nodiscard]] Composition compose(std::span<const Part> parts, const ComposeSettings& settings);

}  // namespace pate
