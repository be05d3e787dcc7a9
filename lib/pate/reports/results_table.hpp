#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/base/json.hpp"

namespace pate::reports {

/// What a column of a table of results says of a report.
enum class ResultColumn {
  run,        ///< its label
  mechanism,  ///< which, with its parameters
  teachers,
  classes,
  queries,    ///< how many were asked
  answered,   ///< how many; expected where it is not known
  accuracy,   ///< expected share of right labels
  agreement,  ///< expected share of answers that are the majority's (darrm)
  epsilon,    ///< of the headline, rounded up
  delta,
  promise,  ///< what epsilon is: a guarantee, of the outcome, an expectation, one direction only
  bound,    ///< of the headline: what its number rests on
  publish,  ///< whether this epsilon may be published
};

/// How a table is written.
enum class TableFormat { latex, markdown, csv };

/// The cells of a table of results, all texts: the titles, and a row for each report.
struct ResultsTable {
  std::vector<ResultColumn> columns;
  std::vector<std::vector<std::string>> rows;  ///< empty where a report says nothing of it
  bool has_private = false;                    ///< whether a row has an epsilon that is private
  bool has_unpromised = false;  ///< whether of a row's that was drawn nothing is promised

  /// Whether a row has an epsilon that must not be published.
  [[nodiscard]] bool has_unpublishable() const { return has_private || has_unpromised; }
};

/// The mechanism of a report, or of a public part, with its parameters: "GNMax, sigma2 40"; ""
/// where it names none. Whom its costs are for is added, and whether teachers were sampled, where
/// that is not as usual: "GNMax, sigma2 40, for 1 teacher that is added or removed".
[[nodiscard]] std::string mechanism_text(const io::JsonValue& body);

/// One row for each report of a run (analyze, label, plan, compose, darrm, release): what it says
/// of these columns. `labels` name the runs, one for each report.
///
/// Shares are in percent with one decimal; epsilon has four digits behind the point, rounded up;
/// counts are whole, or expected with one decimal. Throws `input_error` for what is no report with
/// an epsilon, naming the file.
[[nodiscard]] ResultsTable results_table(std::span<const io::JsonValue> reports,
                                         std::span<const std::string> labels,
                                         std::vector<ResultColumn> columns);

/// What a format calls a column.
[[nodiscard]] std::string_view column_title(ResultColumn column, TableFormat format);

/// The table as text: LaTeX for booktabs, Markdown, or comma-separated values with a line of names.
[[nodiscard]] std::string table_text(const ResultsTable& table, TableFormat format);

}  // namespace pate::reports

namespace pate {

template <>
inline constexpr std::array<Named<reports::ResultColumn>, 13> kNames<reports::ResultColumn>{{
    {reports::ResultColumn::run, "run"},
    {reports::ResultColumn::mechanism, "mechanism"},
    {reports::ResultColumn::teachers, "teachers"},
    {reports::ResultColumn::classes, "classes"},
    {reports::ResultColumn::queries, "queries"},
    {reports::ResultColumn::answered, "answered"},
    {reports::ResultColumn::accuracy, "accuracy"},
    {reports::ResultColumn::agreement, "agreement"},
    {reports::ResultColumn::epsilon, "epsilon"},
    {reports::ResultColumn::delta, "delta"},
    {reports::ResultColumn::promise, "promise"},
    {reports::ResultColumn::bound, "bound"},
    {reports::ResultColumn::publish, "publish"},
}};

template <>
inline constexpr std::array<Named<reports::TableFormat>, 3> kNames<reports::TableFormat>{{
    {reports::TableFormat::latex, "latex"},
    {reports::TableFormat::markdown, "markdown"},
    {reports::TableFormat::csv, "csv"},
}};

}  // namespace pate
