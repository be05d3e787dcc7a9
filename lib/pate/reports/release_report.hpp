#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/release/as_published/release.hpp"
#include "pate/release/curve/complex_plan.hpp"
#include "pate/release/curve/curve_plan.hpp"
#include "pate/release/declared/at_most_plan.hpp"
#include "pate/release/smooth/release_plan.hpp"
#include "pate/reports/audience.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/report_context.hpp"

namespace pate::reports {

/// A plan of any method.
using AnyReleasePlan = std::variant<CurvePlan, ReleasePlan, AtMostPlan, ComplexPlan>;

/// The report `pate/release/v1` as JSON text: `private` with the numbers behind a plan, and
/// `public` once a number was drawn, which must have been for everybody. The two are never mixed.
/// `neighbours`: of the run. `chosen_from`: the digests of `FoundParameters`, which the private
/// part keeps. Notices for everybody are those of `public_notices`.
[[nodiscard]] std::string release_report_json(const AnyReleasePlan& plan,
                                              const std::optional<PublicRelease>& published,
                                              const std::vector<std::string>& chosen_from,
                                              const std::vector<Notice>& notices,
                                              const ReportContext& context,
                                              const Neighbours& neighbours,
                                              Audience audience = Audience::owner);

/// The report `pate/release/v1` of S18's own procedure, as JSON text: `"valid": false`, the
/// conditions and the private numbers; there is nothing to publish.
[[nodiscard]] std::string as_published_report_json(const AsPublishedRelease& release,
                                                   GuaranteeKind reading,
                                                   const std::vector<Notice>& notices,
                                                   const ReportContext& context);

/// A release of the run `about`, an id, that counts the numbers `covers` about it. `id`: 32
/// hexadecimal digits of random bits that no other event has.
[[nodiscard]] Event release_event(const AnyReleasePlan& plan, const PublicRelease& published,
                                  const ReleasedRun& run, const std::string& about,
                                  const std::vector<std::string>& covers, const std::string& id);

/// Parameters that a report tells of.
struct FoundParameters {
  double order = 0.0;
  double beta = 0.0;
  double noise = 0.0;  ///< sigma of the release; s of a curve
  /// Where they were chosen to suit votes, here or in a report that they were taken from: SHA-256
  /// of the file these lay in, and their digest. Parameters that were fixed before have none.
  std::vector<std::string> chosen_from = {};
  /// Of a curve by complex orders, which has no order.
  std::optional<ComplexParameters> complex = {};
};

/// Order, beta and noise of the release report in a file. Throws `input_error` naming the file
/// where it cannot be read, is no report of `pate release` by this method, or has only its public
/// part, which is enough for a curve.
[[nodiscard]] FoundParameters read_release_parameters(const std::string& path,
                                                      ReleaseMethod method);

}  // namespace pate::reports
