#include "cli/commands/analyze.hpp"

#include <fmt/format.h>

#include <future>
#include <ostream>

#include "cli/activity.hpp"
#include "cli/colour.hpp"
#include "cli/commands/analyze_summary.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/setting.hpp"
#include "cli/options/validators.hpp"
#include "cli/progress.hpp"
#include "cli/usage_error.hpp"
#include "cli/version.hpp"
#include "pate/accounting/account.hpp"
#include "pate/accounting/exact_account.hpp"
#include "pate/accounting/utility.hpp"
#include "pate/reports/analyze_report.hpp"

namespace pate::cli {

namespace {

Shard shard_of(const AnalyzeOptions& options) {
  if (options.shard.empty()) return {};
  const PrivacyOptions& privacy = options.privacy;
  if (privacy.max_epsilon || privacy.min_answered || privacy.require_releasable) {
    throw usage_error(
        "limits are for a whole run, not for a shard: give them to 'pate compose' instead");
  }
  return parse_shard(options.shard);
}

// A shard keeps what the exact costs of its run need.
void add_exact(const Run& run, const AccountSettings& settings, bool is_shard, Partials& partials,
               Account& account) {
  if (!is_shard) {
    add_exact_costs(run, settings, account);
    return;
  }
  partials.exact = exact_partials(run, account.orders, settings.threads);
  add_exact_costs(*partials.exact, settings, account);
}

}  // namespace

void add_analyze(CLI::App& command, AnalyzeOptions& options) {
  add_votes_input_options(command, options.input);
  add_mechanism_options(command, options.mechanism);
  add_privacy_options(command, options.privacy);
  command.add_option("--shard", options.shard, "only part I of N of the queries; see compose")
      ->check(not_empty())
      ->type_name("I/N")
      ->group("Work");
  add_output_options(command, options.output);
}

int run_analyze(const AnalyzeOptions& options, const Streams& streams) {
  const bool has_student = !options.input.student.empty();
  check_mechanism_options(options.mechanism, has_student);
  const AccountSettings settings = make_account_settings(options.privacy);
  check_output_options(options.output, input_paths(options.input));
  const Shard shard = shard_of(options);
  // A scheduler may well have one machine: 1/1 is a shard that compose takes, too.
  const bool is_shard = !options.shard.empty();

  VotesInput input = open_votes(options.input);
  Run run{*input.votes,
          input.rows,
          make_aggregator(options.mechanism, input.votes->teachers(), has_student),
          input.student.get(),
          std::move(input.decisions),
          std::move(input.labels),
          shard};
  // Digests read every byte once more: beside the account, not after it.
  auto described = std::async(std::launch::async, [&] { return input.describe(); });
  Partials partials{shard, {}, run.decisions.has_value(), {}, {}};
  {
    Progress progress(streams, "reading votes");
    partials.tally = tally(run, settings.threads, progress.callback());
  }
  Account account = pate::account(partials.tally, run.aggregator, partials.has_decisions, settings);
  if (settings.exact) {
    const Activity activity(streams, "computing exact costs");
    add_exact(run, settings, is_shard, partials, account);
  }
  if (run.labels) {
    partials.utility = tally_utility(run, settings.threads);
    account.utility = utility(*partials.utility, run.aggregator);
  }

  if (input.ambiguous_decisions()) {
    account.notices.push_back(
        {"decisions_ambiguous",
         "every entry of --decisions is 0 or 1: 0 was taken as refused, not as a released label"});
  }

  if (shard.of > 1) {
    account.notices.push_back(
        {"shard", fmt::format("these are the costs of the queries of shard {} of {} alone; 'pate "
                              "compose' of the reports of all shards has those of the run",
                              shard.index, shard.of)});
  }

  ReportContext context;
  context.version = version();
  context.settings.emplace_back("command", std::string("analyze"));
  append_settings(options.input, context.settings);
  append_settings(options.mechanism, context.settings);
  append_settings(options.privacy, context.settings);
  context.settings.emplace_back("shard", setting(options.shard));
  context.inputs = described.get();
  input.check_unchanged();

  deliver_report(options.output,
                 analyze_report_json(account, context, is_shard ? &partials : nullptr),
                 analyze_summary(account, options.input.votes, streams.out_colour()),
                 account.notices, streams);
  const auto missed = missed_limits(options.privacy, account);
  for (const std::string& message : missed)
    streams.err << alarming("pate: limit missed:", streams.err_colour()) << ' ' << message << '\n';
  return missed.empty() ? kDone : kLimitMissed;
}

}  // namespace pate::cli
