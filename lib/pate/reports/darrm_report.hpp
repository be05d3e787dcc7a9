#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pate/reports/audience.hpp"
#include "pate/reports/label_report.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/report_context.hpp"
#include "pate/studies/darrm/majority_answers.hpp"

namespace pate::reports {

/// What `pate darrm` has to say: a plan, and with votes how its answers agree with them, and with
/// labels where these are.
struct DarrmReport {
  const MajorityPlan& plan;
  std::optional<MajorityVotes> votes = {};
  struct Labels {
    std::string path;
    LabelsFormat format = LabelsFormat::npy;
    std::string sha256;
  };
  std::optional<Labels> labels = {};
  std::optional<std::string> ledger = {};  ///< its path
  std::optional<ToldEpsilon> total = {};   ///< of the ledger, with this run
  std::vector<Notice> notices = {};
};

/// The JSON report (cli/schemas/darrm.schema.json). For everybody: with the notices as they are (of
/// `public_notices`), and all but what is made of the votes, settings, paths and digests.
[[nodiscard]] std::string darrm_report_json(const DarrmReport& report, const ReportContext& context,
                                            Audience audience = Audience::owner);

/// The answers as an event, of teachers whose costs compose (`majority_answers`). `id`: empty for a
/// plan.
[[nodiscard]] Event darrm_event(const DarrmReport& report, const std::vector<InputFile>& inputs,
                                const std::string& ensemble, const std::string& id);

}  // namespace pate::reports
