#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "pate/base/json.hpp"

namespace pate::figures {

using io::JsonValue;

inline constexpr double kLargest = std::numeric_limits<double>::max();

/// A report that is drawn, with the name that people gave to it, "" where they gave none.
struct Source : JsonValue {
  std::string label;
};

/// The name of a report: what people call it, else its file without directories.
[[nodiscard]] std::string name_of(const Source& report);

/// What a series shows, with the name of its report in front where there are several.
[[nodiscard]] std::string series_name(std::span<const Source> reports, const Source& report,
                                      const std::string& what);

/// A number for people: without needless digits, with a power of ten where it is very small or
/// large, "2.5·10⁻⁷".
[[nodiscard]] std::string number_text(double value);

/// A part of a report. Throws `input_error` where it is missing, naming what makes it, or saying
/// that what may be published does not have it.
[[nodiscard]] JsonValue part_of(const JsonValue& report, const std::string& key,
                                const char* made_by);

/// What an entry of `costs` is: bound, reading and conversion.
[[nodiscard]] std::string entry_name(const JsonValue& entry);

/// The name of an axis of epsilons.
[[nodiscard]] std::string epsilon_label(double delta);

/// The delta of the headlines of all reports. Throws `input_error` where they differ: epsilons at
/// different deltas have no axis in common.
[[nodiscard]] double delta_of(std::span<const Source> reports);

/// The same of tunings.
[[nodiscard]] double tuned_delta_of(std::span<const Source> reports);

/// The parameters of a tuning's grid that have several values, and how an axis of one is called,
/// units included.
[[nodiscard]] std::vector<std::string> varied_parameters(const JsonValue& report);
[[nodiscard]] std::string parameter_label(const std::string& parameter);

}  // namespace pate::figures
