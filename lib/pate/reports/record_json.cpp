#include "pate/reports/record_json.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/events/event_costs.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/reports/event_checks.hpp"
#include "pate/reports/exact_partials_json.hpp"
#include "pate/reports/report_fields.hpp"

namespace pate::reports {

namespace {

constexpr const char* kRecordSchema = "pate/record/v1";
constexpr std::size_t kEventIdDigits = 32;
constexpr Whole kEventQueries{0, kMaxQueries};
constexpr Whole kEventTimes{1, std::int64_t{1} << 40};
constexpr double kMostDouble = std::numeric_limits<double>::max();
constexpr Real kEventOrder{kLowestOrder, kHighestOrder};
constexpr Real kEventCost{0.0, kMostDouble};
constexpr Real kEventDelta{0.0, 1.0};

// A member that is left out where it says nothing.
template <class T>
void member(FieldWriter& a, const char* key, const T& value) {
  static const T kNothing{};
  if (!(value == kNothing)) a(key, value);
}
template <class T, class... Domain>
void member(FieldReader& a, const char* key, T& value, const Domain&... domain) {
  a.optional(key, value, domain...);
}
template <class T, class Domain>
void member(FieldWriter& a, const char* key, const T& value, const Domain& /*domain*/) {
  member(a, key, value);
}

// An object of a few members; none where there is none.
template <class T, class Describe>
void fact(FieldWriter& a, const char* key, const std::optional<T>& value,
          const Describe& describe) {
  if (value) a.object(key, [&](FieldWriter& json) { describe(json, *value); });
}
template <class T, class Describe>
void fact(FieldReader& a, const char* key, std::optional<T>& value, const Describe& describe) {
  if (!a.json().find(key)) return;
  a.object(key, [&](FieldReader& json) { describe(json, value.emplace()); });
}

template <class Archive, class Origin>
void origin_fields(Archive& a, Origin& origin) {
  member(a, "order", origin.order, kEventOrder);
  member(a, "rows_from_answers", origin.rows_from_answers);
  member(a, "limited", origin.limited);
  member(a, "stopped", origin.stopped);
  member(a, "parameters_from_votes", origin.parameters_from_votes);
  member(a, "weighted", origin.weighted);
}

template <class Archive, class Noise>
void noise_fields(Archive& a, Noise& noise) {
  a.named("method", noise.method,
          {ReleaseMethod::curve, ReleaseMethod::gnss, ReleaseMethod::at_most});
  a("order", noise.order, kEventOrder);
  a("beta", noise.beta, kEventCost);
  a("noise", noise.noise, kEventCost);
  member(a, "k", noise.k, kEventCost);
  if constexpr (Archive::kReads) {
    try {
      validate(noise);
    } catch (const parameter_error& error) {
      a.json().fail(fmt::format("the noise of a release ({})", error.what()));
    }
  }
}

template <class Archive, class Drawn>
void drawn_fields(Archive& a, Drawn& drawn) {
  a("epsilon", drawn.epsilon, kEventCost);
  a("delta", drawn.delta, kEventDelta);
  member(a, "covers", drawn.covers);
  member(a, "confidence", drawn.confidence, kEventDelta);
  fact(a, "noise", drawn.noise, [](auto& json, auto& noise) { noise_fields(json, noise); });
}

template <class Archive, class Tries>
void tries_fields(Archive& a, Tries& tries) {
  a.named("law", tries.number.law, {TriesLaw::geometric, TriesLaw::poisson, TriesLaw::logarithmic});
  a("parameter", tries.number.parameter, kEventCost);
  a("steps", tries.steps);
  if constexpr (Archive::kReads) {
    try {
      BestOfTriesCost(tries.number, tries.steps);
    } catch (const parameter_error& error) {
      a.json().fail(fmt::format("tries of runs ({})", error.what()));
    }
  }
}

template <class Archive, class Open>
void public_fields(Archive& a, Open& open) {
  member(a, "id", open.id);
  a.named("kind", open.kind,
          {EventKind::run, EventKind::release, EventKind::majority, EventKind::step,
           EventKind::tuning, EventKind::declared});
  if constexpr (Archive::kReads) {
    if (const auto id = a.json().find("id")) {
      const std::string its = id->text();
      const bool is_hexadecimal = its.find_first_not_of("0123456789abcdef") == std::string::npos;
      if (its.size() != kEventIdDigits || !is_hexadecimal) id->fail("32 hexadecimal digits");
    }
  }
  std::string protects = protected_word(open);
  a("protects", protects);
  if constexpr (Archive::kReads) {
    if (protects != "record" && protects != "teacher" && protects != "neighbours")
      a.json().at("protects").fail("teacher, record or neighbours");
    open.protects_records = protects == "record";
  }
  member(a, "ensemble", open.ensemble);
  member(a, "teachers", open.teachers, Whole{0, kMaxTeachers});
  member(a, "classes", open.classes, Whole{0, kMaxTeachers});
  a("mechanism", open.mechanism);
  member(a, "source", open.source);
  std::optional<CostedMechanism> aggregator;
  if (open.aggregator) aggregator = {*open.aggregator, open.neighbours()};
  member(a, "aggregator", aggregator);
  if constexpr (Archive::kReads) {
    if (aggregator) open.aggregator = aggregator->mechanism;
  }
  a("queries", open.queries, kEventQueries);
  member(a, "about", open.about);
  member(a, "delta", open.delta, kEventDelta);
  a.object("origin", [&](auto& json) {
    if constexpr (!Archive::kReads) json.place().set_empty_object();
    origin_fields(json, open.origin);
  });
  member(a, "steps", open.steps);
  fact(a, "cap", open.cap, [](auto& json, auto& cap) {
    json("order", cap.order, kEventOrder);
    json("rdp", cap.rdp, kEventCost);
  });
  fact(a, "realized", open.realized, [&](auto& json, auto& realized) {
    json("asked", realized.asked, Whole{0, open.queries});
    json("answered", realized.answered, Whole{0, realized.asked});
  });
  fact(a, "drawn", open.drawn, [](auto& json, auto& drawn) { drawn_fields(json, drawn); });
  fact(a, "claim", open.claim, [](auto& json, auto& claim) {
    json("epsilon", claim.epsilon, kEventCost);
    json("delta", claim.delta, kEventDelta);
    json("count", claim.count, Whole{1, kMaxQueries});
    neighbour_fields(json, claim.neighbours);
  });
  fact(a, "foreign", open.foreign, [](auto& json, auto& foreign) {
    member(json, "mu", foreign.mu, kEventCost);
    member(json, "rho", foreign.rho, kEventCost);
    member(json, "xi", foreign.xi, kEventCost);
    member(json, "orders", foreign.orders, kEventOrder);
    member(json, "rdp", foreign.rdp, kEventCost);
    json("count", foreign.count, Whole{1, kMaxQueries});
  });
  fact(a, "tries", open.tries, [](auto& json, auto& tries) { tries_fields(json, tries); });
  if constexpr (Archive::kReads) check_neighbours(a.json(), open, aggregator);
}

template <class Archive, class Digests>
void digest_fields(Archive& a, Digests& digests) {
  member(a, "votes_sha256", digests.file);
  member(a, "votes_digest", digests.counts);
  member(a, "run_digest", digests.run);
  member(a, "labels_sha256", digests.labels);
}

template <class Archive, class Rows>
void table_fields(Archive& a, Rows& rows, std::int64_t teachers) {
  columns(a, rows, {}, Column{"statistic", &QueryRow::statistic, Whole{0, teachers}},
          Column{"log_q", &QueryRow::log_q, Real{-kMostDouble, 0.0, -kInfinity}},
          Column{"count", &QueryRow::count, kEventQueries},
          Column{"asked", &QueryRow::asked, kEventQueries},
          Column{"answered", &QueryRow::answered, kEventQueries});
}

template <class Archive, class Curves>
void curve_fields(Archive& a, Curves& curves) {
  a("orders", curves.orders, kEventOrder);
  const std::size_t orders = curves.orders.size();
  a.optional("published", curves.published, orders);
  a.optional("tradeoff", curves.tradeoff, orders);
  a.optional("exact", curves.exact, orders);
}

void read_private(const io::JsonValue& json, const PublicEvent& open, PrivateFacts& facts) {
  FieldReader a(json);
  digest_fields(a, facts.digests);
  fact(a, "noise", facts.noise, [](auto& its, auto& noise) { noise_fields(its, noise); });
  const ShardSize size{open.teachers, open.classes, open.queries};
  const auto need_run = [&](const io::JsonValue& of) {
    if (open.kind != EventKind::run || !open.aggregator || open.teachers < 1 || open.classes < 1) {
      of.fail("no such facts but of a run with its aggregator, teachers and classes");
    }
  };
  if (const auto table = json.find("table")) {
    need_run(*table);
    FieldReader rows(*table);
    table_fields(rows, facts.table, open.teachers);
    check_table(*table, open, facts.table);
  }
  if (const auto exact = json.find("exact")) {
    need_run(*exact);
    FieldReader inner(*exact);
    ExactPartials partials;
    fields(inner, partials, size);
    facts.exact = std::move(partials.distinct);
  }
  if (const auto curves = json.find("curves")) {
    need_run(*curves);
    FieldReader inner(*curves);
    // Orders first: all else has a number for each.
    curve_fields(inner, facts.curves.emplace());
    check_orders(curves->at("orders"), facts.curves->orders);
  }
}

void write_private(FieldWriter& a, const PublicEvent& open, const PrivateFacts& facts) {
  digest_fields(a, facts.digests);
  fact(a, "noise", facts.noise, [](auto& its, auto& noise) { noise_fields(its, noise); });
  if (!facts.table.empty()) {
    a.object("table", [&](FieldWriter& json) { table_fields(json, facts.table, open.teachers); });
  }
  if (!facts.exact.empty()) {
    ExactPartials partials;
    partials.distinct = facts.exact;
    a("exact", partials, ShardSize{open.teachers, open.classes, open.queries});
  }
  if (facts.curves) {
    a.object("curves", [&](FieldWriter& json) { curve_fields(json, *facts.curves); });
  }
}

}  // namespace

void fields(FieldWriter& a, const Event& event) {
  if (!event.happened() && event.times > 1) a("times", event.times);
  public_fields(a, event.open);
  if (event.facts == PrivateFacts{}) return;
  a.object("private", [&](FieldWriter& json) { write_private(json, event.open, event.facts); });
}

void fields(FieldReader& a, Event& event) {
  a.optional("times", event.times, kEventTimes);
  public_fields(a, event.open);
  check_kind(a.json(), event.open);
  check_steps(a.json(), event.open);
  if (event.happened() && event.times != 1) a.json().at("times").fail("1, of what has an id");
  if (event.open.queries > kMaxQueries / event.times) {
    a.json().at("times").fail("at most 2^53 queries together");
  }
  if (const auto json = a.json().find("private")) read_private(*json, event.open, event.facts);
}

void write_ledger_total(FieldWriter& report, const std::optional<ToldEpsilon>& total) {
  if (!total) return;
  report.object("ledger_total", [&](FieldWriter& a) {
    a("epsilon", total->epsilon);
    a("delta", total->delta);
    a("promise", total->promise);
  });
}

void write_record(FieldWriter& report, const Record& record) {
  report.object("record", [&](FieldWriter& json) {
    json("schema", kRecordSchema);
    json("events", record);
  });
}

Record read_record(const io::JsonValue& record) {
  const io::JsonValue schema = record.at("schema");
  if (schema.text() != kRecordSchema) schema.fail(kRecordSchema);
  Record all;
  FieldReader a(record);
  a("events", all);
  if (all.empty()) record.at("events").fail("at least one event");
  return join(all, {});
}

std::string new_event_id() {
  SystemBits source;
  std::string id;
  for (int k = 0; k < 4; ++k) id += fmt::format("{:08x}", source.bits(32));
  return id;
}

}  // namespace pate::reports
