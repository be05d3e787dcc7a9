#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pate/reports/analyze_report.hpp"

namespace pate::cli {

/// The setting of a report for an option that may not have been given: empty is null.
template <class Value>
[[nodiscard]] SettingValue setting(const std::optional<Value>& value) {
  return value ? SettingValue{*value} : SettingValue{};
}
[[nodiscard]] inline SettingValue setting(const std::string& text) {
  return text.empty() ? SettingValue{} : SettingValue{text};
}
[[nodiscard]] inline SettingValue setting(const std::vector<double>& values) {
  return values.empty() ? SettingValue{} : SettingValue{values};
}

}  // namespace pate::cli
