#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "cli/commands/commands.hpp"
#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/text.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/numerics/decimal.hpp"
#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/record_json.hpp"

namespace pate::cli {

namespace {

using reports::LedgerEntry;

std::string ledger_summary(const std::string& path, const std::vector<LedgerEntry>& entries,
                           const RecordAccount& total, bool all, bool colour) {
  const reports::Ensemble ensemble = entries.front().ensemble();
  std::string text = fmt::format(
      "{}: ensemble {}, {}, {} classes\n\n{:>6}  {:<22}{:<9}{:>8}{:>9}{:>9}"
      "{:>9}  {:<8} counted\n",
      path, io::printable(ensemble.name, 200, io::Letters::any), teachers_text(ensemble.teachers),
      ensemble.classes, "line", "time", "kind", "queries", "answered", "epsilon", "delta",
      "promise");
  for (const LedgerEntry& entry : entries) {
    const PublicEvent& open = entry.event.open;
    const ToldEpsilon its = reports::own_cost(entry);
    const auto within = reports::counted_within(entry, entries);
    fmt::format_to(
        std::back_inserter(text), "{:>6}  {:<22}{:<9}{:>8}{:>9}{:>9}{:>9}  {:<8} {}\n", entry.line,
        io::printable(entry.time, 40), reports::kind_of(entry), open.queries,
        open.realized ? fmt::format("{}", open.realized->answered) : std::string("-"),
        epsilon_text(its.epsilon), digits_upwards(its.delta, 3), name(its.promise),
        within ? fmt::format("in the epsilon of line {}", *within) : std::string("by itself"));
  }
  return text + "\ntogether" + total_summary(total, total.notices, all, colour);
}

// Writes down what others did with the same data. Each is told by itself at the largest delta that
// an entry has, as (epsilon, delta)-DP at its own.
void append_foreign(const LedgerOptions& options, const reports::ReportContext& context,
                    const reports::LedgerAccess& access) {
  const Record events = foreign_events(options.foreign);
  // Looked at first: to open a ledger makes one, if only for as long as it is open.
  if (reports::read_ledger(options.ledger, access).entries.empty()) {
    throw input_error(
        fmt::format("{}: expected a ledger with an entry, which says whose account it is; begin "
                    "one with pate label --ledger {}",
                    options.ledger, options.ledger));
  }
  reports::Ledger ledger(options.ledger, {}, access);
  double delta = 0.0;
  for (const LedgerEntry& entry : ledger.entries()) {
    delta = std::max(delta, entry.event.open.delta.value_or(0.0));
  }
  const reports::Ensemble ensemble = ledger.entries().front().ensemble();
  common_neighbours(join(ledger.record(), events));
  for (Event event : events) {
    PublicEvent& open = event.open;
    open.id = reports::new_event_id();
    open.ensemble = ensemble.name;
    open.teachers = ensemble.teachers;
    open.classes = ensemble.classes;
    open.delta = open.claim ? open.claim->delta : delta;
    ledger.append({event, reports::ledger_settings("ledger", context, {}), version()});
  }
}

}  // namespace

void add_ledger(CommandLine& line, LedgerOptions& options) {
  line.section("").add("LEDGER TEXT", options.ledger, "a ledger of pate label and pate release",
                       {.required = true, .recorded_as = "ledger"});
  const Section section = line.section("Ledger");
  section.add("--repair", options.repair, "leave out what was cut off at the end");
  add_trust_ledger(section, options.access);
  add_lock_timeout(section, options.access);
  add_foreign_options(line, options.foreign);
  line.section("Numbers of others")
      .add("--append", options.append, "write these numbers into the ledger, each as an entry");
  const Section total = line.section("Total");
  total.add("--delta D", options.total.delta,
            "delta of the total; default: the sum of those of the entries");
  add_any_delta(total, options.any_delta);
  add_orders(total, options.total.orders);
  total.add("--max-epsilon E", options.limits.max_epsilon,
            "exit with status 1 above this epsilon, at --delta");
  add_threads(total, options.total.threads);
  add_output_options(line, options.output);
  add_format(line, options.output, "the costs");
  add_all(line, options.output);
  add_metrics(line, options.output);
  add_statement(line, options.output);
}

int run_ledger(const LedgerOptions& options, const Streams& streams) {
  check_limits(options.limits);
  check_ensemble({}, options.ledger, options.access);
  refuse(options.limits.max_epsilon && !options.total.delta,
         "--max-epsilon needs --delta, at which it is a limit: without it the total is told at the "
         "sum of the deltas of the entries, which grows with them, and its epsilon falls");
  if (options.total.delta) check_delta(*options.total.delta, options.any_delta);
  std::vector<std::string> inputs = foreign_files(options.foreign);
  inputs.push_back(options.ledger);
  check_output_options(options.output, inputs);
  if (options.append != options.foreign.any()) {
    throw usage_error(
        options.append ? "--append writes down what others did: add --rdp, --approximate, "
                         "--gaussian-mu or --zcdp"
                       : "numbers of others are written into the ledger: add --append; the total "
                         "with them, without writing, is told by 'pate compose' of the ledger");
  }
  reports::ReportContext context{version(), settings_of("ledger", add_ledger, options), {}, {}};
  const reports::LedgerAccess access = telling(options.access, options.ledger, streams);
  if (options.repair) reports::repair_ledger(options.ledger, access);
  if (options.append) append_foreign(options, context, access);
  reports::require_trusted(options.ledger, access);
  const reports::LedgerText text =
      reports::parse_ledger(io::read_text_file(options.ledger), options.ledger);
  RecordAccount total = reports::ledger_total(text.record(), options.ledger, options.total);
  if (const auto torn = torn_notice(options.ledger, text)) {
    total.notices.push_back(*torn);
    total.not_covered.push_back(torn->message);
  }
  const auto judged = judged_limits(options.limits, total.costs[total.headline]);
  context.verdicts = verdicts_of(judged);
  deliver_report(options.output, reports::account_report_json(text.entries, total, context),
                 costs_for_people(options.output,
                                  guarantee_of(total, "all that this ledger records"), total.costs,
                                  ledger_summary(options.ledger, text.entries, total,
                                                 options.output.all, streams.out_colour())),
                 total.notices, streams);
  // Nothing of what a ledger totals depends on votes but through what was released.
  constexpr bool kPublic = true;
  return report_judged(judged, kPublic, streams);
}

}  // namespace pate::cli
