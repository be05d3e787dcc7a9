#include "pate/reports/read_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/events/record_entries.hpp"
#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/ledger_lines.hpp"
#include "pate/reports/read_events.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/report_fields.hpp"

namespace pate::reports {

namespace {

using io::JsonType;
using io::JsonValue;

constexpr std::array<std::string_view, 13> kSchemas{
    "pate/account/v1",        "pate/analyze/v1", "pate/darrm/v1",      "pate/explain/v1",
    "pate/inspect/v1",        "pate/label/v1",   "pate/multilabel/v1", "pate/nzc/v1",
    "pate/plan/v1",           "pate/release/v1", "pate/rounds/v1",     "pate/tune/v1",
    "pate/private_search/v1",
};

// Numbers are computed anew at the order that a cost names, by other sums.
constexpr double kAlike = 1e-8;

template <class Value>
void read_name(const JsonValue& entry, const char* key, Value& value) {
  const JsonValue word = entry.at(key);
  const auto known = value_named<Value>(word.text());
  if (!known) word.fail("a word that this version of pate knows");
  value = *known;
}

// A cost, without its parts; none where its epsilon is infinite.
std::optional<CostEntry> read_cost(const JsonValue& json) {
  if (json.type() != JsonType::object || !json.find("epsilon") || !json.find("conversion")) {
    return std::nullopt;
  }
  CostEntry entry;
  read_name(json, "bound", entry.bound);
  read_name(json, "reading", entry.reading);
  read_name(json, "conversion", entry.conversion);
  if (json.find("promise")) read_name(json, "promise", entry.promise);
  entry.epsilon = json.at("epsilon").number(0.0);
  entry.delta = json.at("delta").number(0.0, 1.0);
  if (const auto order = json.find("order")) entry.order = order->number();
  if (const auto its = json.find("data_dependent")) entry.data_dependent = its->boolean();
  if (const auto its = json.find("releasable")) entry.releasable = its->boolean();
  return entry;
}

bool is_alike(const CostEntry& a, const CostEntry& b) {
  return a.bound == b.bound && a.reading == b.reading && a.conversion == b.conversion;
}

// The same cost of the record, at the order of the one that is told; none where none is known.
std::optional<CostEntry> computed_anew(const Record& record, const CostEntry& told, double delta) {
  RecordSettings settings;
  if (told.order) settings.orders = {*told.order};
  settings.threads = 1;
  std::vector<CostEntry> entries;
  try {
    RecordSums sums(record, 1);
    const RecordQuestion asked = question_of(sums, settings, delta);
    if (!(delta >= asked.apart)) return std::nullopt;
    std::vector<Notice> notices;
    std::vector<double> curve;
    if (told.bound == Bound::data_independent) {
      entries = any_votes_entries(asked, notices);
      if (auto counted = counted_entry(asked, notices)) entries.push_back(std::move(*counted));
    } else if (told.bound == Bound::tradeoff && told.reading == GuaranteeKind::joint) {
      entries = tradeoff_entries(asked, curve, notices);
    }
  } catch (const parameter_error&) {
    return std::nullopt;  // an order at which nothing is known
  }
  const auto its =
      std::ranges::find_if(entries, [&](const CostEntry& entry) { return is_alike(entry, told); });
  return its == entries.end() ? std::nullopt : std::optional(*its);
}

// Whether a cost is the record's; throws where it is below one that needs no votes. What votes cost
// may be less than a record can give again: decisions, or exact costs, are known to the run alone.
bool check_cost(const JsonValue& json, const CostEntry& told, const Record& record, double delta) {
  const auto anew = computed_anew(record, told, delta);
  if (!anew) return false;
  const double room = kAlike * (1.0 + anew->epsilon);
  if (told.bound == Bound::data_independent && told.epsilon < anew->epsilon - room) {
    json.at("epsilon").fail(fmt::format("{}, what the record of the report costs", anew->epsilon));
  }
  if (told.delta < anew->delta * (1.0 - kAlike)) {
    json.at("delta").fail(fmt::format("{}, the delta of the report", anew->delta));
  }
  return std::abs(told.epsilon - anew->epsilon) <= room;
}

// A guarantee names the number that it is about, in symbols and in words, whichever version wrote
// these.
void check_guarantee(const JsonValue& guarantee, double epsilon, std::optional<bool> promises) {
  const bool holds = guarantee.at("holds").boolean();
  if (promises && holds != *promises) {
    guarantee.at("holds").fail(fmt::format("{}, as its headline says", !holds));
  }
  if (!holds) return;
  const JsonValue formula = guarantee.at("formula");
  if (formula.text().find(fmt::format("e^{} ", epsilon)) == std::string::npos &&
      formula.text().find(fmt::format("E = {} ", epsilon)) == std::string::npos) {
    formula.fail(fmt::format("that of epsilon {}", epsilon));
  }
  const std::string odds = odds_upwards(epsilon);
  const JsonValue promise = guarantee.at("promise");
  if (promise.text().find(fmt::format("({}, ", epsilon)) == std::string::npos &&
      promise.text().find(fmt::format(" {} times", odds)) == std::string::npos &&
      promise.text().find(fmt::format("1/{} of", odds)) == std::string::npos) {
    promise.fail(fmt::format("the odds of epsilon {}, {}", epsilon, odds));
  }
}

std::optional<Record> record_of(const JsonValue& report) {
  auto record = report.find("record");
  const auto part = report.find("public");
  if (!record && part && part->type() == JsonType::object) record = part->find("record");
  return record ? std::optional(read_record(*record)) : std::nullopt;
}

bool check_headline(const JsonValue& body, const std::optional<Record>& record) {
  const auto headline = body.find("headline");
  const auto costs = body.find("costs");
  const auto epsilon = headline ? headline->find("epsilon") : std::nullopt;
  if (!epsilon || !costs || costs->type() != JsonType::array) return false;
  const auto all = costs->elements();
  const auto told = read_cost(*headline);
  if (std::ranges::find(all, *headline) == all.end()) {
    std::string others;
    for (const JsonValue& cost : all) {
      const auto its = read_cost(cost);
      if (its && told && is_alike(*its, *told)) {
        others += fmt::format(", {} is there", its->epsilon);
      }
    }
    epsilon->fail("one of the costs of the report" + others);
  }
  if (const auto declared = body.find("declared")) {
    if (!(declared->at("epsilon") == *epsilon)) {
      declared->at("epsilon").fail(fmt::format("{}, the headline", epsilon->number()));
    }
  }
  const auto guarantee = body.find("guarantee");
  // The costs of majorities have no promise of their own.
  const bool promises = told && headline->find("promise");
  if (guarantee && (promises || !told)) {
    check_guarantee(*guarantee, epsilon->number(0.0),
                    promises ? std::optional(told->promise != Promise::none) : std::nullopt);
  }
  if (!record || !told) return false;
  const auto delta = body.find("delta");
  const double at = delta ? delta->number(0.0, 1.0) : told->delta;
  for (const JsonValue& cost : all) {
    const auto its = read_cost(cost);
    if (its && its->releasable) static_cast<void>(check_cost(cost, *its, *record, at));
  }
  return check_cost(*headline, *told, *record, at);
}

// A number that was drawn is in the record, and its guarantee names it.
void check_drawn(const JsonValue& part, const std::optional<Record>& record) {
  const auto epsilon = part.find("epsilon");
  if (!epsilon) return;
  const auto run = part.find("run");
  const double its = run ? run->at("epsilon").number() : epsilon->number();
  const bool is_known = !record || std::ranges::any_of(*record, [&](const Event& event) {
    return event.open.drawn && event.open.drawn->epsilon == its;
  });
  if (!is_known) (run ? run->at("epsilon") : *epsilon).fail("the epsilon in the record");
  const auto guarantee = part.find("guarantee");
  const auto formula = guarantee ? guarantee->find("formula") : std::nullopt;
  if (formula && formula->text().find(fmt::format("{}", epsilon->number())) == std::string::npos) {
    formula->fail(fmt::format("that of epsilon {}", epsilon->number()));
  }
}

void check_mechanism(const JsonValue& body) {
  const auto mechanism = body.find("mechanism");
  const auto name =
      mechanism && mechanism->type() == JsonType::object ? mechanism->find("name") : std::nullopt;
  constexpr std::array<std::string_view, 4> kOthers{"composed", "darrm", "nzc", "multilabel"};
  if (!name || std::ranges::find(kOthers, name->text()) != kOthers.end()) return;
  if (!test_noise_of(*name)) static_cast<void>(shape_of(*name));
}

}  // namespace

bool is_headline_confirmed(const JsonValue& report) {
  const auto record = record_of(report);
  const auto part = report.find("public");
  const bool is_public = part && part->type() == JsonType::object;
  if (is_public) {
    check_mechanism(*part);
    check_drawn(*part, record);
  }
  check_mechanism(report);
  const bool of_part = is_public && check_headline(*part, record);
  const bool of_whole = check_headline(report, record);
  return (of_part || of_whole) && !(is_public && part->find("epsilon"));
}

void check_report(const JsonValue& report) {
  const auto schema = report.type() == JsonType::object ? report.find("schema") : std::nullopt;
  if (!schema || std::ranges::find(kSchemas, schema->text()) == kSchemas.end()) {
    const auto tool = report.type() == JsonType::object ? report.find("tool") : std::nullopt;
    (schema ? *schema : report)
        .fail(fmt::format("the schema of a report that this version knows, such as "
                          "pate/analyze/v1{}",
                          tool ? ", in a file of " + tool->dump() : ""));
  }
  if (!report.find("shard")) static_cast<void>(is_headline_confirmed(report));
}

JsonValue read_report(const std::string& path) {
  const std::string text = io::read_text_file(path == "-" ? "/dev/stdin" : path);
  if (is_ledger(text)) {
    throw input_error(
        fmt::format("{}: expected a report, found a ledger; its report is made by pate ledger {} "
                    "\1quiet -o account.json",
                    path, path == "-" ? "FILE" : path));
  }
  JsonValue report = JsonValue::parse(text, path);
  check_report(report);
  const auto shard = report.find("shard");
  if (shard && shard->type() == JsonType::object && shard->at("of").integer() > 1) {
    shard->at("of").fail("1, as of the report of a whole, which pate compose makes of its shards");
  }
  return report;
}

}  // namespace pate::reports
