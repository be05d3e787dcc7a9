#include <fmt/format.h>

#include <filesystem>
#include <ostream>
#include <vector>

#include "cli/commands/commands.hpp"
#include "pate/reports/read_report.hpp"

namespace pate::cli {

namespace {

std::vector<reports::ResultColumn> usual_columns() {
  using enum reports::ResultColumn;
  return {run, mechanism, queries, answered, accuracy, epsilon, delta, promise, publish};
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
  output.add("--quiet", options.quiet, "omit the note that numbers are private");
}

int run_table(const TableOptions& options, const Streams& streams) {
  if (!options.labels.empty() && options.labels.size() != options.reports.size()) {
    throw usage_error(fmt::format("--label: expected a name for each of the {} reports, got {}",
                                  options.reports.size(), options.labels.size()));
  }
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
               readers_of(!table.has_private));
  if (!options.quiet && table.has_private) {
    streams.err << "pate: note: an epsilon of this table depends on the votes and must not be "
                   "published: the column publish says which\n";
  }
  return kDone;
}

}  // namespace pate::cli
