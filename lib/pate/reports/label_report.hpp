#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pate/accounting/report.hpp"
#include "pate/accounting/weighted_account.hpp"
#include "pate/labeling/label_run.hpp"
#include "pate/labeling/privacy_filter.hpp"
#include "pate/reports/audience.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/report_context.hpp"
#include "pate/votes/row_selection.hpp"

namespace pate::reports {

class FieldWriter;

/// How a file of labels, or of other integers, is written.
enum class LabelsFormat { npy, csv, tsv };

}  // namespace pate::reports

template <>
inline constexpr std::array<pate::Named<pate::reports::LabelsFormat>, 3>
    pate::kNames<pate::reports::LabelsFormat>{{
        {pate::reports::LabelsFormat::npy, "npy"},
        {pate::reports::LabelsFormat::csv, "csv"},
        {pate::reports::LabelsFormat::tsv, "tsv"},
    }};

namespace pate::reports {

/// The format that a file name asks for by its end: .npy, .csv or .tsv. Throws `parameter_error`
/// naming the file for any other.
[[nodiscard]] LabelsFormat labels_format(std::string_view path);

/// The labels of a run as the bytes of a file: one row per query of the selection `rows`, -1 where
/// there is no label. npy: int64, of shape (N,). Text: a header "row,label" and the row of the
/// votes in front of each label, by which `read_decisions` goes.
///
/// `with_sources` adds a last column: who the label is from. npy: shape (N, 2), 0 a teacher, 1 the
/// student, -1 refused. Text: "source": teacher, student, refused.
[[nodiscard]] std::string labels_bytes(const LabelledQueries& labelled, const RowSelection& rows,
                                       LabelsFormat format, bool with_sources);

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
  std::optional<ToldEpsilon> total;   ///< of the ledger, with this run
  /// What teachers of each weight pay, where votes count by weights.
  std::span<const WeightCost> weights = {};
};

/// The member `labels` of any report of labels: their file, and what became of the queries, which
/// may be published.
void write_labels(FieldWriter& a, const std::string& path, LabelsFormat format,
                  const std::string& sha256, const LabelledQueries& labelled);

/// The JSON report of `pate label` (cli/schemas/label.schema.json). For everybody: where the
/// account is a `public_part` (run_reports.hpp).
[[nodiscard]] std::string label_report_json(const LabelReport& report, const ReportContext& context,
                                            Audience audience = Audience::owner);

/// The run as an event, made before its labels become visible; its public part depends on the
/// votes through the answers alone. `ensemble`: its name in a ledger, or none. `id`: 32 hexadecimal
/// digits of random bits that no other event has.
[[nodiscard]] Event label_event(const LabelReport& report, const std::vector<InputFile>& inputs,
                                const std::string& ensemble, const std::string& id);

}  // namespace pate::reports
