#include "pate/reports/publishable.hpp"

#include <algorithm>

namespace pate::reports {

using io::JsonType;
using io::JsonValue;

bool is_number(const JsonValue& value) {
  return value.type() == JsonType::whole || value.type() == JsonType::real;
}

std::optional<Promise> promise_of(const JsonValue& entry) {
  const auto promise = entry.find("promise");
  if (!promise) return std::nullopt;
  return value_named<Promise>(promise->text()).value_or(Promise::none);
}

std::optional<HeadlineNumber> headline_number(const JsonValue& report) {
  const bool is_public = report.path() == "public";
  if (!is_public) {
    if (const auto part = report.find("public")) {
      // Of a run with a private headline the public part is what --public-only would say of it.
      if (!report.find("headline") || part->find("epsilon")) {
        auto number = headline_number(*part);
        if (number) return number;
      }
    }
  }
  if (const auto epsilon = report.find("epsilon"); epsilon && is_number(*epsilon) && is_public) {
    const auto parameters = report.find("parameters");
    const bool is_chosen = parameters && parameters->type() == JsonType::text &&
                           parameters->text().starts_with("chosen");
    return HeadlineNumber{report, true, is_chosen ? Promise::none : Promise::outcome};
  }
  const auto headline = report.find("headline");
  if (!headline || headline->type() != JsonType::object) return std::nullopt;
  const auto epsilon = headline->find("epsilon");
  if (!epsilon || !is_number(*epsilon)) return std::nullopt;
  const auto releasable = headline->find("releasable");
  const bool is_majority = report.has("noise_function");
  return HeadlineNumber{*headline,
                        is_public || is_majority || (releasable && releasable->boolean()),
                        promise_of(*headline).value_or(Promise::fixed)};
}

std::string_view promise_in_brief(Promise promise, const JsonValue& entry) {
  if (promise == Promise::fixed) return "guarantee";
  if (promise == Promise::outcome) return "of the outcome";
  const auto says = [&](const char* key, std::string_view word) {
    const auto its = entry.find(key);
    return its && its->type() == JsonType::text && its->text() == word;
  };
  // Without a selection nothing is left to chance: what is missing is a direction.
  const bool is_forward = says("direction", "forward");
  if (says("reading", name(GuaranteeKind::expected)) && (entry.find("sd") || !is_forward)) {
    return "expectation";
  }
  return is_forward ? "one direction only" : "no promise";
}

std::optional<std::string> why_not_to_publish(const JsonValue& part) {
  const auto guarantee = part.find("guarantee");
  if (!guarantee || guarantee->at("holds").boolean() || !part.find("epsilon")) return std::nullopt;
  return guarantee->at("promise").text();
}

std::vector<JsonValue> publishable_costs(const JsonValue& report) {
  std::vector<JsonValue> result;
  const auto costs = report.find("costs");
  if (!costs || costs->type() != JsonType::array) return result;
  const auto of_no_votes = [](const JsonValue& cost) {
    const auto bound = cost.find("bound");
    return bound && bound->text() == "data_independent";
  };
  for (const JsonValue& cost : costs->elements()) {
    const auto releasable = cost.find("releasable");
    const auto epsilon = cost.find("epsilon");
    if (!releasable || !releasable->boolean() || !epsilon || !is_number(*epsilon)) continue;
    const auto alike = std::ranges::find_if(result, [&](const JsonValue& other) {
      return of_no_votes(cost) && of_no_votes(other) && cost.at("reading") == other.at("reading") &&
             cost.at("delta") == other.at("delta");
    });
    if (alike == result.end()) {
      result.push_back(cost);
    } else if (epsilon->number() < alike->at("epsilon").number()) {
      *alike = cost;
    }
  }
  return result;
}

std::optional<std::int64_t> labels_count(const JsonValue& report, const char* key) {
  auto labels = report.find("labels");
  if (const auto part = report.find("public"); !labels && part) labels = part->find("labels");
  if (!labels || labels->type() != JsonType::object) return std::nullopt;
  const auto count = labels->find(key);
  if (!count || count->type() != JsonType::whole) return std::nullopt;
  return count->integer();
}

bool has_private_part(const JsonValue& report) {
  const auto schema = report.find("schema");
  if (schema && schema->type() == JsonType::text) {
    if (schema->text() == "pate/plan/v1") return false;
    if (schema->text() == "pate/darrm/v1" && !report.find("votes") && !report.has("public")) {
      return false;
    }
  }
  return !report.find("public") || report.has("settings") || report.has("private");
}

}  // namespace pate::reports
