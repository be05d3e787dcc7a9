#include "pate/reports/read_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "pate/error.hpp"
#include "pate/io/digests.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/reports/report_fields.hpp"

namespace pate::reports {

namespace {

constexpr Whole kQueries{0, kMostQueries};
constexpr Whole kTeachers{0, kMostTeachers};
constexpr double kLeastDelta = std::numeric_limits<double>::denorm_min();

double read_delta(const io::JsonValue& json, double least) {
  const double delta = json.number();
  if (!(delta >= least && delta < 1.0)) json.fail("a number > 0 and < 1");
  return delta;
}

std::vector<double> read_orders(const io::JsonValue& json) {
  std::vector<double> orders = json.numbers(1.0, std::numeric_limits<double>::max());
  if (orders.empty()) json.fail("at least one order");
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (orders[i] > (i == 0 ? 1.0 : orders[i - 1])) continue;
    json.elements()[i].fail(i == 0 ? "an order > 1" : "a larger order than the one before");
  }
  return orders;
}

// The votes of a report; of a composed one those that all its parts share.
std::optional<VotesIdentity> read_votes(const io::JsonValue& report) {
  FieldReader a(report);
  VotesIdentity votes;
  if (!report.find("teachers")) return std::nullopt;
  a("teachers", votes.teachers, kTeachers);
  a.optional("classes", votes.classes, kTeachers);
  if (const auto parts = report.find("parts")) {
    bool first = true;
    for (const io::JsonValue& part : parts->elements()) {
      const auto sha256 = part.find("votes_sha256");
      if (!sha256) continue;
      const std::string its = sha256->text();
      votes.sha256 = first || votes.sha256 == its ? its : "";
      first = false;
      if (votes.sha256.empty()) break;
    }
    return votes;
  }
  const io::JsonValue file = report.at("inputs").at("votes");
  votes.sha256 = file.at("sha256").text();
  votes.digest = file.at("votes_digest").text();
  return votes;
}

Released read_released(const io::JsonValue& json) {
  return {json.at("epsilon").number(0.0), read_delta(json.at("delta"), 0.0)};
}

// Or has a part that is.
bool is_interactive(const io::JsonValue& report) {
  if (report.at("mechanism").at("name").text() == "interactive") return true;
  const auto parts = report.find("parts");
  if (!parts) return false;
  const auto all = parts->elements();
  return std::any_of(all.begin(), all.end(), [](const io::JsonValue& part) {
    return part.at("mechanism").text() == "interactive";
  });
}

// What an analysis, or a run of the mechanism, says beyond a plan.
void read_run(const io::JsonValue& report, Part& part) {
  part.adaptive = is_interactive(report);
  part.votes = read_votes(report);
  FieldReader a(report);
  a.object("answered", [&](FieldReader& answered) {
    answered.optional("expected", part.answered_expected, Real{0.0});
    answered.optional("sd", part.answered_sd, Real{0.0});
    answered.optional("realized", part.answered_realized, kQueries);
  });
  const io::JsonValue rdp = report.at("rdp");
  part.orders = read_orders(rdp.at("orders"));
  for (const auto& [key, value] : rdp.members()) {
    if (key == "orders") continue;
    if (key == "exact") {
      FieldReader::read(value, part.exact.emplace(), part.orders.size());
      continue;
    }
    const auto bound = value_named<Bound>(key);
    // Exact curves are read above; the others have no such name in a report.
    if (!bound || *bound == Bound::exact_per_teacher)
      value.fail("the curves of a bound that this version knows");
    FieldReader::read(value, part.curves[*bound], part.orders.size());
  }
  if (const auto released = report.find("released")) {
    part.released = read_released(*released);
    // The report's delta is the sum; its settings tell at which the rest was converted.
    const auto delta = report.at("settings").find("delta");
    part.delta = delta ? std::optional(read_delta(*delta, kLeastDelta)) : std::nullopt;
  }
}

// A part that is counted by what was published of it.
Part read_release(const io::JsonValue& report) {
  if (const auto valid = report.find("valid"); valid && !valid->boolean()) {
    valid->fail("a release that is valid");
  }
  const auto published = report.find("public");
  if (!published)
    report.fail("a release that was made; this report is of a dry run, without public");
  Part part;
  part.name = report.file();
  FieldReader a(*published);
  part.mechanism = published->at("mechanism").at("name").text();
  a("queries", part.queries, kQueries);
  a.optional("answered", part.answered_realized, Whole{0, part.queries});
  part.released = read_released(*published);
  if (published->find("teachers")) {
    part.votes.emplace();
    a("teachers", part.votes->teachers, kTeachers);
    a("classes", part.votes->classes, kTeachers);
    const auto inputs = report.find("inputs");
    if (const auto votes = inputs ? inputs->find("votes") : std::nullopt) {
      part.votes->sha256 = votes->at("sha256").text();
      part.votes->digest = votes->at("votes_digest").text();
    }
  }
  return part;
}

// The steps of a recorded run without a selection, which answers every query it asks: how many
// these are was certain from its settings, whatever the answers. None for other entries; where
// answers decide what a run costs, its published epsilon is what holds.
std::optional<StepCounts> certain_steps(const io::JsonValue& released) {
  if (!released.find("steps") || !released.find("asked")) return std::nullopt;
  FieldReader a(released);
  StepCounts certain;
  a("steps", certain);
  if (!certain.threshold_checks.empty()) return std::nullopt;
  std::int64_t count = 0;
  a("asked", count, kQueries);
  for (auto& step : certain.maxima) step.second = std::min(step.second, count);
  return certain;
}

}  // namespace

Part read_part(const io::JsonValue& report) {
  const io::JsonValue schema = report.at("schema");
  const std::string kind = schema.text();
  if (report.find("shard")) {
    report.at("shard").fail("a whole run: compose the shards of a run by themselves first");
  }
  if (kind == "pate/release/v1") return read_release(report);
  const bool is_label = kind == "pate/label/v1";
  const bool is_run = is_label || kind == "pate/analyze/v1";
  if (!is_run && kind != "pate/plan/v1") {
    schema.fail("pate/analyze/v1, pate/label/v1, pate/plan/v1 or pate/release/v1");
  }
  Part part;
  part.name = report.file();
  part.mechanism = report.at("mechanism").at("name").text();
  part.delta = read_delta(report.at("delta"), kLeastDelta);
  FieldReader a(report);
  a("steps", part.steps);
  if (is_run) read_run(report, part);
  // Unlike an analysis a run of the mechanism may have been stopped.
  if (is_label) part.stopped = report.at("labels").find("stopped").has_value();
  a("queries", part.queries, kQueries);
  return part;
}

bool is_ledger(std::string_view text) {
  return text.substr(0, text.find('\n')).find("\"pate/ledger/v1\"") != std::string_view::npos;
}

std::vector<std::pair<Part, ReportPart>> read_ledger_parts(std::string_view text,
                                                           const std::string& file) {
  std::vector<std::pair<Part, ReportPart>> result;
  const std::string sha256 = io::sha256_hex(std::as_bytes(std::span(text.data(), text.size())));
  for (const LedgerEntry& entry : parse_ledger(text, file).entries) {
    const std::string name = fmt::format("{}: line {}", file, entry.line);
    const io::JsonValue released = entry.released.as_document(name + ": released");
    FieldReader a(released);
    Part part;
    part.name = name;
    if (const auto steps = certain_steps(released)) {
      part.steps = *steps;
      part.delta = read_delta(released.at("delta"), kLeastDelta);
    } else {
      part.released = read_released(released);
    }
    const auto mechanism = released.find("mechanism");
    part.mechanism = mechanism ? mechanism->at("name").text() : entry.kind;
    a.optional("queries", part.queries, kQueries);
    a.optional("answered", part.answered_realized, kQueries);
    if (const auto teachers = released.find("teachers")) {
      part.votes = VotesIdentity{teachers->integer(0, kMostTeachers), 0, "", entry.votes_digest};
    }
    ReportPart named{file,         sha256, "pate/ledger/v1",  part.mechanism,
                     part.queries, "",     entry.votes_digest};
    result.emplace_back(std::move(part), std::move(named));
  }
  return result;
}

ReportPart report_part(const io::JsonValue& report, const Part& part) {
  return {report.file(),
          report.sha256(),
          report.at("schema").text(),
          part.mechanism,
          part.queries,
          part.votes ? part.votes->sha256 : "",
          part.votes ? part.votes->digest : ""};
}

}  // namespace pate::reports
