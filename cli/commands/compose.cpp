#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <ostream>
#include <span>
#include <string_view>
#include <utility>

#include "cli/commands/summaries.hpp"
#include "cli/commands/tuning_shards.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/progress.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/events/account_record.hpp"
#include "pate/reports/doubts.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/read_events.hpp"
#include "pate/reports/read_report.hpp"
#include "pate/reports/read_shard.hpp"
#include "pate/reports/report_text.hpp"
#include "pate/reports/run_reports.hpp"
#include "pate/reports/saved_tuning.hpp"
#include "pate/reports/seal.hpp"
#include "pate/reports/tune_report.hpp"

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

Document read_document(const std::string& path, const reports::LedgerAccess& access) {
  std::string text = io::read_text_file(path);
  if (reports::is_ledger(text)) {
    reports::require_trusted(path, access);
    return {path, std::move(text), {}};
  }
  Document document{path, {}, io::JsonValue::parse(text, path)};
  reports::check_report(*document.report);
  // Without its member `shard` one would look like a whole run.
  if (document.report->type() == io::JsonType::object && document.report->has("seal")) {
    reports::require_sealed(*document.report);
  }
  return document;
}

// Notices of how the files were read, which each shard has and the whole keeps once.
void prepend_input_warnings(const std::vector<Notice>& of_shard, std::vector<Notice>& notices) {
  constexpr std::array<std::string_view, 11> kKept{"abstentions_class",
                                                   "abstentions_left_out",
                                                   "comments_left_out",
                                                   "header_left_out",
                                                   "header_names",
                                                   "high_threshold",
                                                   "index_left_out",
                                                   "large_delta",
                                                   "low_threshold",
                                                   "missing_values",
                                                   "one_hot"};
  std::vector<Notice> doubts;
  std::ranges::copy_if(of_shard, std::back_inserter(doubts), [&](const Notice& notice) {
    return reports::is_doubt_about_votes(notice.code) ||
           std::ranges::find(kKept, notice.code) != kKept.end();
  });
  notices.insert(notices.begin(), doubts.begin(), doubts.end());
}

// How shards are called, and whether their votes came with the number of teachers.
VotesTitle title_of_shards(std::size_t count, const reports::ReportContext& context) {
  const bool by_file = std::ranges::any_of(context.inputs, [](const reports::InputFile& input) {
    return input.teachers_from == "file";
  });
  return {fmt::format("{} shards", count), !by_file};
}

// A run that was put together.
Account join_run(std::vector<reports::ShardReport>& shards, unsigned threads) {
  const reports::ShardReport& first = shards.front();
  std::vector<Partials> partials;
  for (reports::ShardReport& shard : shards) partials.push_back(std::move(shard.partials));
  AccountSettings settings = first.settings;
  settings.threads = threads;
  settings.queries_follow_answers =
      std::ranges::any_of(first.context.settings, [](const auto& setting) {
        const auto* const its = std::get_if<io::JsonValue>(&setting.second);
        return setting.first == "rows_from_answers" && its != nullptr &&
               its->type() == io::JsonType::boolean && its->boolean();
      });
  Account result =
      account(merge(partials), first.aggregator.mechanism, first.aggregator.neighbours, settings);
  prepend_input_warnings(first.notices, result.notices);
  return result;
}

int compose_shards(std::vector<Document>& documents, const ComposeOptions& options,
                   const Streams& streams) {
  std::vector<reports::ShardReport> shards;
  for (Document& document : documents) {
    // One that is there was checked when the document was read.
    if (!document.report->has("seal")) reports::require_sealed(*document.report);
    shards.push_back(reports::read_shard(*document.report));
    document.report.reset();  // it is large
  }
  reports::check_one_run(shards);
  Account account = [&] {
    const Activity activity(streams, "adding up shards");
    return join_run(shards, options.threads);
  }();
  reports::ReportContext context = shards.front().context;
  context.settings.front() = {"command", std::string("compose")};
  context.settings.emplace_back("reports", options.reports);
  for (reports::ShardReport& shard : shards) context.parts.push_back(std::move(shard.part));
  context.record = {reports::analysis_event(account, context.inputs)};
  // A limit is judged by what is put out: of what may be published that is another headline.
  if (options.output.public_only) account = reports::public_part(account);
  const auto judged = judged_limits(options.limits, account.costs[account.headline],
                                    account.answered_expected, account.answered_realized);
  context.verdicts = verdicts_of(judged);
  write_exports(options.exports, context.record, account.costs[account.headline],
                {.threads = options.threads}, streams);
  deliver_report(options.output,
                 reports::analyze_report_json(account, context, nullptr, options.output.audience()),
                 costs_for_people(options.output, guarantee_of(account), account.costs,
                                  analyze_summary(account, title_of_shards(shards.size(), context),
                                                  options.output.all, streams.out_colour())),
                 account.notices, streams);
  return report_judged(
      judged, options.output.public_only || may_tell_numbers(options.output, streams), streams);
}

int compose_tunings(const std::vector<Document>& documents, const ComposeOptions& options,
                    const Streams& streams) {
  std::vector<TuningShard> shards;
  for (const Document& document : documents) {
    // One that is there was checked when the document was read.
    if (!document.report->has("seal")) reports::require_sealed(*document.report);
    shards.push_back({*document.report, reports::read_tune_report(*document.report)});
  }
  std::sort(shards.begin(), shards.end(), [](const TuningShard& a, const TuningShard& b) {
    return a.saved.settings.shard.index < b.saved.settings.shard.index;
  });
  check_one_tuning(shards);
  reports::TuneContext context;
  context.settings = shards.front().saved.settings;
  context.settings.shard = {};
  context.report = reports::read_context(shards.front().report);
  context.report.settings.front() = {"command", std::string("compose")};
  context.report.settings.emplace_back("reports", options.reports);
  std::vector<Tuning> tunings;
  for (const TuningShard& shard : shards) tunings.push_back(shard.saved.tuning);
  const Tuning tuning = [&] {
    try {
      return join_shards(tunings, context.settings);
    } catch (const parameter_error& error) {
      throw input_error(fmt::format("the reports do not make one tuning: {}", error.what()));
    }
  }();
  context.best_command = best_command(shards, tuning);
  context.notices = tune_notices(tuning, context.settings);
  prepend_input_warnings(shards.front().saved.notices, context.notices);
  deliver_report(options.output, reports::tune_report_json(tuning, context),
                 tune_summary(tuning, context, title_of_shards(shards.size(), context.report)),
                 context.notices, streams);
  return report_tune_misses(tuning, may_tell_numbers(options.output, streams), streams);
}

// What the files say was done, how the sum names each, and what is doubted about their votes.
struct Rounds {
  std::vector<reports::NamedRecord> files;
  std::vector<reports::ReportPart> parts;
  std::vector<Notice> doubts;
  std::vector<Notice> torn;  // of ledgers, which may be told to everybody

  [[nodiscard]] Record record() const {
    Record all;
    for (const reports::NamedRecord& file : files) {
      all.insert(all.end(), file.record.begin(), file.record.end());
    }
    return join({}, all);
  }
};

// A line of a ledger, as a part of a sum.
reports::ReportPart ledger_part(const reports::LedgerEntry& entry, const std::string& path,
                                const std::string& sha256) {
  const PublicEvent& open = entry.event.open;
  const ToldEpsilon its = reports::own_cost(entry);
  reports::ReportPart part;
  part.path = path;
  part.sha256 = sha256;
  part.schema = "pate/ledger/v3";
  part.mechanism = open.mechanism;
  part.queries = open.queries;
  part.votes_digest = entry.event.facts.digests.counts;
  if (open.realized) part.answered = static_cast<double>(open.realized->answered);
  part.epsilon = its.epsilon;
  part.delta = its.delta;
  if (its.promise == Promise::outcome) part.promise = "of the outcome";
  if (its.promise == Promise::none) part.promise = "no promise";
  part.is_whole = true;
  return part;
}

Rounds read_rounds(const std::vector<Document>& documents, bool is_public) {
  Rounds rounds;
  for (const Document& document : documents) {
    reports::NamedRecord& file = rounds.files.emplace_back();
    file.name = document.path;
    if (document.report) {
      file.record = reports::read_events(*document.report);
      file.counted = reports::counted_entries(*document.report);
      rounds.parts.push_back(reports::report_part(*document.report, file.record));
      for (Notice& doubt : reports::doubts_about_votes(*document.report)) {
        doubt.message = fmt::format("{}: {}", document.path, doubt.message);
        rounds.doubts.push_back(std::move(doubt));
      }
      if (reports::counts_torn_ledger(*document.report)) {
        rounds.torn.push_back(
            {"ledger_torn",
             fmt::format("{}: lines of a ledger that it counts were cut off and are left out: what "
                         "they cost is unknown",
                         is_public ? "a report" : document.path)});
      }
      continue;
    }
    const reports::LedgerText text = reports::parse_ledger(document.text, document.path);
    file.record = text.record();
    file.ledger = io::sha256_hex(std::as_bytes(std::span(document.text)));
    if (auto torn = torn_notice(is_public ? "a ledger" : document.path, text)) {
      rounds.torn.push_back(std::move(*torn));
    }
    for (const reports::LedgerEntry& entry : text.entries) {
      rounds.parts.push_back(ledger_part(entry, document.path, file.ledger));
    }
  }
  std::erase_if(rounds.files, [](const reports::NamedRecord& file) { return file.record.empty(); });
  if (rounds.files.empty()) throw input_error("nothing to add up: the reports have no events");
  return rounds;
}

int compose_rounds(const std::vector<Document>& documents, const ComposeOptions& options,
                   const Streams& streams) {
  const Record foreign = foreign_events(options.foreign);
  Rounds rounds = read_rounds(documents, options.output.public_only);
  reports::check_addable(rounds.files, options.same_teachers);
  RecordSettings settings = options.rounds;
  settings.threads = options.threads;
  reports::ReportContext context;
  context.version = version();
  context.parts = std::move(rounds.parts);
  context.record = join(rounds.record(), foreign);
  if (options.output.public_only) {
    context.record = public_record(std::move(context.record));
    for (std::size_t i = 0; i < context.parts.size(); ++i) {
      context.parts[i].path = fmt::format("part {}", i + 1);
      context.parts[i].is_whole = false;  // nor its own headline
    }
  }
  RecordAccount sum = [&] {
    const Activity activity(streams, "adding up rounds");
    return account_record(context.record, settings);
  }();
  // It is 0 where all parts are answers of pure cost.
  if (sum.delta != 0.0) check_delta(sum.delta, options.any_delta, "the delta of the sum");
  if (options.output.public_only) {
    std::erase_if(sum.costs, [](const CostEntry& cost) { return !cost.releasable; });
    if (sum.costs.empty()) return report_missed({"no cost of this sum may be published"}, streams);
    sum.headline = headline_of(
        sum.costs, {options.rounds.reading, options.rounds.conversion, options.rounds.bound});
  }
  std::ranges::move(slip_notices({}, {}, sum.delta), std::back_inserter(sum.notices));
  // What is doubted follows from the votes: for some of their neighbours nothing is.
  if (!options.output.public_only) {
    sum.notices.insert(sum.notices.begin(), rounds.doubts.begin(), rounds.doubts.end());
  }
  sum.notices.insert(sum.notices.begin(), rounds.torn.begin(), rounds.torn.end());
  for (const Notice& torn : rounds.torn) sum.not_covered.push_back(torn.message);
  ComposeOptions in_force = options;
  if (sum.delta > 0.0) in_force.rounds.delta = sum.delta;
  context.settings = settings_of("compose", add_compose, in_force);
  const auto judged = judged_limits(options.limits, sum.costs[sum.headline], sum.answered_expected,
                                    sum.answered_realized);
  context.verdicts = verdicts_of(judged);
  write_exports(options.exports, context.record, sum.costs[sum.headline], settings, streams);
  deliver_report(options.output,
                 reports::composed_report_json(sum, context, options.output.audience()),
                 costs_for_people(
                     options.output, guarantee_of(sum), sum.costs,
                     compose_summary(sum, context.parts, options.output.all, streams.out_colour())),
                 sum.notices, streams);
  return report_judged(
      judged, options.output.public_only || may_tell_numbers(options.output, streams), streams);
}

}  // namespace

void add_compose(CommandLine& line, ComposeOptions& options) {
  line.section("").add("REPORT TEXT", options.reports,
                       "reports: all shards of a run or tuning, or\n"
                       "rounds: of analyze, label, plan, release,\n"
                       "compose, and ledgers",
                       {.required = true, .recorded_as = "reports"});
  const Section rounds = line.section("Rounds");
  rounds.add("--delta D", options.rounds.delta, "delta of the sum; default: that of the reports");
  add_any_delta(rounds, options.any_delta);
  add_orders(rounds, options.rounds.orders);
  rounds.add(
      "--bound NAME", options.rounds.bound,
      {Bound::tradeoff, Bound::published, Bound::exact, Bound::data_independent, Bound::released},
      "bound to report first: tradeoff, published, exact, data-independent or released");
  add_headline(rounds, options.rounds.reading, options.rounds.conversion);
  rounds.add("--same-teachers", options.same_teachers,
             "assert that votes in different files are by the same teachers");
  add_trust_ledger(rounds, options.access);
  add_foreign_options(line, options.foreign);
  add_limit_options(line, options.limits);
  add_output_options(line, options.output);
  add_format(line, options.output, "the costs");
  add_all(line, options.output);
  add_metrics(line, options.output);
  add_statement(line, options.output);
  add_public_only(line, options.output);
  add_export_options(line, options.exports);
  add_threads(line.section("Work"), options.threads);
}

int run_compose(const ComposeOptions& options, const Streams& streams) {
  check_limits(options.limits);
  if (options.rounds.delta) check_delta(*options.rounds.delta, options.any_delta);
  std::vector<std::string> inputs = options.reports;
  std::ranges::copy(foreign_files(options.foreign), std::back_inserter(inputs));
  check_output_options(options.output, inputs, options.exports.destinations());
  refuse(options.output.public_only && options.limits.min_answered,
         "--min-answered excludes --public-only: how many answers are expected depends on the "
         "votes");
  std::vector<Document> documents;
  for (const std::string& path : options.reports)
    documents.push_back(read_document(path, options.access));
  const auto all = [&](const auto& holds) {
    return std::all_of(documents.begin(), documents.end(), holds);
  };
  const bool tunings = all([](const Document& document) { return document.is("pate/tune/v1"); });
  const bool shards = all([](const Document& document) {
    return document.is("pate/analyze/v1") && document.report->find("shard");
  });
  refuse(tunings && options.output.public_only,
         "--public-only: nothing of a tuning may be published");
  refuse(tunings && options.exports.any(),
         "--export-rdp and --export-pld: a tuning is no mechanism; leave them out");
  if (!tunings && !shards) return compose_rounds(documents, options, streams);
  const RecordSettings& rounds = options.rounds;
  refuse(rounds.delta || rounds.orders || rounds.reading || rounds.conversion || rounds.bound ||
             options.same_teachers || options.foreign.any(),
         "shards are put together as they were made: --delta, --orders, --bound, --reading, "
         "--conversion, --same-teachers and numbers of others are for rounds");
  return tunings ? compose_tunings(documents, options, streams)
                 : compose_shards(documents, options, streams);
}

}  // namespace pate::cli
