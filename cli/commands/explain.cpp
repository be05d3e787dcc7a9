#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ostream>
#include <string_view>
#include <utility>

#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/memory.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "pate/accounting/explanation.hpp"
#include "pate/release/as_published/local_sensitivity.hpp"
#include "pate/reports/votes_reports.hpp"

namespace pate::cli {

namespace {

// What W19 says by how much one vote can change the published cost of the queries explained.
std::optional<reports::QuerySensitivities> sensitivities_of(const Explanation& explanation,
                                                            std::optional<double> order) {
  if (!order) return std::nullopt;
  refuse(explanation.classes < 2, "--published-sensitivity needs votes for at least two classes");
  const PublishedCostCurve curve(explanation.aggregator.noisy().noisy_max.gaussian().sigma, *order,
                                 explanation.classes);
  require(check_conditions(curve,
                           unanimous_log_q(curve.sigma(), curve.classes(), explanation.teachers)),
          curve);
  reports::QuerySensitivities result{*order, curve.log_q0(), curve.log_q1(), {}};
  for (const QueryExplanation& query : explanation.queries) {
    result.queries.push_back({query.query, query_sensitivity(curve, query.log_q)});
  }
  return result;
}

}  // namespace

void add_explain(CommandLine& line, ExplainOptions& options) {
  add_votes_input_options(line, options.input, {"--labels", "--allow-empty"});
  line.record_null("labels", "decisions");
  const Section what = line.section("What to explain (one of them)");
  add_mechanism_options(line, options.mechanism,
                        {"--ptr-sparse", "--ptr-sparse-sigma", "--max-refusals"});
  add_neighbours(line, options.mechanism.neighbours);
  add_privacy_options(line, options.privacy,
                      {"--bound", "--exact", "--deltas", "--profile-resolution"});
  what.add("--query I", options.queries,
           "rows of the votes to explain, counted from 0: 17, or 3,17");
  what.add("--top N", options.top, "explain the N most expensive queries");
  line.section("Privacy").add(
      "--published-sensitivity L", options.sensitivity_order,
      "report by how much one vote changes the published cost at Renyi order L, and what "
      "Algorithm 3 of W19 loses (GNMax)");
  add_output_options(line, options.output);
  line.section("Output").add(
      "--csv", options.csv, "write CSV to standard output, one row per query", {.recorded = false});
}

int run_explain(const ExplainOptions& options, const Streams& streams) {
  const bool has_student = !options.input.student.empty();
  check_mechanism_options(options.mechanism, has_student);
  refuse(options.queries.empty() == !options.top, "say what to explain: --query I, or --top N");
  check_published_sensitivity(options.sensitivity_order, options.mechanism);
  if (options.top && *options.top < 1) throw usage_error("--top must be >= 1, got 0");
  AccountSettings settings = make_account_settings(options.privacy);
  check_output_options(options.output, input_paths(options.input));
  if (options.csv && (options.output.json || options.output.output == "-" ||
                      options.output.summary || options.output.quiet)) {
    throw usage_error(
        "--csv puts out a table instead of the report: leave out --json, --summary, --quiet and "
        "-o -; -o FILE has the report");
  }

  VotesInputOptions votes = options.input;
  votes.allow_empty = true;  // what is wrong with no queries is said below
  VotesInput input = open_votes(votes);
  const Run run = make_run(input, options.mechanism);
  // A class of a query: its numbers, and what the report says of them.
  constexpr double kBytes = 120.0;
  const auto explained = options.top ? std::min<std::int64_t>(*options.top, run.rows.size())
                                     : std::ssize(options.queries);
  expect_memory(kBytes * static_cast<double>(explained) * static_cast<double>(run.votes.classes()),
                fmt::format("explaining {} queries of {} classes", explained, run.votes.classes()));
  doubt_decisions(run, votes, input);
  auto described = input.describe_async(settings.threads);
  Explanation explanation = [&] {
    Progress progress(streams, "reading votes");
    settings.progress = progress.callback();
    return explain(run, settings, {options.queries, options.top.value_or(0)});
  }();
  prepend_input_warnings(input, thresholds_of(options.mechanism, run.votes.teachers()),
                         settings.delta, explanation.notices, run.aggregator.ptr());
  const reports::ReportContext context{version(), settings_of("explain", add_explain, options),
                                       described.get()};
  input.check_unchanged();
  const std::string report = reports::explain_report_json(
      explanation, context, sensitivities_of(explanation, options.sensitivity_order));

  if (options.csv) {
    OutputOptions output = options.output;
    output.format = TableFormat::csv;
    deliver_report(output, report, explain_csv(explanation), explanation.notices, streams);
    return kDone;
  }
  const std::string table = explain_summary(explanation, title_of(options.input));
  // The table is on standard output where the summaries of other commands are, else beside it: for
  // who sits at a terminal, as it shows votes.
  const bool beside = may_tell_numbers(options.output, streams) && !options.output.summary &&
                      (options.output.json || !streams.out_is_terminal);
  if (beside) streams.err << for_terminal(table);
  deliver_report(options.output, report, table,
                 beside ? std::vector<Notice>{} : explanation.notices, streams);
  return kDone;
}

}  // namespace pate::cli
