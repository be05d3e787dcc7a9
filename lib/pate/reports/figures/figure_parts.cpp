#include "pate/reports/figures/figure_parts.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "pate/base/error.hpp"

namespace pate::figures {

namespace {

// Powers of ten that are written out.
constexpr int kLeastPower = -3;
constexpr int kMostPower = 6;

// The delta that all these have.
double same_delta(std::span<const Source> reports, std::span<const JsonValue> deltas) {
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

std::string name_of(const Source& report) {
  if (!report.label.empty()) return report.label;
  const std::string& file = report.file();
  return file.substr(file.find_last_of('/') + 1);
}

std::string series_name(std::span<const Source> reports, const Source& report,
                        const std::string& what) {
  return reports.size() > 1 ? name_of(report) + ": " + what : what;
}

std::string number_text(double value) {
  std::string digits = fmt::format("{:.9e}", value);
  const std::size_t e = digits.find('e');
  const int power = std::stoi(digits.substr(e + 1));
  if (value == 0.0 || (power >= kLeastPower && power < kMostPower)) {
    return fmt::format("{:.10g}", value);
  }
  digits.resize(e);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  constexpr std::array kRaised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string raised = power < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(power))) {
    raised += kRaised.at(static_cast<std::size_t>(c - '0'));
  }
  return (digits == "1" ? "10" : digits + "·10") + raised;
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
  return "ε at δ = " + number_text(delta);
}

double delta_of(std::span<const Source> reports) {
  std::vector<JsonValue> deltas;
  for (const Source& report : reports) {
    // A release has no headline: its run has the delta that was asked for.
    const auto headline = report.find("headline");
    const auto settings = report.find("settings");
    const JsonValue& holder = headline ? *headline : settings ? *settings : report;
    deltas.push_back(holder.at("delta"));
  }
  return same_delta(reports, deltas);
}

double tuned_delta_of(std::span<const Source> reports) {
  std::vector<JsonValue> deltas;
  for (const Source& report : reports) deltas.push_back(report.at("delta"));
  return same_delta(reports, deltas);
}

}  // namespace pate::figures
