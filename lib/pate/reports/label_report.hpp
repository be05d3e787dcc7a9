#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pate/accounting/report.hpp"
#include "pate/labeling/label_run.hpp"
#include "pate/labeling/privacy_filter.hpp"
#include "pate/reports/labels_file.hpp"
#include "pate/reports/ledger_text.hpp"
#include "pate/reports/report_json.hpp"

namespace pate {

/// What a run of the mechanism gave, what it cost and where its labels are.
struct LabelReport {
  const Account& account;  ///< of `label_account`
  const LabelledQueries& labelled;
  const PrivacyFilter& filter;
  const RunLimits& limits;
  std::string path;  ///< of the labels
  LabelsFormat format = LabelsFormat::npy;
  std::string sha256;                 ///< of the labels
  std::optional<std::string> ledger;  ///< its path
};

/// The JSON report of `pate label` (cli/schemas/label.schema.json).
[[nodiscard]] std::string label_report_json(const LabelReport& report,
                                            const ReportContext& context);

/// What the ledger keeps of the run before its labels become visible: nothing that depends on the
/// votes but through the answers.
[[nodiscard]] LedgerEntry label_ledger_entry(const LabelReport& report,
                                             const ReportContext& context);

}  // namespace pate
