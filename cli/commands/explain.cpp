#include "cli/commands/explain.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <ostream>
#include <string_view>
#include <utility>

#include "cli/commands/explain_summary.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/setting.hpp"
#include "cli/options/validators.hpp"
#include "cli/progress.hpp"
#include "cli/usage_error.hpp"
#include "cli/version.hpp"
#include "pate/accounting/explanation.hpp"
#include "pate/reports/explain_report.hpp"

namespace pate::cli {

namespace {

// Of the privacy options, those that say nothing here.
constexpr std::array<std::string_view, 5> kOtherOptions{"exact", "max-epsilon", "min-answered",
                                                        "require-releasable", "bound"};

Settings settings_of(const ExplainOptions& options) {
  Settings settings{{"command", std::string("explain")}};
  append_settings(options.input, settings);
  append_settings(options.mechanism, settings);
  append_settings(options.privacy, settings);
  std::erase_if(settings, [](const auto& setting) {
    std::string name = setting.first;
    std::replace(name.begin(), name.end(), '_', '-');
    return std::find(kOtherOptions.begin(), kOtherOptions.end(), name) != kOtherOptions.end();
  });
  settings.emplace_back("query", options.queries.empty()
                                     ? SettingValue{}
                                     : SettingValue{std::vector<double>(options.queries.begin(),
                                                                        options.queries.end())});
  settings.emplace_back("top", setting(options.top));
  return settings;
}

}  // namespace

void add_explain(CLI::App& command, ExplainOptions& options) {
  add_votes_input_options(command, options.input);
  command.remove_option(command.get_option("--labels"));
  const std::string group = "What to explain (one of them)";
  command.add_option("--query", options.queries, "this row of the votes, from 0: 17, or 3,17")
      ->delimiter(',')
      ->type_name("I")
      ->group(group);
  command.add_option("--top", options.top, "the N most expensive queries")
      ->check(decimal())
      ->type_name("N")
      ->group(group);
  add_mechanism_options(command, options.mechanism);
  add_privacy_options(command, options.privacy);
  for (const std::string_view other : kOtherOptions) {
    command.remove_option(command.get_option("--" + std::string(other)));
  }
  add_output_options(command, options.output);
}

int run_explain(const ExplainOptions& options, const Streams& streams) {
  const bool has_student = !options.input.student.empty();
  check_mechanism_options(options.mechanism, has_student);
  if (options.queries.empty() == !options.top) {
    throw usage_error("say what to explain: --query I, or --top N");
  }
  if (options.top && *options.top < 1) throw usage_error("--top must be >= 1, got 0");
  AccountSettings settings = make_account_settings(options.privacy);
  check_output_options(options.output, input_paths(options.input));

  VotesInput input = open_votes(options.input);
  const Run run{*input.votes,
                input.rows,
                make_aggregator(options.mechanism, input.votes->teachers(), has_student),
                input.student.get(),
                std::move(input.decisions),
                {}};
  auto described = std::async(std::launch::async, [&] { return input.describe(); });
  const Explanation explanation = [&] {
    Progress progress(streams, "reading votes");
    settings.progress = progress.callback();
    return explain(run, settings, {options.queries, options.top.value_or(0)});
  }();
  const ReportContext context{version(), settings_of(options), described.get()};
  input.check_unchanged();

  const std::string table = explain_summary(explanation, options.input.votes);
  // The table is on standard output where the summaries of other commands are, else beside it.
  const bool beside = !options.output.quiet && !options.output.summary &&
                      (options.output.json || !streams.out_is_terminal);
  if (beside) streams.err << table;
  deliver_report(options.output, explain_report_json(explanation, context), table,
                 beside ? std::vector<Notice>{} : explanation.notices, streams);
  return kDone;
}

}  // namespace pate::cli
