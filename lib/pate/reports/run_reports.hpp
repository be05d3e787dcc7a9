#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/partials.hpp"
#include "pate/accounting/planning/agreement_outlook.hpp"
#include "pate/accounting/planning/plan.hpp"
#include "pate/accounting/planning/weights_for_budgets.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/weighted_account.hpp"
#include "pate/events/account_record.hpp"
#include "pate/release/declared/declared_outlook.hpp"
#include "pate/reports/audience.hpp"
#include "pate/reports/public_notices.hpp"
#include "pate/reports/published_sensitivity.hpp"
#include "pate/reports/report_context.hpp"

namespace pate {
struct CostsApart;
}

namespace pate::reports {

// Reports of what runs cost, as JSON text: two spaces of indentation, ending in a newline. Numbers
// read back to the same double; infinities and NaN become null.

/// An analysis as an event. Row numbers in a file may have been picked by earlier answers, and a
/// student's scores learnt from them: both count as made from answers.
[[nodiscard]] Event analysis_event(const Account& account, const std::vector<InputFile>& inputs);

/// The report `pate/analyze/v1`. Of a shard, `partials` is what the report adds so that all shards
/// can be put together. For everybody: of a `public_part`. `apart`, or null: what
/// teachers that are told apart pay.
[[nodiscard]] std::string analyze_report_json(const Account& account, const ReportContext& context,
                                              const Partials* partials = nullptr,
                                              Audience audience = Audience::owner,
                                              const CostsApart* apart = nullptr);

/// What several parts cost together as a report `pate/analyze/v1` that names its parts. The
/// mechanism is "composed". It can be composed again. For everybody: of a `public_record`.
[[nodiscard]] std::string composed_report_json(const RecordAccount& sum,
                                               const ReportContext& context,
                                               Audience audience = Audience::owner);

/// What a plan says of a budget that is declared beforehand.
struct DeclaredPlan {
  DeclaredBudget budget;
  Certificate certificate = Certificate::renyi;
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::vector<ConsensusOutlook> consensus;
};

/// What a plan says besides the run: what was asked for.
struct PlanExtras {
  std::optional<DeclaredPlan> declared;
  std::optional<PublishedSensitivity> sensitivity;
  std::optional<AgreementOutlook> agreement;  ///< what the noise leaves of it
  std::vector<WeightCost> weights;  ///< what teachers of each weight pay, where they have weights
  std::vector<GroupWeight> group_weights;  ///< those that were found for groups
};

/// The report `pate/plan/v1`.
[[nodiscard]] std::string plan_report_json(const Plan& plan, const ReportContext& context,
                                           const PlanExtras& extras = {},
                                           Audience audience = Audience::owner);

/// What of an account may be published: costs that hold for any votes, or say nothing but what the
/// answers say. The headline is the smallest of those that were certain before the run. 0 teachers
/// where they are added or removed. Notices,
/// which may name `paths`, are those of `public_notices`.
[[nodiscard]] Account public_part(const Account& account,
                                  const std::vector<std::string>& paths = {});

}  // namespace pate::reports
