#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/accounting/step_counts.hpp"

namespace pate {

/// One option of a command as it was in force, for the `settings` of a report. Empty is null.
using SettingValue = std::variant<std::monostate, bool, std::int64_t, double, std::string,
                                  std::vector<double>, std::vector<std::string>>;
using Settings = std::vector<std::pair<std::string, SettingValue>>;

/// One file that was read, for the `inputs` of a report.
struct InputFile {
  std::string role;  ///< "votes", "student", "labels", "decisions" or "indices"
  std::string path;
  std::string format;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::string sha256;
  std::optional<std::string> layout;        ///< votes only
  std::optional<std::string> votes_digest;  ///< votes only
};

/// One report that a composed report is made of.
struct ReportPart {
  std::string path;
  std::string sha256;
  std::string schema;
  std::string mechanism;  ///< its name
  std::int64_t queries = 0;
  std::string votes_sha256 = {};  ///< "" without votes
  std::string votes_digest = {};
};

/// What a report says beside its results.
struct ReportContext {
  std::string version;
  Settings settings;
  std::vector<InputFile> inputs;
  std::vector<ReportPart> parts = {};  ///< composed reports only
};

// What all reports have in common, as JSON text: no header of the library names a JSON library.
// Numbers read back to the same double; infinities and NaN become null; of paths and other texts,
// which may hold any bytes, what is no UTF-8 is replaced.

/// The object every report begins with: `schema`, which is "pate/<command>/v1", `tool`, `settings`
/// and `inputs`.
[[nodiscard]] std::string report_head_json(std::string_view command, const ReportContext& context);

/// The object `mechanism`: the name of the aggregator and its parameters.
[[nodiscard]] std::string mechanism_json(const Aggregator& aggregator);

/// The array `costs`.
[[nodiscard]] std::string costs_json(std::span<const CostEntry> costs);

/// The object `steps`: how many noisy steps of each kind, by their noise.
[[nodiscard]] std::string steps_json(const StepCounts& steps);

/// The curves of one bound in the object `rdp`; empty ones are left out.
[[nodiscard]] std::string curves_json(const RdpCurves& curves);

/// The same for exact curves.
[[nodiscard]] std::string curves_json(const ExactCurves& curves);

/// The array `trajectory`.
[[nodiscard]] std::string trajectory_json(std::span<const TrajectoryPoint> trajectory);

/// An array of numbers.
[[nodiscard]] std::string numbers_json(std::span<const double> values);

/// The array `parts` of a composed report.
[[nodiscard]] std::string parts_json(std::span<const ReportPart> parts);

/// The array `notices`.
[[nodiscard]] std::string notices_json(const std::vector<Notice>& notices);

}  // namespace pate
