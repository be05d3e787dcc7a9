#include "pate/reports/read_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/events/foreign_step.hpp"
#include "pate/release/public_release.hpp"
#include "pate/reports/multilabel_report.hpp"
#include "pate/reports/publishable.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/report_fields.hpp"

namespace pate::reports {

namespace {

// Its notices, and those of the parts of a sum, each once.
std::vector<Notice> read_notices(const io::JsonValue& report) {
  std::vector<Notice> result;
  const auto read = [&](const io::JsonValue& from) {
    std::vector<Notice> its;
    FieldReader(from).optional("notices", its);
    for (Notice& notice : its) {
      if (std::ranges::find(result, notice.message, &Notice::message) == result.end()) {
        result.push_back(std::move(notice));
      }
    }
  };
  read(report);
  if (const auto parts = report.find("parts")) {
    for (const io::JsonValue& part : parts->elements()) read(part);
  }
  return result;
}

const char* unit_of(const PublicEvent& event) {
  return event.protects_records ? "one record of the data" : "one teacher's votes";
}

// Digests, ids and ledgers by which files are connected.
std::set<std::string> ties_of(const NamedRecord& named) {
  std::set<std::string> ties;
  if (!named.ledger.empty()) ties.insert("ledger " + named.ledger);
  for (const std::string& id : named.counted.ids) ties.insert("event " + id);
  for (const Event& event : named.record) {
    const VotesDigests& digests = event.facts.digests;
    if (!digests.file.empty()) ties.insert("file " + digests.file);
    if (!digests.counts.empty()) ties.insert("counts " + digests.counts);
    if (event.happened()) ties.insert("event " + event.open.id);
    if (!event.open.about.empty()) ties.insert("event " + event.open.about);
  }
  return ties;
}

bool has_digests(const NamedRecord& named) {
  return std::ranges::any_of(named.record, [](const Event& event) {
    return !event.facts.digests.file.empty() || !event.facts.digests.counts.empty();
  });
}

// A number that counts entries of a ledger adds up only beside what these are of: its own record
// has them not.
void check_counted(const std::vector<NamedRecord>& records) {
  std::set<std::string> ids;
  for (const NamedRecord& named : records) {
    for (const Event& event : named.record) ids.insert(event.open.id);
  }
  for (const NamedRecord& named : records) {
    const auto missing = std::ranges::count_if(
        named.counted.ids, [&](const std::string& id) { return !ids.contains(id); });
    if (missing == 0) continue;
    throw input_error(fmt::format(
        "{}: public.ledger: its epsilon counts {} of a ledger that its record lacks: expected the "
        "ledger in its place, or beside it the reports of all of them that have one",
        named.name, missing == 1 ? "an entry" : "entries"));
  }
}

// The number of teachers; 0 where nothing says.
std::int64_t teachers_of(const NamedRecord& named) {
  for (const Event& event : named.record) {
    if (event.open.teachers > 0) return event.open.teachers;
  }
  return 0;
}

void check_units(const std::vector<NamedRecord>& records) {
  const NamedRecord* first = nullptr;
  const Event* of_first = nullptr;
  for (const NamedRecord& named : records) {
    for (const Event& event : named.record) {
      // What others say of one record adds to what protects one teacher: guarantee_of says so.
      if (is_foreign(event)) continue;
      if (of_first == nullptr) {
        first = &named;
        of_first = &event;
      }
      if (event.open.protects_records != of_first->open.protects_records) {
        throw input_error(
            fmt::format("{}: expected a report that protects {} as {}, found one that protects {}: "
                        "costs of the two do not add up; state one number for each",
                        named.name, unit_of(of_first->open), first->name, unit_of(event.open)));
      }
      if (event.open.neighbours() != of_first->open.neighbours()) {
        throw input_error(
            fmt::format("{}: expected costs for {} as in {}, found them for {}: the two do not add "
                        "up; make both with the same \1neighbours and \1teachers-per-person",
                        named.name, in_words(of_first->open.neighbours()), first->name,
                        in_words(event.open.neighbours())));
      }
      const std::int64_t teachers = teachers_of(named);
      if (event.open.teachers > 0 && event.open.teachers != teachers) {
        throw input_error(fmt::format("{}: teachers: expected {} in all of its events, found {}",
                                      named.name, teachers, event.open.teachers));
      }
    }
  }
}

// Of a number that names no entries of a ledger: that it counts none is told by its own epsilon,
// and without them a sum would leave out what they cost.
void check_counts_nothing(const io::JsonValue& published) {
  const auto run = published.find("run");
  const auto epsilon = published.find("epsilon");
  if (!run || run->type() != io::JsonType::object || !epsilon) return;
  const double of_run = run->at("epsilon").number();
  if (epsilon->number() == of_run) return;
  epsilon->fail(
      fmt::format("{}, that of its run, as there is no public.ledger with entries that it "
                  "counts besides",
                  of_run));
}

// Reports of versions before have no digest.
void check_ledger_digest(const io::JsonValue& published,
                         const std::optional<io::JsonValue>& ledger) {
  const auto digest = published.find("ledger_sha256");
  if (!digest) return;
  if (ledger && digest->text() == ledger_digest(*ledger)) return;
  const bool is_list = ledger && ledger->type() == io::JsonType::array;
  throw input_error(fmt::format(
      "{}: public.ledger: expected the entries that public.ledger_sha256 is a digest of, all that "
      "its epsilon counts, as they were written, found {}: compose the file that pate release "
      "wrote, or the ledger in its place",
      published.file(),
      is_list ? fmt::format("{} entr{}", ledger->elements().size(),
                            ledger->elements().size() == 1 ? "y" : "ies")
              : "none"));
}

// Whether the queries of an event are those of another one in the record: a number is about a run,
// and counts earlier ones about it.
bool is_told_by_others(const Event& event, const Record& record) {
  if (event.open.kind != EventKind::release) return false;
  return std::ranges::any_of(record, [&](const Event& other) {
    if (other.open.kind != EventKind::release) return true;
    return other.open.about == event.open.about && other.open.drawn &&
           std::ranges::find(other.open.drawn->covers, event.open.id) !=
               other.open.drawn->covers.end();
  });
}

}  // namespace

std::string ledger_digest(const io::JsonValue& entries) {
  const std::string text = "pate ledger entries 1\n" + entries.canonical("");
  return io::sha256_hex(std::as_bytes(std::span(text.data(), text.size())));
}

Record read_events(const io::JsonValue& report) {
  const auto schema = report.find("schema");
  if (schema && schema->text() == "pate/tune/v1" && !report.find("record")) {
    schema->fail(
        "a report of a run, which a search is not: its best point is one once it was analysed, by "
        "the command line that the search ends with");
  }
  if (report.find("shard")) {
    report.at("shard").fail("a whole run: compose the shards of a run by themselves first");
  }
  if (const auto record = report.find("record")) return read_record(*record);
  if (const auto published = report.find("public")) {
    if (const auto record = published->find("record")) return read_record(*record);
  }
  if (schema && schema->text() == "pate/multilabel/v1") {
    throw input_error(fmt::format("{}: {}", report.file(), how_to_compose_multilabel(report)));
  }
  if (report.find("public") && !report.find("headline")) {
    throw input_error(fmt::format(
        "{}: expected a whole report, found one of only what may be published, without a record: "
        "compose the whole report in its place",
        report.file()));
  }
  if (schema && schema->text() == "pate/release/v1") {
    report.fail("a release that was made; this report is of a dry run, without public");
  }
  if (schema && schema->text() == "pate/darrm/v1") {
    report.at("setting").fail(
        "independent_fresh or non_private: where teachers that were trained once answer again, "
        "costs do not add up; run pate darrm on all of their queries together");
  }
  if (schema) {
    schema->fail("a report with a record: of pate analyze, label, plan, release, darrm or compose");
  }
  return read_record(report.at("record"));
}

ReportPart report_part(const io::JsonValue& report, const Record& record) {
  ReportPart named;
  named.path = report.file();
  named.sha256 = report.sha256();
  named.schema = report.at("schema").text();
  named.mechanism = "composed";
  std::int64_t answered = 0;
  bool is_known = true;
  std::size_t listed = 0;
  for (const Event& event : record) {
    if (is_told_by_others(event, record)) continue;
    named.mechanism = ++listed == 1 ? event.open.mechanism : "composed";
    named.queries += event.times * event.open.queries;
    is_known = is_known && event.open.realized.has_value();
    if (event.open.realized) answered += event.open.realized->answered;
    if (!event.facts.digests.file.empty()) named.votes_sha256 = event.facts.digests.file;
    if (!event.facts.digests.counts.empty()) named.votes_digest = event.facts.digests.counts;
  }
  const auto its = report.find("answered");
  if (is_known) {
    named.answered = static_cast<double>(answered);
  } else if (const auto expected = its ? its->find("expected") : std::nullopt;
             expected && expected->type() == io::JsonType::real) {
    named.answered = expected->number();
  }
  // What it says of itself, for people: nothing is made of it.
  const auto published = report.find("public");
  const auto headline = report.find("headline");
  const auto of_public = published ? published->find("headline") : std::nullopt;
  if (headline || published) {
    const io::JsonValue its_own = headline ? *headline : of_public ? *of_public : *published;
    const auto number = [&](const char* key) -> std::optional<double> {
      const auto value = its_own.find(key);
      if (!value) return std::nullopt;
      const bool is_number =
          value->type() == io::JsonType::real || value->type() == io::JsonType::whole;
      return is_number ? std::optional(value->number()) : std::nullopt;
    };
    named.epsilon = number("epsilon");
    named.delta = number("delta");
    named.order = number("order");
    const auto told = headline_number(report);
    const Promise promise = promise_of(its_own).value_or(told ? told->promise : Promise::fixed);
    if (named.epsilon && promise != Promise::fixed) {
      named.promise = promise_in_brief(promise, its_own);
    }
  }
  named.is_whole = true;
  named.notices = read_notices(report);
  return named;
}

CountedEntries counted_entries(const io::JsonValue& report) {
  CountedEntries result;
  const auto published = report.find("public");
  const auto ledger = published ? published->find("ledger") : std::nullopt;
  if (published) check_ledger_digest(*published, ledger);
  if (published &&
      !(ledger && ledger->type() == io::JsonType::array && !ledger->elements().empty())) {
    check_counts_nothing(*published);
    return result;
  }
  if (!ledger) return result;
  for (const io::JsonValue& entry : ledger->elements()) {
    const std::string& counted = entry.at("counted").text();
    if (counted == name(Counted::same_answers)) continue;
    result.ids.push_back(entry.at("id").text());
  }
  return result;
}

void check_addable(const std::vector<NamedRecord>& records, bool same_teachers) {
  check_units(records);
  check_counted(records);
  std::vector<const NamedRecord*> with_votes;
  for (const NamedRecord& named : records) {
    if (teachers_of(named) > 0) with_votes.push_back(&named);
  }
  if (with_votes.empty()) return;
  const NamedRecord& first = *with_votes.front();
  for (const NamedRecord* named : with_votes) {
    if (teachers_of(*named) == teachers_of(first)) continue;
    throw input_error(fmt::format(
        "{}: teachers: expected {} as in {}, found {}: the costs of different ensembles are not "
        "added up",
        named->name, teachers_of(first), first.name, teachers_of(*named)));
  }
  if (same_teachers) return;
  // Files are joined to the first while they have anything in common with those that are.
  std::set<std::string> ties = ties_of(first);
  std::vector<const NamedRecord*> others(with_votes.begin() + 1, with_votes.end());
  for (bool any = true; any;) {
    any = false;
    for (const NamedRecord*& named : others) {
      if (named == nullptr) continue;
      const std::set<std::string> its = ties_of(*named);
      if (std::ranges::none_of(its, [&](const std::string& tie) { return ties.contains(tie); })) {
        continue;
      }
      ties.insert(its.begin(), its.end());
      named = nullptr;
      any = true;
    }
  }
  for (const NamedRecord* named : others) {
    if (named == nullptr) continue;
    for (const NamedRecord* its : {&first, named}) {
      if (has_digests(*its)) continue;
      throw input_error(fmt::format(
          "{}: expected digests of its votes, found none, as in what may be published; add "
          "\1same-teachers if the same teachers voted in {}",
          its->name, its == &first ? named->name : first.name));
    }
    throw input_error(
        fmt::format("{}: votes: expected the votes of {}, found others; add \1same-teachers if the "
                    "same teachers voted in both",
                    named->name, first.name));
  }
}

}  // namespace pate::reports
