#pragma once

#include <optional>
#include <variant>

#include "cli/commands/commands.hpp"
#include "pate/accounting/run.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/release/curve/complex_plan.hpp"
#include "pate/release/curve/curve_plan.hpp"
#include "pate/release/declared/at_most_plan.hpp"
#include "pate/release/declared/certificate.hpp"
#include "pate/release/public_release.hpp"
#include "pate/release/smooth/release_plan.hpp"
#include "pate/reports/curve_tables.hpp"
#include "pate/reports/release_report.hpp"

namespace pate::cli {

/// The settings of a release by any method; the same alternatives as `reports::AnyReleasePlan` has.
using AnySettings =
    std::variant<CurvePlanSettings, ReleaseSettings, AtMostSettings, ComplexPlanSettings>;

/// What all of them have in common.
[[nodiscard]] const ReleaseTerms& terms_of(const AnySettings& settings);

/// Those that the options ask for, with the parameters that were `found` in an earlier report.
/// Throws `usage_error` and `parameter_error`.
[[nodiscard]] AnySettings make_settings(const ReleaseOptions& options,
                                        const std::optional<reports::FoundParameters>& found);

/// What the test of a claim, or a curve, looks at.
[[nodiscard]] Certificate certificate_of(const ReleaseOptions& options, const Run& run);

/// The same where settings are of a curve or a claim; nothing of others.
[[nodiscard]] std::optional<Certificate> certificate_in_use(const AnySettings& settings,
                                                            const ReleaseOptions& options,
                                                            const Run& run);

/// The options with what is in force where nothing is given.
[[nodiscard]] ReleaseOptions in_force(ReleaseOptions options, const AnySettings& settings,
                                      const Run& run);

/// What would be released of these votes.
[[nodiscard]] reports::AnyReleasePlan make_plan(const VoteProfile& votes,
                                                const AnySettings& settings,
                                                const reports::CurveTables& tables,
                                                const Streams& streams);

/// Draws it: the one thing in `pate release` that costs privacy.
[[nodiscard]] PublicRelease draw(const VoteProfile& votes, const AnySettings& settings,
                                 const reports::AnyReleasePlan& plan, BitSource& source);

}  // namespace pate::cli
