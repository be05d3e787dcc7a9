#include "pate/reports/carry_over.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <span>

#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/events/event_costs.hpp"
#include "pate/events/run_events.hpp"
#include "pate/reports/event_checks.hpp"
#include "pate/reports/exact_partials_json.hpp"
#include "pate/reports/multilabel_report.hpp"
#include "pate/reports/report_fields.hpp"

namespace pate::reports {

namespace {

constexpr Whole kQueries{0, kMaxQueries};
constexpr Whole kTeachers{1, kMaxTeachers};
constexpr std::size_t kIdDigits = 32;

double read_delta(const io::JsonValue& json, double least) {
  const double delta = json.number();
  if (!(delta >= least && delta < 1.0)) json.fail("a number > 0 and < 1");
  return delta;
}

constexpr double kMinDelta = std::numeric_limits<double>::denorm_min();

std::vector<double> read_orders(const io::JsonValue& json) {
  std::vector<double> orders = json.numbers(kLowestOrder, kHighestOrder);
  check_orders(json, orders);
  return orders;
}

void read_digests(const io::JsonValue& report, VotesDigests& digests) {
  const auto inputs = report.find("inputs");
  const auto votes = inputs ? inputs->find("votes") : std::nullopt;
  if (!votes) return;
  digests.file = votes->at("sha256").text();
  digests.counts = votes->at("votes_digest").text();
}

[[noreturn]] void refuse_sum(const io::JsonValue& report) {
  std::string parts;
  if (const auto listed = report.find("parts")) {
    for (const io::JsonValue& part : listed->elements()) {
      parts += fmt::format("{}{} (SHA-256 {})", parts.empty() ? "" : ", ", part.at("path").text(),
                           part.at("sha256").text().substr(0, 12));
    }
  }
  throw input_error(fmt::format(
      "{}: expected a record of events, found a sum of an earlier version, which does not say what "
      "it added: compose its parts again: {}",
      report.file(), parts));
}

// RDP at the orders under each bound, and exact queries.
void read_curves(const io::JsonValue& report, Event& event) {
  const io::JsonValue rdp = report.at("rdp");
  EventCurves& curves = event.facts.curves.emplace();
  curves.orders = read_orders(rdp.at("orders"));
  const std::size_t orders = curves.orders.size();
  FieldReader a(rdp);
  a.optional("published", curves.published, orders);
  a.optional("tradeoff", curves.tradeoff, orders);
  a.optional("exact", curves.exact, orders);
  if (!curves.published && !curves.tradeoff && !curves.exact) event.facts.curves.reset();
  if (const auto queries = report.find("exact_queries")) {
    const auto all = queries->elements();
    if (all.size() != 1) queries->fail("the queries of one run");
    ExactPartials partials;
    FieldReader its(all.front());
    fields(its, partials, ShardSize{event.open.teachers, event.open.classes, event.open.queries});
    event.facts.exact = std::move(partials.distinct);
  }
}

Record run_of_report(const io::JsonValue& report, bool is_label) {
  Event event;
  PublicEvent& open = event.open;
  open.mechanism = report.at("mechanism").at("name").text();
  if (open.mechanism == "composed") refuse_sum(report);
  FieldReader a(report);
  a("mechanism", open.aggregator.emplace());
  a("teachers", open.teachers, kTeachers);
  a("classes", open.classes, kTeachers);
  a("queries", open.queries, kQueries);
  open.delta = read_delta(report.at("delta"), kMinDelta);
  a("steps", open.steps.emplace());
  read_digests(report, event.facts.digests);
  const io::JsonValue settings = report.at("settings");
  // Row numbers may have been picked by earlier answers, and scores learnt from them.
  open.origin.rows_from_answers = open.aggregator->interactive() || settings.find("indices");
  std::optional<std::int64_t> answered;
  a.object("answered", [&](FieldReader& its) {
    its.optional("realized", answered, Whole{0, open.queries});
  });
  std::int64_t asked = open.queries;
  if (is_label) {
    open.id = report.sha256().substr(0, kIdDigits);
    const io::JsonValue filter = report.at("filter");
    open.origin.order = filter.at("order").number(kLowestOrder, kHighestOrder);
    const io::JsonValue labels = report.at("labels");
    asked = labels.at("asked").integer(0, open.queries);
    if (const auto stopped = labels.find("stopped")) open.origin.stopped = stopped->text();
    const bool decides = open.aggregator->refuses() && open.aggregator->sparse() == nullptr;
    const auto max_epsilon = filter.find("max_epsilon");
    open.origin.limited =
        decides && (max_epsilon || filter.find("max_answers") || !open.origin.stopped.empty());
    if (max_epsilon && open.aggregator->sparse() == nullptr && open.steps->delta() < *open.delta) {
      open.cap = cap_of_filter(max_epsilon->number(0.0), *open.origin.order,
                               *open.delta - open.steps->delta());
    }
    event.facts.digests.labels = labels.at("sha256").text();
  } else if (const auto orders = settings.find("orders");
             orders && orders->elements().size() == 1) {
    open.origin.order = orders->elements()[0].number(kLowestOrder, kHighestOrder);
  }
  if (answered) open.realized = RealizedRun{asked, std::min(*answered, asked)};
  read_curves(report, event);
  return {event};
}

Record plan_of_report(const io::JsonValue& report) {
  Event event;
  PublicEvent& open = event.open;
  open.mechanism = report.at("mechanism").at("name").text();
  FieldReader a(report);
  a("queries", open.queries, kQueries);
  open.delta = read_delta(report.at("delta"), kMinDelta);
  a("steps", open.steps.emplace());
  return {event};
}

void read_drawn(const io::JsonValue& numbers, const io::JsonValue& run, Event& event) {
  DrawnNumber& drawn = event.open.drawn.emplace();
  NumberNoise noise;
  const auto its = numbers.find("method");
  // Reports and lines of earlier versions do not say how.
  const auto method = its ? value_named<ReleaseMethod>(its->text()) : ReleaseMethod::gnss;
  if (!method) its->fail("the method of a release that this version knows");
  noise.method = *method;
  const bool is_curve = *method == ReleaseMethod::curve;
  noise.order = numbers.at("order").number(kLowestOrder, kHighestOrder);
  noise.beta = numbers.at("beta").number(0.0);
  noise.noise = numbers.at(is_curve ? "s" : "sigma_ss").number(0.0);
  if (!is_curve) noise.k = numbers.at("k").number(0.0);
  try {
    validate(noise);
  } catch (const parameter_error& error) {
    numbers.fail(fmt::format("the noise of a release ({})", error.what()));
  }
  drawn.epsilon = run.at("epsilon").number(0.0);
  drawn.delta = read_delta(run.at("delta"), 0.0);
  if (const auto confidence = numbers.find("confidence")) {
    drawn.confidence = confidence->number(0.0, 1.0);
  }
  if (event.open.origin.parameters_from_votes) {
    event.facts.noise = noise;
  } else {
    drawn.noise = noise;
  }
}

void read_parameters(const io::JsonValue& numbers, EventOrigin& origin) {
  const io::JsonValue json = numbers.at("parameters");
  const auto named = value_named<ParameterOrigin>(json.text());
  if (!named) json.fail("where parameters came from");
  origin.parameters_from_votes = *named == ParameterOrigin::chosen;
}

Record release_of_report(const io::JsonValue& report) {
  if (const auto valid = report.find("valid"); valid && !valid->boolean()) {
    valid->fail("a release that is valid");
  }
  const auto published = report.find("public");
  if (!published) {
    report.fail("a release that was made; this report is of a dry run, without public");
  }
  if (const auto ledger = published->find("ledger"); ledger && !ledger->elements().empty()) {
    published->at("ledger").fail(
        "a release about nothing else: this one, of an earlier version, counts entries of a "
        "ledger; compose the ledger in its place");
  }
  Event event;
  PublicEvent& open = event.open;
  open.kind = EventKind::release;
  open.id = report.sha256().substr(0, kIdDigits);
  open.mechanism = published->at("mechanism").at("name").text();
  FieldReader a(*published);
  a("mechanism", open.aggregator.emplace());
  a("queries", open.queries, kQueries);
  a("teachers", open.teachers, kTeachers);
  a("classes", open.classes, kTeachers);
  open.steps = steps_of(*open.aggregator, open.queries, open.queries);
  // Of gnss the noise is told beside what may be published.
  const io::JsonValue numbers = published->find("s") ? *published : report.at("private");
  const auto run = published->find("run");
  read_parameters(*published, open.origin);
  read_drawn(numbers, run ? *run : *published, event);
  open.delta = open.drawn->delta;
  read_digests(report, event.facts.digests);
  return {event};
}

// Answers of a private majority: of teachers that promise nothing they cost what one teacher's
// votes cost, of others what one record does. Those of teachers that were trained once do not
// compose.
Record majority_of_report(const io::JsonValue& report) {
  const io::JsonValue setting = report.at("setting");
  const bool fresh = setting.text() == "independent_fresh";
  if (!fresh && setting.text() != "non_private") {
    setting.fail(
        "independent_fresh or non_private: where teachers that were trained once answer again, "
        "costs do not add up; run pate darrm on all of their queries together");
  }
  Event event;
  PublicEvent& open = event.open;
  open.kind = EventKind::majority;
  open.mechanism = "darrm";
  open.protects_records = fresh;
  open.teachers = report.at("teachers").at("count").integer(1, kMaxTeachers);
  open.classes = 2;
  FieldReader a(report);
  a("queries", open.queries, Whole{1, kMaxQueries});
  const io::JsonValue answer = report.at("answer");
  open.claim = PrivacyClaim{
      answer.at("epsilon").number(0.0), read_delta(answer.at("delta"), 0.0), open.queries, {}};
  // Of teachers that promise something a record reaches so many, which their promise counts.
  if (!fresh) {
    open.claim->neighbours.teachers =
        report.at("teachers").at("affected").integer(1, open.teachers);
  }
  open.delta = read_delta(report.at("headline").at("delta"), 0.0);
  if (report.find("labels")) open.id = report.sha256().substr(0, kIdDigits);
  read_digests(report, event.facts.digests);
  return {event};
}

// A labelling that a line tells of.
void read_label_line(const io::JsonValue& json, Event& event) {
  PublicEvent& open = event.open;
  const io::JsonValue released = json.at("released");
  const io::JsonValue settings = json.at("settings");
  FieldReader a(released);
  a("queries", open.queries, kQueries);
  open.delta = read_delta(released.at("delta"), 0.0);
  const io::JsonValue mechanism = released.at("mechanism");
  open.mechanism = mechanism.at("name").text();
  if (const auto labels = settings.find("labels_sha256")) {
    event.facts.digests.labels = labels->text();
  }
  if (open.mechanism == "darrm") {
    open.kind = EventKind::majority;
    open.claim = PrivacyClaim{released.at("epsilon").number(0.0), *open.delta, 1};
    return;
  }
  if (!released.find("steps") || !released.find("order")) {
    released.fail(
        "the member steps, which lines of early versions lack: keep this ledger, and begin a new "
        "one; what it counts comes on top of every total of the new one");
  }
  a("mechanism", open.aggregator.emplace());
  a("steps", open.steps.emplace());
  open.origin.order = released.at("order").number(kLowestOrder, kHighestOrder);
  open.origin.rows_from_answers = open.aggregator->interactive() || settings.find("indices");
  const std::int64_t asked = released.at("asked").integer(0, open.queries);
  open.realized = RealizedRun{asked, released.at("answered").integer(0, asked)};
  if (const auto stopped = released.find("stopped")) open.origin.stopped = stopped->text();
  const auto max_epsilon = settings.find("max_epsilon");
  const bool decides = open.aggregator->refuses() && open.aggregator->sparse() == nullptr;
  open.origin.limited =
      decides && (max_epsilon || settings.find("max_answers") || !open.origin.stopped.empty());
  if (max_epsilon && open.aggregator->sparse() == nullptr && open.steps->delta() < *open.delta) {
    open.cap = cap_of_filter(max_epsilon->number(0.0), *open.origin.order,
                             *open.delta - open.steps->delta());
  }
}

// A number that a line tells of, and the lines about its run.
void read_release_line(const io::JsonValue& json, const std::vector<NumberedEvent>& before,
                       Event& event) {
  PublicEvent& open = event.open;
  open.kind = EventKind::release;
  const io::JsonValue settings = json.at("settings");
  const io::JsonValue released = json.at("released");
  open.mechanism = settings.at("mechanism").at("name").text();
  FieldReader of_settings{settings};
  of_settings("mechanism", open.aggregator.emplace());
  FieldReader of_release{released};
  of_release("queries", open.queries, kQueries);
  open.steps = steps_of(*open.aggregator, open.queries, open.queries);
  const io::JsonValue run = released.at("run");
  read_parameters(settings, open.origin);
  read_drawn(settings, run, event);
  open.delta = open.drawn->delta;
  const io::JsonValue counted = run.at("entries");
  for (const io::JsonValue& number : counted.elements()) {
    const std::int64_t line = number.integer(1);
    const auto found = std::ranges::find(before, line, &NumberedEvent::line);
    if (found == before.end()) number.fail("the line of an entry before");
    const PublicEvent& its = found->event.open;
    if (its.drawn) {
      open.drawn->covers.push_back(its.id);
      if (open.about.empty()) open.about = its.about;
    } else {
      open.about = its.id;
    }
  }
  // The run itself is known by its numbers alone.
  if (open.about.empty()) open.about = std::string(open.id.rbegin(), open.id.rend());
}

}  // namespace

Record carry_over_report(const io::JsonValue& report) {
  const io::JsonValue schema = report.at("schema");
  const std::string kind = schema.text();
  if (kind == "pate/release/v1") return release_of_report(report);
  if (report.find("public") && !report.find("headline")) {
    throw input_error(fmt::format(
        "{}: expected a whole report, found one of only what may be published, of an earlier "
        "version: compose the whole report in its place",
        report.file()));
  }
  if (kind == "pate/darrm/v1") return majority_of_report(report);
  if (kind == "pate/plan/v1") return plan_of_report(report);
  if (kind == "pate/multilabel/v1") {
    throw input_error(fmt::format("{}: {}", report.file(), how_to_compose_multilabel(report)));
  }
  if (kind != "pate/analyze/v1" && kind != "pate/label/v1") {
    schema.fail("pate/analyze/v1, pate/label/v1, pate/plan/v1, pate/release/v1 or pate/darrm/v1");
  }
  return run_of_report(report, kind == "pate/label/v1");
}

Event carry_over_line(const io::JsonValue& json, std::string_view line,
                      const std::vector<NumberedEvent>& before) {
  Event event;
  PublicEvent& open = event.open;
  open.id = io::sha256_hex(std::as_bytes(std::span(line.data(), line.size()))).substr(0, kIdDigits);
  const io::JsonValue ensemble = json.at("ensemble");
  open.ensemble = ensemble.at("name").text();
  open.teachers = ensemble.at("teachers").integer(1, kMaxTeachers);
  open.classes = ensemble.at("classes").integer(1, kMaxTeachers);
  event.facts.digests.counts = json.at("votes_digest").text();
  event.facts.digests.run = json.at("run_digest").text();
  const std::string kind = json.at("kind").text();
  if (kind == "release") {
    read_release_line(json, before, event);
    if (const auto decisions = json.at("settings").find("decisions_sha256")) {
      event.facts.digests.labels = decisions->text();
    }
  } else if (kind == "label") {
    read_label_line(json, event);
  } else {
    json.at("kind").fail("label or release");
  }
  check_steps(json.at("released"), open);
  return event;
}

}  // namespace pate::reports
