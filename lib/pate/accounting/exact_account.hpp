#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/pld_account.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/teacher_profiles.hpp"
#include "pate/accounting/teacher_votes.hpp"
#include "pate/divergence/exact/exact_run.hpp"
#include "pate/divergence/rdp/orders.hpp"

namespace pate {

/// How exact costs are computed.
struct ExactSettings {
  OrderSearch search;
  ProfileSettings profile;
  unsigned threads = 0;
  /// Without profiles: of a part of a run, which has none of its own.
  bool is_part = false;
  /// `when_profiling` of AccountSettings.
  std::function<ProgressCallback(const char* what)> when_profiling = {};

  [[nodiscard]] ProgressCallback begin(const char* what) const {
    return when_profiling ? when_profiling(what) : ProgressCallback{};
  }
};

/// The entry of a profile's ends at delta, of which the lower is at most the upper.
[[nodiscard]] CostEntry profile_entry(Bound bound, double delta, double upper, double lower);
/// Says how wide the interval of such an entry is where that is more than 1 %.
void note_interval(const CostEntry& entry, std::vector<Notice>& notices);
/// Why there is no profile, and who may see exact costs.
[[nodiscard]] Notice no_profile();
[[nodiscard]] Notice exact_private();

/// The smallest, the quartiles and the largest, linear between the values.
[[nodiscard]] std::array<double, 5> quantiles_of(std::vector<double> values);

/// Adds entries before the data-independent ones. The headline stays what it was.
void insert_entries(std::span<const CostEntry> entries, Account& account);

/// Adds the exact costs of a run to its account: entries `exact`, the last with the conversion
/// `profile` where outcome probabilities are known, and, where the sums of teachers or their
/// `votes` (or null) are known, `exact_per_teacher` with every teacher's own epsilon, before the
/// data-independent entries; and their notices. The headline stays what it was.
///
/// Each direction is summed and converted on its own; the larger epsilon is reported with the order
/// it was found at. `exact` is minimised over the continuum of orders, `exact_per_teacher` over the
/// grid, so that parts of a run can be added up, and is at most `exact`; with `search.grid_only`
/// both over the account's orders, and the RDP at them is filled in. No profile is above what RDP
/// makes of the same outcomes.
void add_exact_costs(const ExactPartials& partials, TeacherVotes* votes,
                     const ExactMechanism& mechanism, const ExactSettings& settings,
                     Account& account);

}  // namespace pate
