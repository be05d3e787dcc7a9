#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/report.hpp"
#include "pate/events/record_sums.hpp"

namespace pate {

/// What is asked of the events of a record.
struct RecordSettings {
  /// Of what is printed, all in; unset: `default_delta` of the record.
  std::optional<double> delta = {};
  /// Only these orders; unset: the common grid and the continuum.
  std::optional<std::vector<double>> orders = {};
  /// Restrict the headline.
  std::optional<GuaranteeKind> reading = {};
  std::optional<EpsilonMethod> conversion = {};
  std::optional<Bound> bound = {};
  unsigned threads = 0;  ///< changes no bit
};

/// What the cost entries of a record are made of.
struct RecordQuestion {
  RecordSums& sums;
  double delta = 0.0;  ///< of the entries, all in
  double apart = 0.0;  ///< of it, what events need that have a delta of their own
  unsigned threads = 0;
  std::vector<double> orders;  ///< increasing
  bool grid_only = false;      ///< no orders but these

  [[nodiscard]] OrderSearch search() const { return {delta, grid_only, apart}; }
  /// Whether RDP can be converted: pure events need no delta beyond what is apart.
  [[nodiscard]] bool converts() const { return delta > apart; }
};

/// The question for some events at a delta, with the orders at which their costs are known or
/// change their slope.
[[nodiscard]] RecordQuestion question_of(RecordSums& sums, const RecordSettings& settings,
                                         double delta);

/// Profiles that others go on with tell losses apart down to this many times minus epsilon, less 1.
inline constexpr double kToldApart = 1.5;

// The entries of `account_record`, whose doc block tells what each of them means. Each function
// returns none where an event does not tell what they need.

/// What holds for any votes, the linear sum apart.
[[nodiscard]] std::vector<CostEntry> any_votes_entries(const RecordQuestion& asked,
                                                       std::vector<Notice>& notices);
/// The trade-off bound of the lists of queries; its RDP at the orders goes to `curve`.
[[nodiscard]] std::vector<CostEntry> tradeoff_entries(const RecordQuestion& asked,
                                                      std::vector<double>& curve,
                                                      std::vector<Notice>& notices);
/// What papers print: an expectation over the selection noise.
[[nodiscard]] std::vector<CostEntry> expected_entries(const RecordQuestion& asked, Bound bound,
                                                      std::vector<Notice>& notices);
/// Takes the sums behind the entries of one bound, reading and order query by query.
void sum_directly(const RecordQuestion& asked, Bound bound, GuaranteeKind reading, double order,
                  std::span<CostEntry> entries);
/// What was asked and answered, of these votes.
[[nodiscard]] std::vector<CostEntry> realized_entries(const RecordQuestion& asked,
                                                      std::vector<Notice>& notices);
/// The same for any votes, by how many queries were asked and answered.
[[nodiscard]] std::optional<CostEntry> counted_entry(const RecordQuestion& asked,
                                                     std::vector<Notice>& notices);
/// The exact costs and the privacy profile, whose curve goes to `curve`, and where it is asked for
/// the profile itself, forward and reverse, to `profiles`; orders are looked for around those of
/// `bounds`, the entries of the bounds.
[[nodiscard]] std::vector<CostEntry> exact_record_entries(
    const RecordQuestion& asked, std::span<const CostEntry> bounds,
    std::optional<ProfileCurve>& curve, std::vector<Notice>& notices,
    std::vector<PessimisticProfile>* profiles = nullptr);

/// The smallest fixed epsilon that holds for any votes; null where there is none.
[[nodiscard]] const CostEntry* least_public(std::span<const CostEntry> entries);

}  // namespace pate
