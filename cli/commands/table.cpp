#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/options/exclusions.hpp"
#include "pate/reports/read_report.hpp"

namespace pate::cli {

namespace {

std::vector<reports::ResultColumn> usual_columns() {
  using enum reports::ResultColumn;
  return {run, mechanism, queries, answered, accuracy, epsilon, delta, promise, publish};
}

// That numbers must not be published, why, and which of the columns says so or would.
std::string publishing_note(const reports::ResultsTable& table, reports::TableFormat format) {
  using enum reports::ResultColumn;
  const char* const why = !table.has_unpromised ? "depends on the votes"
                          : !table.has_private  ? "promises nothing"
                                                : "depends on the votes or promises nothing";
  const std::string which =
      std::ranges::find(table.columns, publish) != table.columns.end()
          ? fmt::format("the column \"{}\" says which", column_title(publish, format))
          : "with publish among its --columns it says which";
  const bool has_epsilon = std::ranges::find(table.columns, epsilon) != table.columns.end();
  return fmt::format("an epsilon of {} {} and must not be published{}: {}",
                     has_epsilon ? "this table" : "these reports", why,
                     has_epsilon ? "" : ", nor may numbers beside it that depend on the votes",
                     which);
}

}  // namespace

void add_table(CommandLine& line, TableOptions& options) {
  using enum reports::ResultColumn;
  line.section("").add("REPORT TEXT", options.reports, "reports of pate, JSON; - is standard input",
                       {.required = true});
  const Section table = line.section("Table");
  table.add("--columns NAMES", options.columns,
            {run, mechanism, teachers, classes, queries, answered, accuracy, agreement, epsilon,
             delta, promise, bound, publish},
            "columns of the table, in this order; default: run, mechanism, queries, answered, "
            "accuracy, epsilon, delta, promise and publish");
  table.add("--label NAME", options.labels,
            "name of each run, in the order of the reports; default: the names of the files");
  const Section output = line.section("Output");
  output.add(
      "--format FORMAT", options.format,
      {reports::TableFormat::latex, reports::TableFormat::markdown, reports::TableFormat::csv},
      "latex (for the package booktabs), markdown or csv");
  output.add("-o,--output FILE", options.output,
             "write the table to this file; default: standard output");
  output.add("--quiet", options.quiet, "omit the note that numbers must not be published");
}

int run_table(const TableOptions& options, const Streams& streams) {
  refuse(!options.labels.empty() && options.labels.size() != options.reports.size(),
         "--label: expected a name for each of the {} reports, got {}", options.reports.size(),
         options.labels.size());
  check_destinations({{"--output", options.output}}, options.reports);
  std::vector<io::JsonValue> reports;
  std::vector<std::string> labels = options.labels;
  for (const std::string& path : options.reports) {
    reports.push_back(reports::read_report(path));
    if (options.labels.empty()) labels.push_back(std::filesystem::path(path).stem().string());
  }
  const reports::ResultsTable table = reports::results_table(
      reports, labels, options.columns.empty() ? usual_columns() : options.columns);
  write_output(options.output, reports::table_text(table, options.format), streams,
               readers_of(!table.has_unpublishable()));
  if (!options.quiet && table.has_unpublishable()) {
    streams.err << "pate: note: " << publishing_note(table, options.format) << '\n';
  }
  return kDone;
}

}  // namespace pate::cli
