#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/progress.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/composition/compose.hpp"
#include "pate/error.hpp"
#include "pate/reports/read_part.hpp"
#include "pate/reports/read_shard.hpp"
#include "pate/reports/run_reports.hpp"

namespace pate::cli {

namespace {

// A file of the command line, read once: a report, or a ledger.
struct Document {
  std::string path;
  std::string text;  // of a ledger
  std::optional<io::JsonValue> report;

  [[nodiscard]] bool is(std::string_view schema) const {
    const auto found = report ? report->find("schema") : std::nullopt;
    return found && found->type() == io::JsonType::text && found->text() == schema;
  }
};

Document read_document(const std::string& path) {
  std::string text = io::read_text_file(path);
  if (reports::is_ledger(text)) return {path, std::move(text), {}};
  return {path, {}, io::JsonValue::parse(text, path)};
}

// Notices about the votes, which each shard has and the run keeps once.
void keep_notices(const std::vector<reports::ShardReport>& shards, std::vector<Notice>& notices) {
  for (const reports::ShardReport& shard : shards) {
    for (const Notice& notice : shard.notices) {
      if (notice.code != "decisions_ambiguous") continue;
      notices.push_back(notice);
      return;
    }
  }
}

Account account_of_shards(const std::vector<reports::ShardReport>& shards, unsigned threads) {
  const reports::ShardReport& first = shards.front();
  std::vector<Partials> partials;
  for (const reports::ShardReport& shard : shards) partials.push_back(shard.partials);
  AccountSettings settings = first.settings;
  settings.threads = threads;
  Account result = account(merge(partials), first.aggregator, settings);
  keep_notices(shards, result.notices);
  return result;
}

void check_only_shards(const ComposeOptions& options) {
  const ComposeSettings& rounds = options.rounds;
  if (rounds.delta || rounds.orders || rounds.reading || rounds.conversion ||
      rounds.same_teachers) {
    throw usage_error(
        "shards are put together as they were made: --delta, --orders, --reading, --conversion "
        "and --same-teachers are for rounds");
  }
}

int compose_shards(const std::vector<io::JsonValue>& reports, const ComposeOptions& options,
                   const Streams& streams) {
  std::vector<reports::ShardReport> shards;
  std::vector<reports::ReportPart> parts;
  for (const io::JsonValue& report : reports) {
    shards.push_back(reports::read_shard(report));
    parts.push_back(reports::shard_part(shards.back()));
  }
  reports::check_one_run(shards);
  const Account account = [&] {
    const Activity activity(streams, "adding up shards");
    return account_of_shards(shards, options.threads);
  }();
  reports::ReportContext context = shards.front().context;
  context.settings.front() = {"command", std::string("compose")};
  context.settings.emplace_back("reports", options.reports);
  context.parts = std::move(parts);
  deliver_report(
      options.output, reports::analyze_report_json(account, context),
      analyze_summary(account, fmt::format("{} shards", shards.size()), streams.out_colour()),
      account.notices, streams);
  return report_missed(missed_limits(options.limits, account.costs[account.headline],
                                     account.answered_expected, account.answered_realized),
                       streams);
}

int compose_rounds(const std::vector<Document>& documents, const ComposeOptions& options,
                   const Streams& streams) {
  std::vector<Part> parts;
  reports::ReportContext context;
  for (const Document& document : documents) {
    if (!document.report) {
      for (auto& [part, named] : reports::read_ledger_parts(document.text, document.path)) {
        parts.push_back(std::move(part));
        context.parts.push_back(std::move(named));
      }
      continue;
    }
    parts.push_back(reports::read_part(*document.report));
    context.parts.push_back(reports::report_part(*document.report, parts.back()));
  }
  if (parts.empty()) throw input_error("nothing to add up: the ledgers have no entries");
  const Composition sum = compose(parts, options.rounds);
  context.version = version();
  ComposeOptions in_force = options;
  in_force.rounds.delta = sum.conversion_delta;
  context.settings = settings_of("compose", add_compose, in_force);
  deliver_report(options.output, reports::composed_report_json(sum, context),
                 compose_summary(sum, context.parts, streams.out_colour()), sum.notices, streams);
  return report_missed(missed_limits(options.limits, sum.costs[sum.headline], sum.answered_expected,
                                     sum.answered_realized),
                       streams);
}

}  // namespace

void add_compose(CommandLine& line, ComposeOptions& options) {
  line.section("").add("REPORT TEXT", options.reports,
                       "reports: all shards of a run or tuning, or\n"
                       "rounds: of analyze, label, plan, release,\n"
                       "compose, and ledgers",
                       {.required = true, .recorded_as = "reports"});
  const Section rounds = line.section("Rounds");
  rounds.add("--delta D", options.rounds.delta, "delta at which the sum is told");
  add_orders(rounds, options.rounds.orders);
  add_headline(rounds, options.rounds.reading, options.rounds.conversion);
  rounds.add("--same-teachers", options.rounds.same_teachers,
             "the same teachers voted, though in other files");
  add_limit_options(line, options.limits);
  add_output_options(line, options.output);
  add_threads(line.section("Work"), options.threads);
}

int run_compose(const ComposeOptions& options, const Streams& streams) {
  check_limits(options.limits);
  check_output_options(options.output, options.reports);
  std::vector<Document> documents;
  for (const std::string& path : options.reports) documents.push_back(read_document(path));
  const auto all = [&](const auto& holds) {
    return std::all_of(documents.begin(), documents.end(), holds);
  };
  const bool tunings = all([](const Document& document) { return document.is("pate/tune/v1"); });
  const bool shards = all([](const Document& document) {
    return document.is("pate/analyze/v1") && document.report->find("shard");
  });
  if (!tunings && !shards) return compose_rounds(documents, options, streams);
  check_only_shards(options);
  std::vector<io::JsonValue> reports;
  for (const Document& document : documents) reports.push_back(*document.report);
  return tunings ? compose_tunings(reports, options.output, streams)
                 : compose_shards(reports, options, streams);
}

}  // namespace pate::cli
