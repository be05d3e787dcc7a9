#include "pate/reports/publishable.hpp"

#include <string>

namespace pate::reports {

using io::JsonType;
using io::JsonValue;

bool is_number(const JsonValue& value) {
  return value.type() == JsonType::whole || value.type() == JsonType::real;
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
    return HeadlineNumber{report, true};
  }
  const auto headline = report.find("headline");
  if (!headline || headline->type() != JsonType::object) return std::nullopt;
  const auto epsilon = headline->find("epsilon");
  if (!epsilon || !is_number(*epsilon)) return std::nullopt;
  const auto releasable = headline->find("releasable");
  const bool is_majority = report.has("noise_function");
  return HeadlineNumber{*headline,
                        is_public || is_majority || (releasable && releasable->boolean())};
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
