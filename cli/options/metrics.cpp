#include "cli/options/metrics.hpp"

#include <algorithm>
#include <cstdint>

#include "pate/base/json.hpp"
#include "pate/reports/publishable.hpp"

namespace pate::cli {

namespace {

// Of these objects and of these alone: what was realized goes before what is expected.
std::optional<double> answered_of(const io::JsonValue& report) {
  const auto answered = report.find("answered");
  if (!answered || answered->type() != io::JsonType::object) return {};
  for (const char* const which : {"realized", "expected"}) {
    if (const auto number = answered->find(which)) return number->number();
  }
  return {};
}

std::optional<double> releasable_epsilon_of(const io::JsonValue& report, double delta) {
  std::optional<double> least;
  const auto costs = report.find("costs");
  if (!costs) return least;
  for (const io::JsonValue& cost : costs->elements()) {
    const auto epsilon = cost.find("epsilon");  // null where it is infinite
    // Of numbers that depend on the outcome the smaller one promises nothing.
    if (!epsilon || !cost.at("releasable").boolean() || !(cost.at("delta").number() <= delta) ||
        reports::promise_of(cost).value_or(Promise::fixed) != Promise::fixed) {
      continue;
    }
    least = std::min(least.value_or(epsilon->number()), epsilon->number());
  }
  return least;
}

}  // namespace

std::string metrics_of(std::string_view json, std::optional<double> agreement) {
  const io::JsonValue whole = io::JsonValue::parse(json, "the report");
  const auto published = whole.find("public");
  const io::JsonValue& report = whole.has("headline") || !published ? whole : *published;

  const io::JsonWriter out;
  out.set_empty_object();
  const auto put = [&](const char* name, std::optional<double> number) {
    if (number) out.member(name).set(*number);
  };
  if (const auto headline = report.find("headline")) {
    const double delta = headline->at("delta").number();
    const auto epsilon = headline->find("epsilon");
    if (epsilon) put("epsilon", epsilon->number());
    put("delta", delta);
    if (epsilon) {
      // Tracked beside those of other runs, an expectation would look like a guarantee.
      const bool is_fixed =
          reports::promise_of(*headline).value_or(Promise::fixed) == Promise::fixed;
      out.member("guaranteed").set(std::int64_t{is_fixed ? 1 : 0});
    }
    put("answered", answered_of(report));
    put("agreement", agreement);
    put("releasable_epsilon", releasable_epsilon_of(report, delta));
    if (const auto all = report.find("ledger_total")) {
      put("ledger_epsilon", all->at("epsilon").number());
      put("ledger_delta", all->at("delta").number());
      if (const auto promise = reports::promise_of(*all)) {
        out.member("ledger_guaranteed").set(std::int64_t{*promise == Promise::fixed ? 1 : 0});
      }
    }
  }
  bool holds = true;
  if (const auto verdicts = report.find("verdicts")) {
    for (const io::JsonValue& verdict : verdicts->elements()) {
      holds = holds && verdict.at("holds").boolean();
    }
  }
  out.member("holds").set(std::int64_t{holds ? 1 : 0});
  return out.text() + "\n";
}

}  // namespace pate::cli
