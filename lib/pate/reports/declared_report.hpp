#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/events/event.hpp"
#include "pate/release/declared/declared_run.hpp"
#include "pate/reports/audience.hpp"
#include "pate/reports/label_report.hpp"
#include "pate/reports/report_context.hpp"

namespace pate::reports {

/// The labels of a run whose budget was declared, and where they are.
struct DeclaredLabels {
  const LabelledQueries& labelled;
  bool passed = false;  ///< else they are those of what follows a failed test
  std::string path;
  LabelsFormat format = LabelsFormat::npy;
  std::string sha256;
};

/// A run whose budget was declared beforehand, or a rehearsal of it.
struct DeclaredReport {
  const DeclaredMechanism& mechanism;
  std::vector<Notice> notices;
  /// What is promised: the number that was declared. None of a rehearsal.
  std::optional<CostEntry> declared = {};
  std::optional<DeclaredLabels> labels = {};
  std::optional<DeclaredRehearsal> rehearsal = {};
  std::optional<std::string> ledger = {};  ///< its path
  std::optional<ToldEpsilon> total = {};   ///< of the ledger, with this run

  /// What its number promises, in words: nothing of a rehearsal.
  [[nodiscard]] Guarantee guarantee() const;
};

/// The declared number as a cost; its method is that of the certificate of its test.
[[nodiscard]] CostEntry declared_entry(const DeclaredMechanism& mechanism);

/// The event of the run and of its test, the same whatever comes out. `ensemble` and `id` as of
/// `label_event`; `rows_from_answers`: whether the list was made from earlier answers.
[[nodiscard]] Event declared_event(const DeclaredMechanism& mechanism,
                                   const std::vector<InputFile>& inputs,
                                   const std::string& ensemble, bool rows_from_answers,
                                   const std::string& id);

/// The JSON report of `pate label --declared-epsilon` (cli/schemas/label.schema.json).
[[nodiscard]] std::string declared_report_json(const DeclaredReport& report,
                                               const ReportContext& context,
                                               Audience audience = Audience::owner);

}  // namespace pate::reports
