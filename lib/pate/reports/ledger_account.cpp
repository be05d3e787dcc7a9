#include "pate/reports/ledger_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "pate/accounting/guarantee.hpp"
#include "pate/error.hpp"
#include "pate/io/digests.hpp"
#include "pate/math/decimal.hpp"
#include "pate/math/sums.hpp"
#include "pate/reports/report_fields.hpp"

namespace pate::reports {

namespace {

constexpr double kMostDelta = 1.0;

bool is_release(const LedgerEntry& entry) {
  return entry.kind == "release";
}

// An object of an entry whose errors name ledger and line.
io::JsonValue placed(const io::JsonValue& object, const char* key, const LedgerEntry& entry,
                     const std::string& ledger) {
  return object.as_document(fmt::format("{}: line {}: {}", ledger, entry.line, key));
}

// Whether parameters of a release were chosen from votes.
bool was_chosen(const LedgerEntry& entry, const std::string& ledger) {
  const io::JsonValue settings = placed(entry.settings, "settings", entry, ledger);
  const auto origin = value_named<ParameterOrigin>(settings.at("parameters").text());
  return !origin || *origin == ParameterOrigin::chosen;
}

EarlierRelease earlier_release(const LedgerEntry& entry, const std::string& ledger) {
  const io::JsonValue settings = placed(entry.settings, "settings", entry, ledger);
  // Entries of earlier versions do not say how.
  const auto its = settings.find("method");
  const auto method = its ? value_named<ReleaseMethod>(its->text()) : ReleaseMethod::gnss;
  if (!method) its->fail("the method of a release that this version knows");
  const bool is_curve = *method == ReleaseMethod::curve;
  EarlierRelease earlier{
      settings.at("beta").number(), settings.at(is_curve ? "s" : "sigma_ss").number(),
      is_curve ? 0.0 : settings.at("k").number(0.0), was_chosen(entry, ledger), *method};
  if (!(earlier.beta > 0.0 && earlier.sigma > 0.0)) {
    settings.fail("beta > 0, and sigma_ss or s > 0");
  }
  return earlier;
}

// Joins the entry to the group of those it counts.
LedgerGroup& group_of(const io::JsonValue& counted, const std::vector<LedgerEntry>& entries,
                      std::vector<LedgerGroup>& groups) {
  std::vector<std::int64_t> lines;
  FieldReader::read(counted, lines, Whole{1});
  for (LedgerGroup& group : groups) {
    if (std::ranges::equal(lines, group.entries, {}, {},
                           [&](std::size_t i) { return entries[i].line; })) {
      return group;
    }
  }
  if (!lines.empty()) counted.fail("the lines of all entries about one run");
  return groups.emplace_back();
}

bool is_about(const LedgerGroup& group, const std::vector<LedgerEntry>& entries,
              const ReleasedRun& run, const std::string& ledger) {
  const LedgerEntry& first = entries[group.entries.front()];
  if (first.run_digest != run.digest) return false;
  if (is_release(first)) {
    const auto decisions = first.settings.find("decisions_sha256");
    return (decisions ? decisions->text() : "") == run.decisions;
  }
  return run.decisions.empty() ||
         placed(first.settings, "settings", first, ledger).at("labels_sha256").text() ==
             run.decisions;
}

}  // namespace

bool is_added(const LedgerEntry& entry, const std::vector<LedgerEntry>& entries,
              const LedgerTotal& total) {
  return std::ranges::any_of(total.groups, [&](const LedgerGroup& group) {
    return entries[group.entries.back()].line == entry.line;
  });
}

LedgerTotal ledger_total(const std::vector<LedgerEntry>& entries, const std::string& ledger) {
  LedgerTotal total;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LedgerEntry& entry = entries[i];
    if (!is_release(entry) && entry.kind != "label") {
      throw input_error(fmt::format("{}: line {}: kind: expected label or release, found '{}'",
                                    ledger, entry.line, entry.kind));
    }
    const io::JsonValue released = placed(entry.released, "released", entry, ledger);
    const io::JsonValue its = is_release(entry) ? released.at("run") : released;
    LedgerGroup& group = is_release(entry) ? group_of(its.at("entries"), entries, total.groups)
                                           : total.groups.emplace_back();
    group.entries.push_back(i);
    group.epsilon = its.at("epsilon").number(0.0);
    group.delta = its.at("delta").number(0.0, kMostDelta);
    group.chosen_from_votes =
        group.chosen_from_votes || (is_release(entry) && was_chosen(entry, ledger));
  }
  for (const LedgerGroup& group : total.groups) {
    total.epsilon = sum_upwards(total.epsilon, group.epsilon);
    total.delta = decimal_sum(total.delta, group.delta);
  }
  return total;
}

std::string total_in_words(const std::vector<LedgerEntry>& entries, const LedgerTotal& total) {
  return fmt::format("{} entr{}: epsilon = {} at delta = {} together", entries.size(),
                     entries.size() == 1 ? "y" : "ies", total.epsilon, decimal(total.delta));
}

std::string account_report_json(const std::vector<LedgerEntry>& entries, const LedgerTotal& total,
                                const std::vector<Notice>& notices, const ReportContext& context) {
  FieldWriter report = begin_report("account", context);
  report("ensemble", entries.empty() ? std::nullopt : std::optional(entries.front().ensemble));
  const io::JsonWriter list = report.place().member("entries");
  list.set_empty_array();
  for (const LedgerEntry& entry : entries) {
    FieldWriter line(list.element());
    const io::JsonValue its = is_release(entry) ? entry.released.at("run") : entry.released;
    line("line", entry.line);
    line("kind", entry.kind);
    line("time", entry.time);
    for (const char* count : {"queries", "answered"}) {
      const auto found = entry.released.find(count);
      line(count, found ? std::optional(found->integer()) : std::nullopt);
    }
    line("epsilon", its.at("epsilon").number());
    line("delta", its.at("delta").number());
    if (is_release(entry)) line("parameters", entry.settings.at("parameters").text());
    line("added", is_added(entry, entries, total));
  }
  report.object("total", [&](FieldWriter& sum) {
    sum("epsilon", total.epsilon);
    sum("delta", total.delta);
  });
  CostEntry cost{Bound::released, Reading::released, ReportedConversion::improved, total.epsilon,
                 total.delta};
  cost.releasable = std::ranges::none_of(total.groups, &LedgerGroup::chosen_from_votes);
  cost.promise = cost.releasable ? Promise::outcome : Promise::none;
  report("guarantee", guarantee_of(cost, "all that this ledger records"));
  report("notices", notices);
  return report.text();
}

std::string run_digest(const std::vector<InputFile>& inputs, const Aggregator& aggregator) {
  FieldWriter run;
  run("mechanism", aggregator);
  for (const InputFile& input : inputs) {
    if (input.votes_digest) run("votes", *input.votes_digest);
    if (input.role == "student") run("student", input.sha256);
  }
  const std::string text = run.place().line();
  return io::sha256_hex(std::as_bytes(std::span(text)));
}

LedgerCounts count_entries(const std::vector<LedgerEntry>& entries, const ReleasedRun& run,
                           const std::string& ledger) {
  const LedgerTotal total = ledger_total(entries, ledger);
  const auto same =
      std::find_if(total.groups.rbegin(), total.groups.rend(),
                   [&](const LedgerGroup& group) { return is_about(group, entries, run, ledger); });
  LedgerCounts counts;
  counts.others.resize(entries.size());
  for (const LedgerGroup& group : total.groups) {
    const bool is_same = same != total.groups.rend() && &group == &*same;
    for (const std::size_t i : group.entries) {
      const LedgerEntry& entry = entries[i];
      OtherEntry& other = counts.others[i];
      other.line = entry.line;
      other.kind = entry.kind;
      other.time = entry.time;
      other.chosen_from_votes = is_release(entry) && was_chosen(entry, ledger);
      other.counted = is_same ? is_release(entry) ? Counted::noise : Counted::same_answers
                      : i == group.entries.back() ? Counted::added
                                                  : Counted::within_another;
      if (other.counted == Counted::added) {
        other.epsilon = group.epsilon;
        other.delta = group.delta;
      }
      if (is_same && is_release(entry)) counts.earlier.push_back(earlier_release(entry, ledger));
    }
    if (is_same) counts.same_run = group.entries;
  }
  return counts;
}

}  // namespace pate::reports
