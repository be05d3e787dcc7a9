#pragma once

#include <string>

#include "pate/accounting/planning/plan.hpp"
#include "pate/accounting/report.hpp"
#include "pate/events/event.hpp"
#include "pate/labeling/label_run.hpp"
#include "pate/studies/darrm/majority_run.hpp"

namespace pate {

// What commands do, as events.

/// An analysis: what a run would cost, or did; nothing that happened itself. Its table and queries
/// are those of the account, and curves where it has no table.
[[nodiscard]] Event analysed_run(const Account& account);

/// A run to come.
[[nodiscard]] Event planned_run(const Plan& plan);

/// A run of the mechanism, of which `account` is what it cost (`label_account`). `id`: 32
/// hexadecimal digits of random bits that no other event has.
[[nodiscard]] Event labelled_run(const Account& account, const LabelledQueries& labelled,
                                 const PrivacyFilter& filter, const RunLimits& limits,
                                 const std::string& id);

/// A run of so many queries whose budget was declared beforehand, and the private test before it:
/// together (epsilon, delta)-DP, whether the test passed or not. Nothing else is told of it, and
/// what its answers cost by themselves is no part of it. `id` as above; digests are added by who
/// knows the files.
[[nodiscard]] Event declared_run(const Mechanism& aggregator, std::int64_t teachers,
                                 std::int64_t classes, std::int64_t queries,
                                 const PrivacyClaim& declared, const std::string& id);

/// The RDP that a filter with a limit guarantees at its order; `delta` is what the deltas of all
/// queries leave. Rounded upwards.
[[nodiscard]] RdpCap cap_of_filter(double max_epsilon, double order, double delta);

/// Answers of a private majority whose costs compose: of teachers with new coins for every query,
/// and of teachers that promise nothing. Throws `parameter_error` for others. `id`: empty where
/// nothing was drawn.
[[nodiscard]] Event majority_answers(const MajorityPlan& plan, const std::string& id);

}  // namespace pate
