#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "pate/base/json.hpp"

namespace pate::figures {

using io::JsonValue;

inline constexpr double kLargest = std::numeric_limits<double>::max();

/// The file of a report, without directories.
[[nodiscard]] std::string name_of(const JsonValue& report);

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
[[nodiscard]] double delta_of(std::span<const JsonValue> reports);

/// The same of tunings.
[[nodiscard]] double tuned_delta_of(std::span<const JsonValue> reports);

/// The parameters of a tuning's grid that have several values, and how an axis of one is called,
/// units included.
[[nodiscard]] std::vector<std::string> varied_parameters(const JsonValue& report);
[[nodiscard]] std::string parameter_label(const std::string& parameter);

}  // namespace pate::figures
