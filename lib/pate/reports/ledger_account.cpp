#include "pate/reports/ledger_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "pate/accounting/guarantee.hpp"
#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/events/drawn_numbers.hpp"
#include "pate/numerics/decimal.hpp"
#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"

namespace pate::reports {

namespace {

// Of 2026-11-21T11:30:16Z: what is public needs no more, and the second may tell who did it.
constexpr std::size_t kDay = 10;

// Of any single delta pate asks whether it is meant.
constexpr double kLargeSumOfDeltas = 0.1;

bool is_about(const LedgerEntry& entry, const ReleasedRun& run) {
  const VotesDigests& digests = entry.event.facts.digests;
  if (digests.run != run.digest) return false;
  if (entry.event.open.kind == EventKind::release) return digests.labels == run.decisions;
  return entry.event.open.kind == EventKind::run &&
         (run.decisions.empty() || digests.labels == run.decisions);
}

}  // namespace

RecordAccount ledger_total(const Record& record, const std::string& ledger,
                           RecordSettings settings) {
  if (!settings.delta) {
    const double delta = recorded_delta(record);
    if (!(delta < 1.0)) {
      throw input_error(fmt::format(
          "{}: the deltas of its entries add up to {}: expected less than 1; pate ledger \1delta D "
          "tells the total at another delta, and a run needs a smaller one",
          ledger, delta));
    }
    if (delta > 0.0) settings.delta = delta;
    RecordAccount account = account_record(record, settings);
    if (delta > kLargeSumOfDeltas) {
      account.notices.push_back(
          {"large_delta",
           fmt::format(
               "the deltas of the entries add up to {}: with this probability the guarantee "
               "may fail; pate ledger \1delta D tells the total at a smaller one",
               digits_upwards(delta, 3))});
    }
    return account;
  }
  return account_record(record, settings);
}

ToldEpsilon total_with(const Ledger& ledger, const Event& event) {
  const RecordAccount account =
      ledger_total(join(ledger.record(), public_record({event})), ledger.path().string());
  const CostEntry& total = account.costs[account.headline];
  return {total.epsilon, total.delta, total.promise};
}

io::JsonValue ledger_settings(std::string_view command, const ReportContext& context,
                              const std::string& labels_sha256) {
  ReportContext private_context = context;
  if (!labels_sha256.empty()) {
    private_context.settings.emplace_back("labels_sha256", labels_sha256);
  }
  return begin_report(command, private_context).place().value("settings").at("settings");
}

std::optional<std::int64_t> counted_within(const LedgerEntry& entry,
                                           const std::vector<LedgerEntry>& entries) {
  std::optional<std::int64_t> line;
  for (const LedgerEntry& other : entries) {
    const auto& drawn = other.event.open.drawn;
    if (!drawn || other.line == entry.line) continue;
    const bool counts = entry.event.open.drawn
                            ? std::ranges::count(drawn->covers, entry.event.open.id) > 0
                            : other.event.open.about == entry.event.open.id;
    if (counts) line = other.line;
  }
  return line;
}

ToldEpsilon own_cost(const LedgerEntry& entry) {
  if (entry.event.open.drawn) return drawn_total({&entry.event});
  return told_total({entry.event});
}

std::string_view kind_of(const LedgerEntry& entry) {
  return entry.event.open.kind == EventKind::run ? "label" : name(entry.event.open.kind);
}

std::string total_in_words(std::size_t entries, const ToldEpsilon& total) {
  const char* const promise = total.promise == Promise::fixed ? ""
                              : total.promise == Promise::outcome
                                  ? ", an epsilon of what came out"
                                  : ", which promises nothing: pate ledger says why";
  return fmt::format("{} entr{}: epsilon = {} at delta = {} together{}", entries,
                     entries == 1 ? "y" : "ies", total.epsilon, decimal(total.delta), promise);
}

std::string account_report_json(const std::vector<LedgerEntry>& entries, const RecordAccount& total,
                                const ReportContext& context) {
  FieldWriter report = begin_report("account", context);
  report("ensemble", entries.front().ensemble());
  const io::JsonWriter list = report.place().member("entries");
  for (const LedgerEntry& entry : entries) {
    FieldWriter line(list.element());
    const PublicEvent& open = entry.event.open;
    const ToldEpsilon its = own_cost(entry);
    line("line", entry.line);
    line("kind", kind_of(entry));
    line("time", entry.time);
    line("queries", open.queries);
    line("answered", open.realized ? std::optional(open.realized->answered) : std::nullopt);
    line("epsilon", its.epsilon);
    line("delta", its.delta);
    line("promise", its.promise);
    if (open.drawn) line("parameters", parameters_name(open.origin.parameters_from_votes));
    line("added", !counted_within(entry, entries));
  }
  const CostEntry& headline = total.costs[total.headline];
  report.object("total", [&](FieldWriter& sum) {
    sum("epsilon", headline.epsilon);
    sum("delta", headline.delta);
  });
  report("guarantee", guarantee_of(total, "all that this ledger records"));
  report("headline", headline);
  report("costs", total.costs);
  report("notices", total.notices);
  return report.text();
}

std::string run_digest(const std::vector<InputFile>& inputs, const CostedMechanism& mechanism) {
  FieldWriter run;
  run("mechanism", mechanism);
  for (const InputFile& input : inputs) {
    if (input.votes_digest) run("votes", *input.votes_digest);
    if (input.role == "student") run("student", input.sha256);
  }
  const std::string text = run.place().line();
  return io::sha256_hex(std::as_bytes(std::span(text)));
}

std::string votes_digest_of(const std::vector<InputFile>& inputs) {
  for (const InputFile& input : inputs) {
    if (input.votes_digest) return *input.votes_digest;
  }
  return "";
}

LedgerCounts count_entries(const std::vector<LedgerEntry>& entries, const ReleasedRun& run,
                           const std::string& ledger) {
  LedgerCounts counts;
  const auto same = std::find_if(entries.rbegin(), entries.rend(),
                                 [&](const LedgerEntry& entry) { return is_about(entry, run); });
  for (const LedgerEntry& entry : entries) {
    // The event's origin has that of a list of rows, too, which need not be of answers.
    const auto follows = entry.settings.find("rows_from_answers");
    if (!follows || !follows->boolean() || !is_about(entry, run)) continue;
    throw ledger_conflict(fmt::format(
        "{}: line {}: the queries of this run follow answers, where a number for these votes "
        "promises nothing: publish what any votes cost, which pate ledger says",
        ledger, entry.line));
  }
  if (same != entries.rend()) {
    const PublicEvent& open = same->event.open;
    counts.about = open.drawn ? open.about : open.id;
  } else {
    counts.about = new_event_id();
  }
  Record rest;
  for (const LedgerEntry& entry : entries) {
    const PublicEvent& open = entry.event.open;
    const bool is_same = open.id == counts.about || open.about == counts.about;
    OtherEntry& other = counts.others.emplace_back();
    other.id = open.id;
    other.line = entry.line;
    other.kind = kind_of(entry);
    other.time = entry.time.substr(0, kDay);
    other.chosen_from_votes = open.origin.parameters_from_votes;
    other.counted = is_same ? open.drawn ? Counted::noise : Counted::same_answers
                    : counted_within(entry, entries) ? Counted::within_another
                                                     : Counted::added;
    if (!is_same) rest.push_back(entry.event);
    if (!is_same || !open.drawn) continue;
    const auto& noise = open.drawn->noise ? open.drawn->noise : entry.event.facts.noise;
    const NumberNoise its = noise.value_or(NumberNoise{});
    counts.covers.push_back(open.id);
    if (std::ranges::any_of(entries, [&](const LedgerEntry& later) {
          return is_same_coin(later.event.open, open);
        })) {
      continue;
    }
    counts.earlier.push_back({its.beta, its.noise, its.k, other.chosen_from_votes, its.method});
  }
  if (!rest.empty()) {
    counts.added = told_total(rest);
    counts.conditions = conditions_of_total(rest);
  }
  if (!std::isfinite(counts.added.epsilon)) {
    throw input_error(fmt::format(
        "{}: nothing is known of what its other entries cost together: no number can count them",
        ledger));
  }
  return counts;
}

}  // namespace pate::reports
