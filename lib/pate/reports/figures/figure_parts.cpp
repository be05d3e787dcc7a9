#include "pate/reports/figures/figure_parts.hpp"

#include <fmt/format.h>

#include <vector>

#include "pate/base/error.hpp"

namespace pate::figures {

namespace {

// The delta that all these have.
double same_delta(std::span<const JsonValue> reports, std::span<const JsonValue> deltas) {
  const double first = deltas.front().number(0.0, 1.0);
  for (const JsonValue& its : deltas) {
    if (its.number(0.0, 1.0) != first) {
      its.fail(
          fmt::format("{}, the delta of {}: epsilons at different deltas do not go into one "
                      "picture",
                      first, reports.front().file()));
    }
  }
  return first;
}

}  // namespace

std::string name_of(const JsonValue& report) {
  const std::string& file = report.file();
  return file.substr(file.find_last_of('/') + 1);
}

JsonValue part_of(const JsonValue& report, const std::string& key, const char* made_by) {
  if (auto found = report.find(key)) return *found;
  throw input_error(
      report.path() == "public"
          ? fmt::format("{}: what may be published of a report has no {}: only the whole report of "
                        "{} has it, which is private",
                        report.file(), key, made_by)
          : fmt::format("{}: {} is missing or null: it is in reports of {}", report.file(), key,
                        made_by));
}

std::string entry_name(const JsonValue& entry) {
  return fmt::format("{}, {}, {}", entry.at("bound").text(), entry.at("reading").text(),
                     entry.at("conversion").text());
}

std::string epsilon_label(double delta) {
  return fmt::format("epsilon at delta = {}", delta);
}

double delta_of(std::span<const JsonValue> reports) {
  std::vector<JsonValue> deltas;
  for (const JsonValue& report : reports) deltas.push_back(report.at("headline").at("delta"));
  return same_delta(reports, deltas);
}

double tuned_delta_of(std::span<const JsonValue> reports) {
  std::vector<JsonValue> deltas;
  for (const JsonValue& report : reports) deltas.push_back(report.at("delta"));
  return same_delta(reports, deltas);
}

}  // namespace pate::figures
