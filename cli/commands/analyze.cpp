#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/progress.hpp"
#include "pate/accounting/account.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/accounting/query_counts.hpp"
#include "pate/reports/run_reports.hpp"
#include "pate/tuning/agreement.hpp"

namespace pate::cli {

namespace {

Shard shard_of(const AnalyzeOptions& options) {
  if (options.shard.empty()) return {};
  if (options.privacy.limits.any()) {
    throw usage_error(
        "limits are for a whole run, not for a shard: give them to 'pate compose' instead");
  }
  return parse_shard(options.shard);
}

// Tells meanwhile how far it is.
Account account_of(const Run& run, AccountSettings settings, Partials* partials,
                   const Streams& streams) {
  std::optional<Progress> progress(std::in_place, streams, "reading votes");
  std::optional<Activity> activity;
  settings.progress = progress->callback();
  settings.when_read = [&] {
    progress.reset();
    if (settings.exact || settings.tilted || settings.complex) {
      activity.emplace(streams, settings.exact     ? "computing exact costs"
                                : settings.complex ? "computing moments of complex orders"
                                                   : "computing tilted costs");
    }
  };
  settings.when_profiling = [&](const char* what) {
    activity.reset();
    progress.reset();
    return progress.emplace(streams, what).callback();
  };
  return account(run, settings, partials);
}

// The expected share of the answers that are the plurality; none where none is expected.
std::optional<double> agreement_of_answers(const Run& run, const Account& account,
                                           unsigned threads) {
  if (!(account.answered_expected > 0.0)) return {};
  const std::vector<QueryKey> keys{sorted_histogram()};
  const std::vector<DistinctQueries> counted = count_distinct(run, keys, {.threads = threads});
  return expected_agreeing(run.aggregator,
                           agreement_of(run.aggregator.noisy_max, run.votes.classes(),
                                        counted.front(), threads)) /
         account.answered_expected;
}

}  // namespace

void add_analyze(CommandLine& line, AnalyzeOptions& options) {
  options.input.may_leave_out_abstentions = true;
  add_votes_input_options(line, options.input);
  add_mechanism_options(line, options.mechanism);
  add_neighbours(line, options.mechanism);
  add_privacy_options(line, options.privacy);
  add_limit_options(line, options.privacy.limits);
  line.section("Interactive")
      .add("--reinforce-above GAMMA", options.reinforce_above,
           "also report how many refused queries would get the student's label, if its score is "
           "above GAMMA");
  add_rows_from_answers(line.section("Origin"), options.rows_from_answers);
  line.section("Work").add("--shard I/N", options.shard,
                           "process part I of N; join the parts with pate compose");
  add_output_options(line, options.output);
  add_format(line, options.output, "the costs");
  add_all(line, options.output);
  add_metrics(line, options.output);
  add_statement(line, options.output);
  add_export_options(line, options.exports);
}

int run_analyze(const AnalyzeOptions& options, const Streams& streams) {
  const bool has_student = !options.input.student.empty();
  check_mechanism_options(options.mechanism, has_student);
  if (options.reinforce_above && (!has_student || !options.shard.empty())) {
    throw usage_error(has_student ? "--reinforce-above is for a whole run, not for a shard"
                                  : "--reinforce-above needs --student: its scores are compared");
  }
  const AccountSettings settings = make_account_settings(options.privacy);
  check_output_options(options.output, input_paths(options.input), options.exports.destinations());
  if (options.exports.any() && !options.shard.empty()) {
    throw usage_error(
        "--export-rdp and --export-pld are for a whole run, not for a shard: give them to 'pate "
        "compose' instead");
  }
  const Shard shard = shard_of(options);
  // A scheduler may well have one machine: 1/1 is a shard that compose takes, too.
  const bool is_shard = !options.shard.empty();

  VotesInput input = open_votes(options.input);
  const Run run = make_run(input, options.mechanism, shard);
  // Digests read every byte once more: beside the account, not after it.
  auto described = input.describe_async(settings.threads);
  Partials partials;
  Account account = account_of(run, settings, is_shard ? &partials : nullptr, streams);
  if (options.reinforce_above) {
    account.answered_student = expected_reinforced(run, *options.reinforce_above);
  }

  prepend_input_warnings(input, thresholds_of(options.mechanism, run.votes.teachers()),
                         settings.delta, account.notices);
  if (shard.of > 1) {
    account.notices.push_back(
        {"shard", fmt::format("these are the costs of the queries of shard {} of {} alone; 'pate "
                              "compose' of the reports of all shards has those of the run",
                              shard.index, shard.of)});
  }

  const auto judged = judged_limits(options.privacy.limits, account.costs[account.headline],
                                    account.answered_expected, account.answered_realized);
  reports::ReportContext context{version(), settings_of("analyze", add_analyze, options),
                                 described.get()};
  context.verdicts = verdicts_of(judged);
  input.check_unchanged();
  // A part of a run is no event.
  if (!is_shard) {
    context.record = {reports::analysis_event(account, context.inputs, options.rows_from_answers)};
  }

  write_exports(options.exports, context.record, account.costs[account.headline],
                {.orders = settings.orders, .threads = settings.threads}, streams);
  deliver_report(
      options.output,
      reports::analyze_report_json(account, context, is_shard ? &partials : nullptr),
      costs_for_people(options.output, guarantee_of(account), account.costs,
                       analyze_summary(account, title_of(options.input), options.output.all,
                                       streams.out_colour())),
      account.notices, streams, false,
      options.output.metrics ? agreement_of_answers(run, account, settings.threads) : std::nullopt);
  return report_judged(judged, may_tell_numbers(options.output, streams), streams);
}

}  // namespace pate::cli
