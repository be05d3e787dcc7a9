#include "cli/commands/compose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <ostream>
#include <utility>

#include "cli/activity.hpp"
#include "cli/colour.hpp"
#include "cli/commands/analyze_summary.hpp"
#include "cli/commands/compose_summary.hpp"
#include "cli/commands/compose_tune.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/privacy.hpp"
#include "cli/options/setting.hpp"
#include "cli/options/validators.hpp"
#include "cli/usage_error.hpp"
#include "cli/version.hpp"
#include "pate/accounting/exact_account.hpp"
#include "pate/composition/compose.hpp"
#include "pate/error.hpp"
#include "pate/reports/analyze_report.hpp"
#include "pate/reports/composed_report.hpp"
#include "pate/reports/read_part.hpp"
#include "pate/reports/read_shard.hpp"

namespace pate::cli {

namespace {

PrivacyOptions limits_of(const ComposeOptions& options) {
  PrivacyOptions limits;
  limits.max_epsilon = options.max_epsilon;
  limits.min_answered = options.min_answered;
  limits.require_releasable = options.require_releasable;
  return limits;
}

int report_missed(const std::vector<std::string>& missed, const Streams& streams) {
  for (const std::string& message : missed) {
    streams.err << alarming("pate: limit missed:", streams.err_colour()) << ' ' << message << '\n';
  }
  return missed.empty() ? kDone : kLimitMissed;
}

// A file of the command line: a report, or a ledger.
struct Document {
  std::string path;
  std::string text;  // of a ledger
  std::optional<JsonValue> report;

  [[nodiscard]] bool is(const char* schema) const {
    const auto found = report ? report->find("schema") : std::nullopt;
    return found && found->dump() == fmt::format("\"{}\"", schema);
  }
};

Document read_document(const std::string& path) {
  std::string text = read_text_file(path);
  if (is_ledger(text)) return {path, std::move(text), {}};
  return {path, {}, JsonValue::parse(text, path)};
}

// Notices about the votes, which each shard has and the run keeps once.
void keep_notices(const std::vector<ShardReport>& shards, std::vector<Notice>& notices) {
  for (const ShardReport& shard : shards) {
    for (const Notice& notice : shard.notices) {
      if (notice.code != "decisions_ambiguous") continue;
      notices.push_back(notice);
      return;
    }
  }
}

Account account_of_shards(const std::vector<ShardReport>& shards, unsigned threads) {
  const ShardReport& first = shards.front();
  std::vector<Tally> tallies;
  std::vector<UtilityTally> utilities;
  std::vector<ExactPartials> exact;
  for (const ShardReport& shard : shards) {
    tallies.push_back(shard.partials.tally);
    if (shard.partials.utility) utilities.push_back(*shard.partials.utility);
    if (shard.partials.exact) exact.push_back(*shard.partials.exact);
  }
  AccountSettings settings = first.settings;
  settings.threads = threads;
  Account result =
      account(merge(tallies), first.aggregator, first.partials.has_decisions, settings);
  if (!exact.empty()) add_exact_costs(merge(exact), settings, result);
  if (!utilities.empty()) result.utility = utility(merge(utilities), first.aggregator);
  keep_notices(shards, result.notices);
  return result;
}

void check_only_shards(const ComposeOptions& options) {
  if (options.delta || !options.orders.empty() || !options.reading.empty() ||
      !options.conversion.empty() || options.same_teachers) {
    throw usage_error(
        "shards are put together as they were made: --delta, --orders, --reading, --conversion "
        "and --same-teachers are for rounds");
  }
}

int compose_shards(const std::vector<JsonValue>& reports, const ComposeOptions& options,
                   const Streams& streams) {
  check_only_shards(options);
  std::vector<ShardReport> shards;
  std::vector<ReportPart> parts;
  for (const JsonValue& report : reports) {
    shards.push_back(read_shard(report));
    parts.push_back(shard_part(report, shards.back()));
  }
  check_one_run(shards);
  const Account account = [&] {
    const Activity activity(streams, "adding up shards");
    return account_of_shards(shards, options.threads);
  }();
  ReportContext context = shards.front().context;
  context.settings.front() = {"command", std::string("compose")};
  context.settings.emplace_back("reports", options.reports);
  context.parts = std::move(parts);
  deliver_report(
      options.output, analyze_report_json(account, context),
      analyze_summary(account, fmt::format("{} shards", shards.size()), streams.out_colour()),
      account.notices, streams);
  return report_missed(missed_limits(limits_of(options), account), streams);
}

Settings settings_of(const ComposeOptions& options, const Composition& sum) {
  return {{"command", std::string("compose")},
          {"reports", options.reports},
          {"delta", setting(sum.conversion_delta)},
          {"orders", setting(options.orders)},
          {"reading", setting(options.reading)},
          {"conversion", setting(options.conversion)},
          {"same_teachers", options.same_teachers},
          {"max_epsilon", setting(options.max_epsilon)},
          {"min_answered", setting(options.min_answered)},
          {"require_releasable", options.require_releasable}};
}

int compose_rounds(const std::vector<Document>& documents, const ComposeOptions& options,
                   const Streams& streams) {
  std::vector<Part> parts;
  ReportContext context;
  for (const Document& document : documents) {
    if (!document.report) {
      for (auto& [part, named] : read_ledger_parts(document.text, document.path)) {
        parts.push_back(std::move(part));
        context.parts.push_back(std::move(named));
      }
      continue;
    }
    parts.push_back(read_part(*document.report));
    context.parts.push_back(report_part(*document.report, parts.back()));
  }
  if (parts.empty()) throw input_error("nothing to add up: the ledgers have no entries");
  ComposeSettings settings;
  settings.delta = options.delta;
  if (!options.orders.empty()) settings.orders = options.orders;
  settings.reading = reading_named(options.reading);
  settings.conversion = conversion_named(options.conversion);
  settings.same_teachers = options.same_teachers;
  const Composition sum = compose(parts, settings);
  context.version = version();
  context.settings = settings_of(options, sum);
  deliver_report(options.output, composed_report_json(sum, context),
                 compose_summary(sum, context.parts, streams.out_colour()), sum.notices, streams);
  const double none = std::numeric_limits<double>::quiet_NaN();
  const CostEntry& headline = sum.costs[sum.headline];
  const double answered = headline.reading == Reading::realized && sum.answered_realized
                              ? static_cast<double>(*sum.answered_realized)
                              : sum.answered_expected.value_or(none);
  return report_missed(missed_limits(limits_of(options), headline, answered), streams);
}

}  // namespace

void add_compose(CLI::App& command, ComposeOptions& options) {
  command
      .add_option("REPORT", options.reports,
                  "reports: all shards of a run or tuning, or\n"
                  "rounds: of analyze, label, plan, release,\n"
                  "compose, and ledgers")
      ->required()
      ->check(not_empty());
  const std::string rounds = "Rounds";
  command.add_option("--delta", options.delta, "delta at which the sum is told")
      ->type_name("D")
      ->group(rounds);
  command.add_option("--orders", options.orders, "only these Renyi orders: 2,4,8.5")
      ->delimiter(',')
      ->type_name("LIST")
      ->group(rounds);
  command.add_option("--reading", options.reading, "headline: joint, expected or realized")
      ->check(CLI::IsMember({"joint", "expected", "realized"}))
      ->type_name("NAME")
      ->group(rounds);
  command.add_option("--conversion", options.conversion, "headline: improved, classic, gdp, ...")
      ->check(CLI::IsMember({"improved", "classic", "gdp", "pure", "kov"}))
      ->type_name("NAME")
      ->group(rounds);
  command
      .add_flag("--same-teachers", options.same_teachers,
                "the same teachers voted, though in other files")
      ->group(rounds);
  add_limit_options(command, options.max_epsilon, options.min_answered, options.require_releasable);
  add_output_options(command, options.output);
  command.add_option("--threads", options.threads, "threads; 0, the default: all processors")
      ->check(decimal())
      ->type_name("N")
      ->group("Work");
}

int run_compose(const ComposeOptions& options, const Streams& streams) {
  check_limits(limits_of(options));
  check_output_options(options.output, options.reports);
  std::vector<Document> documents;
  for (const std::string& path : options.reports) documents.push_back(read_document(path));
  const auto all = [&](const auto& holds) {
    return std::all_of(documents.begin(), documents.end(), holds);
  };
  if (all([](const Document& document) { return document.is("pate/tune/v1"); })) {
    check_only_shards(options);
    return compose_tunings(options.reports, options.output, streams);
  }
  const auto is_shard = [](const Document& document) {
    return document.is("pate/analyze/v1") && document.report->find("shard");
  };
  if (!all(is_shard)) return compose_rounds(documents, options, streams);
  std::vector<JsonValue> reports;
  for (Document& document : documents) reports.push_back(std::move(*document.report));
  return compose_shards(reports, options, streams);
}

}  // namespace pate::cli
