#include "cli/commands/analyze.hpp"

#include <fmt/format.h>

#include <future>
#include <ostream>

#include "cli/colour.hpp"
#include "cli/commands/analyze_summary.hpp"
#include "cli/exit_status.hpp"
#include "cli/progress.hpp"
#include "cli/version.hpp"
#include "pate/accounting/account.hpp"
#include "pate/accounting/utility.hpp"
#include "pate/io/analyze_report.hpp"

namespace pate::cli {

void add_analyze(CLI::App& command, AnalyzeOptions& options) {
  add_votes_input_options(command, options.input);
  add_mechanism_options(command, options.mechanism);
  add_privacy_options(command, options.privacy);
  add_output_options(command, options.output);
}

int run_analyze(const AnalyzeOptions& options, const Streams& streams) {
  const bool has_student = !options.input.student.empty();
  check_mechanism_options(options.mechanism, has_student);
  AccountSettings settings = make_account_settings(options.privacy);
  check_output_options(options.output, input_paths(options.input));

  VotesInput input = open_votes(options.input);
  Run run{*input.votes,
          input.rows,
          make_aggregator(options.mechanism, input.votes->teachers(), has_student),
          input.student.get(),
          std::move(input.decisions),
          std::move(input.labels)};
  // Digests read every byte once more: beside the account, not after it.
  auto described = std::async(std::launch::async, [&] { return input.describe(); });
  Account account = [&] {
    Progress progress(streams, "reading votes");
    settings.progress = progress.callback();
    return pate::account(run, settings);
  }();
  if (run.labels) account.utility = utility(run, settings.threads);

  if (input.ambiguous_decisions()) {
    account.notices.push_back(
        {"decisions_ambiguous",
         "every entry of --decisions is 0 or 1: 0 was taken as refused, not as a released label"});
  }

  ReportContext context;
  context.version = version();
  context.settings.emplace_back("command", std::string("analyze"));
  append_settings(options.input, context.settings);
  append_settings(options.mechanism, context.settings);
  append_settings(options.privacy, context.settings);
  context.inputs = described.get();
  input.check_unchanged();

  deliver_report(options.output, analyze_report_json(account, context),
                 analyze_summary(account, options.input.votes, streams.out_colour()),
                 account.notices, streams);
  const auto missed = missed_limits(options.privacy, account);
  for (const std::string& message : missed)
    streams.err << alarming("pate: limit missed:", streams.err_colour()) << ' ' << message << '\n';
  return missed.empty() ? kDone : kLimitMissed;
}

}  // namespace pate::cli
