#include "cli/commands/compose.hpp"

#include <utility>

#include "cli/commands/analyze_summary.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/validators.hpp"
#include "cli/version.hpp"
#include "pate/io/analyze_report.hpp"
#include "pate/io/read_shard.hpp"

namespace pate::cli {

namespace {

// The account of a run that was cut into shards.
Account account_of_shards(const std::vector<ShardReport>& shards, unsigned threads) {
  const ShardReport& first = shards.front();
  std::vector<Tally> tallies;
  std::vector<UtilityTally> utilities;
  for (const ShardReport& shard : shards) {
    tallies.push_back(shard.partials.tally);
    if (shard.partials.utility) utilities.push_back(*shard.partials.utility);
  }
  AccountSettings settings = first.settings;
  settings.threads = threads;
  Account result =
      account(merge(tallies), first.aggregator, first.partials.has_decisions, settings);
  if (!utilities.empty()) result.utility = utility(merge(utilities), first.aggregator);
  return result;
}

}  // namespace

void add_compose(CLI::App& command, ComposeOptions& options) {
  command.add_option("REPORT", options.reports, "JSON reports")->required()->check(not_empty());
  command.add_option("--threads", options.threads, "threads; 0, the default: all processors")
      ->check(decimal())
      ->type_name("N")
      ->group("Work");
  add_output_options(command, options.output);
}

int run_compose(const ComposeOptions& options, const Streams& streams) {
  check_output_options(options.output, options.reports);
  std::vector<ShardReport> shards;
  for (const std::string& path : options.reports) {
    shards.push_back(read_shard(JsonValue::read_file(path)));
  }
  check_one_run(shards);
  const Account account = account_of_shards(shards, options.threads);
  ReportContext context = shards.front().context;
  context.version = version();
  deliver_report(options.output, analyze_report_json(account, context),
                 analyze_summary(account, "composed", false), account.notices, streams);
  return kDone;
}

}  // namespace pate::cli
