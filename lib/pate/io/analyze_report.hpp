#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pate/accounting/report.hpp"

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

/// What a report says beside its results.
struct ReportContext {
  std::string version;
  Settings settings;
  std::vector<InputFile> inputs;
};

/// The report `pate/analyze/v1` as JSON text, two spaces of indentation, ending in a newline.
/// Numbers read back to the same double; infinities and NaN become null.
[[nodiscard]] std::string analyze_report_json(const Account& account, const ReportContext& context);

}  // namespace pate
