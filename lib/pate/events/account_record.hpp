#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/report.hpp"
#include "pate/events/drawn_numbers.hpp"
#include "pate/events/record_answers.hpp"
#include "pate/events/record_entries.hpp"
#include "pate/release/public_release.hpp"

namespace pate {

/// What the events of a record cost together.
struct RecordAccount : RecordAnswers {
  Record events = {};        ///< in their order in the record
  double delta = 0.0;        ///< of the costs, all in
  double query_delta = 0.0;  ///< of it, what is added apart

  std::vector<CostEntry> costs = {};
  std::size_t headline = 0;  ///< index in costs
  MechanismCounts steps = {};
  bool adaptive = false;                     ///< answers of some events chose the queries of others
  std::optional<ToldEpsilon> released = {};  ///< numbers that were drawn, added up
  std::vector<double> orders = {};
  std::vector<double> any_votes = {};  ///< RDP for any votes at the orders
  std::vector<double> tradeoff = {};   ///< of these votes; empty where no event tells
  std::optional<ProfileCurve> profile = {};
  /// The headline after each event, in their order in the record; empty where that would take long.
  std::vector<TrajectoryPoint> trajectory = {};
  std::vector<Notice> notices = {};
  std::vector<std::string> not_covered = {};  ///< of what else its promise does not cover, in words
};

/// Accounts for all events of a record, done one after the other with the same teachers.
///
/// Numbers with a fixed epsilon, of which any may be taken, and so the smallest:
///
///     any votes  improved, classic   RDP of all events, each the least that is known of it for any
///                optimal             votes at the order (Mironov 2017, Proposition 1)
///                gdp                 all Gaussian: their exact composition
///                pure, kov           all pure: the sum, and of one epsilon the exact composition
///                profile             Gaussian and pure ones together: their dominating pairs
///                linear              the sum of a number of each event's own, where it is smaller
///     tradeoff   joint               the same with the trade-off bound of the lists of queries
///     exact      joint               with their exact costs, by direction, and as a privacy
///                                    profile where every other event is Gaussian
///
/// Numbers that depend on what came out (no minimum of them holds):
///
///     tradeoff   realized   what was asked and answered, at the order that all such events named
///                           before; where they did not, at the best of 2, 3, 4, 6, 8, 12, 16 and
///                           32, with an eighth of delta each
///     any votes  realized   the same for any votes, by how many queries were asked and answered
///     released   released   numbers that were drawn count their runs, other events by their cost
///                           for any votes; epsilons and deltas add up (public_release.hpp)
///
/// and `expected`, which promises nothing. Nothing depends on the order of the events, nor on how
/// records were joined. Throws `parameter_error` for an empty record, for a delta outside of (0, 1)
/// (0 goes for pure events) and settings that fit no cost; `input_error` where the delta leaves
/// nothing beside what is added apart.
[[nodiscard]] RecordAccount account_record(const Record& record, const RecordSettings& settings);

/// What a number that is published beside a record adds for it: the epsilons that were drawn, which
/// count their runs, and the cost of the other events for any votes, at `default_delta`. +inf where
/// nothing is known. Nothing in it depends on votes but what is public.
[[nodiscard]] ToldEpsilon told_total(const Record& record);

/// What a number rests on that counts these events by `told_total`, and whom it is about.
[[nodiscard]] OthersConditions conditions_of_total(const Record& record);

/// What the headline promises about `released`, as "all that these rounds put out".
[[nodiscard]] Guarantee guarantee_of(const RecordAccount& account,
                                     const std::string& released = "all that these rounds put out");

}  // namespace pate
