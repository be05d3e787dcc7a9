#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pate/accounting/mechanism_counts.hpp"
#include "pate/accounting/names.hpp"
#include "pate/divergence/exact/vote_groups.hpp"
#include "pate/mechanisms/mechanism.hpp"

namespace pate {

/// Whether the best order is an end of the orders that were allowed.
enum class OrderEnd { none, lowest, highest };

/// One cost of a run.
struct CostEntry {
  Bound bound = Bound::data_independent;
  GuaranteeKind reading = GuaranteeKind::worst_case;
  EpsilonMethod conversion = EpsilonMethod::improved;
  double epsilon = 0.0;  ///< +inf where there is none
  double delta = 0.0;    ///< 0 for `pure`
  std::optional<double> order =
      {};  ///< none for conversions without RDP, and where nothing was spent
  OrderEnd order_end = OrderEnd::none;
  /// No guarantee: of answers that were already given, at the order that suits them best, where
  /// only one that was fixed before gives one. Told by sums only.
  bool order_chosen_after = false;
  /// Standard deviation of the spent budget over the selection noise; reading `expected` with a
  /// selection only.
  std::optional<double> sd = {};
  /// What epsilon cannot be below; conversion `profile` only.
  std::optional<double> lower = {};
  /// What epsilon is made of; the values add up to it. Of the optimal conversion `delta` is what
  /// is missing to epsilon from the RDP.
  std::vector<std::pair<std::string, double>> parts = {};
  bool data_dependent = false;
  bool releasable = false;  ///< whether the number may be published as it is
  Promise promise = Promise::fixed;
};

/// Something a reader must know to read the numbers right. Codes are stable.
struct Notice {
  std::string code;
  std::string message;
};

/// RDP of the run at the grid of orders under one bound, as the reading `expected` weighs it.
struct RdpCurves {
  std::vector<double> selection, noisy_max;
  std::vector<double> joint;               ///< tradeoff only
  std::vector<double> noisy_max_realized;  ///< of the answered queries; with decisions only
  /// Variance of the spent budget over the selection noise; with a selection only.
  std::vector<double> spent_variance;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const RdpCurves&, const RdpCurves&) = default;
};

/// Exact RDP of the run, reading `joint`, at the grid of orders; each direction on its own.
struct ExactCurves {
  std::vector<double> forward, reverse;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const ExactCurves&, const ExactCurves&) = default;
};

/// Queries that no bound tells apart, and what became of them.
struct QueryRow {
  std::int64_t statistic = 0;  ///< compared with the threshold; 0 without a selection
  double log_q = 0.0;          ///< of the noisy maximum
  std::int64_t count = 0;      ///< of the list that was fixed beforehand
  std::int64_t asked = 0;      ///< of these, before the run ended
  std::int64_t answered = 0;   ///< of these, where it is known which

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const QueryRow&, const QueryRow&) = default;
};

/// The headline's epsilon after the first `queries` queries.
struct TrajectoryPoint {
  std::int64_t queries = 0;
  double answered = 0.0;  ///< expected; the number answered for the reading `realized`
  double epsilon = 0.0;
  double order = 0.0;
};

/// How useful the released labels are; needs true labels.
struct Utility {
  double expected_accuracy = 0.0;   ///< of the released labels, over the noise
  double plurality_accuracy = 0.0;  ///< of the noiseless plurality, over all queries
};

/// What the run costs every single teacher, exactly; needs predictions. Conversion `optimal`.
struct PerTeacher {
  std::vector<double> epsilon;        ///< by teacher
  std::array<double, 5> quantiles{};  ///< smallest, quartiles and largest
  /// Conversion `profile`, where it is known, by teacher; and the teachers whose epsilon is from
  /// the finer grid, as that of the most costly is.
  std::optional<std::vector<double>> profile = {};
  std::vector<std::int64_t> refined = {};
};

/// The certified ends of one value of a privacy profile: forward, then reverse.
struct ProfileEnds {
  std::array<double, 2> upper{}, lower{};
};

/// The exact privacy profile of a run: epsilon at each delta, delta at each epsilon.
struct ProfileCurve {
  double step = 0.0;  ///< of the grid of losses
  std::vector<double> deltas;
  std::vector<ProfileEnds> epsilon_at;
  std::vector<double> epsilons;
  std::vector<ProfileEnds> delta_at;
};

/// Of how many queries a bound says no more than what holds for any votes: their noisy maximum
/// costs, to 1e-8, as much as it can.
struct AtCap {
  Bound bound = Bound::published;
  double order = 0.0;  ///< the best one of the bound's first cost
  std::int64_t queries = 0;
};

/// What `account` finds.
struct Account {
  Mechanism aggregator;
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::int64_t queries = 0;
  double delta = 0.0;
  double query_delta = 0.0;  ///< of it, by queries: 0 but for PTR

  double answered_expected = 0.0;
  double answered_sd = 0.0;
  std::optional<std::int64_t> answered_realized;
  std::optional<double> answered_student;  ///< `expected_reinforced`, where it was asked for

  std::vector<CostEntry> costs;
  std::size_t headline = 0;  ///< index in costs
  std::vector<AtCap> at_cap;

  /// Every query answered.
  MechanismCounts steps;
  std::vector<double> orders;
  std::optional<RdpCurves> published, tradeoff;
  std::optional<ExactCurves> exact;     ///< with exact costs at given orders only
  std::optional<ProfileCurve> profile;  ///< with exact costs
  std::vector<TrajectoryPoint> trajectory;
  std::optional<Utility> utility;
  std::optional<PerTeacher> per_teacher;
  /// All that the bounds look at, and with exact costs all that these do; empty where they are more
  /// than a report keeps.
  std::vector<QueryRow> table = {};
  std::vector<ExactQuery> exact_queries = {};
  std::vector<Notice> notices;
};

}  // namespace pate
