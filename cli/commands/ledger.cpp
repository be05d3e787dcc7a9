#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/commands/commands.hpp"
#include "cli/commands/summaries.hpp"
#include "cli/text.hpp"
#include "pate/io/files.hpp"
#include "pate/math/decimal.hpp"
#include "pate/reports/ledger_account.hpp"

namespace pate::cli {

namespace {

using reports::LedgerEntry;

std::string ledger_summary(const std::string& path, const std::vector<LedgerEntry>& entries,
                           const reports::LedgerTotal& total, std::span<const Notice> notices) {
  if (entries.empty()) return fmt::format("{}: no entries\n{}", path, notes(notices));
  const reports::Ensemble& ensemble = entries.front().ensemble;
  std::string text = fmt::format(
      "{}: ensemble {}, {}, {} classes\n\n{:>6}  {:<22}{:<9}{:>8}{:>9}{:>9}"
      "{:>9}  counted\n",
      path, io::printable(ensemble.name, 200, io::Letters::any), teachers_text(ensemble.teachers),
      ensemble.classes, "line", "time", "kind", "queries", "answered", "epsilon", "delta");
  const auto count = [](const LedgerEntry& entry, const char* key) {
    const auto found = entry.released.find(key);
    return found ? fmt::format("{}", found->integer()) : std::string("-");
  };
  for (const LedgerEntry& entry : entries) {
    const io::JsonValue its = entry.kind == "release" ? entry.released.at("run") : entry.released;
    fmt::format_to(std::back_inserter(text), "{:>6}  {:<22}{:<9}{:>8}{:>9}{:>9}{:>9}  {}\n",
                   entry.line, io::printable(entry.time, 40), io::printable(entry.kind, 40),
                   count(entry, "queries"), count(entry, "answered"),
                   epsilon_text(its.at("epsilon").number()),
                   fmt::format("{:.3g}", its.at("delta").number()),
                   reports::is_added(entry, entries, total) ? "added" : "within a later line");
  }
  return text + fmt::format("\ntotal: epsilon = {} at delta = {}, the sums of what is added\n{}{}",
                            epsilon_text(total.epsilon), decimal(total.delta),
                            notices.empty() ? "" : "\n", notes(notices));
}

}  // namespace

void add_ledger(CommandLine& line, LedgerOptions& options) {
  line.section("").add("LEDGER TEXT", options.ledger, "a ledger of pate label and pate release",
                       {.required = true, .recorded_as = "ledger"});
  add_output_options(line, options.output);
}

int run_ledger(const LedgerOptions& options, const Streams& streams) {
  check_output_options(options.output, {options.ledger});
  const reports::LedgerText text =
      reports::parse_ledger(io::read_text_file(options.ledger), options.ledger);
  const reports::LedgerTotal total = reports::ledger_total(text.entries, options.ledger);
  std::vector<Notice> notices;
  if (std::ranges::any_of(total.groups, &reports::LedgerGroup::chosen_from_votes)) {
    notices.push_back({"parameters_from_votes",
                       "parameters of a release were chosen from votes, which no statement, and "
                       "not this total, allows for"});
  }
  if (text.torn_lines > 0) {
    notices.push_back({"ledger_torn",
                       "the last line is the beginning of an entry that a crash cut "
                       "off, or that is being written; it does not count"});
  }
  const reports::ReportContext context{
      version(), settings_of("ledger", add_ledger, options), {}, {}};
  deliver_report(options.output,
                 reports::account_report_json(text.entries, total, notices, context),
                 ledger_summary(options.ledger, text.entries, total, notices), notices, streams);
  return kDone;
}

}  // namespace pate::cli
