#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/base/json.hpp"
#include "pate/events/event.hpp"

namespace pate::reports {

/// One option of a command as it was in force, for the `settings` of a report. Empty is null; a
/// `io::JsonValue` is a setting of another report.
using SettingValue = std::variant<std::monostate, bool, std::int64_t, double, std::string,
                                  std::vector<double>, std::vector<std::string>, io::JsonValue>;
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
  /// Votes only: who says how many teachers there are, "person" or only the "file".
  std::optional<std::string> teachers_from = {};
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
  std::optional<double> answered = {};  ///< realized, else expected
  std::optional<double> epsilon = {};   ///< its own headline; none: infinite
  std::optional<double> delta = {};
  std::optional<double> order = {};
  std::string promise = {};  ///< what its epsilon is, where it is no guarantee: "of the outcome"
  bool is_whole = false;     ///< not of a shard, nor of what may be published: all of this
  std::vector<Notice> notices = {};  ///< its own, and those of its parts
};

/// What became of a limit that the command line set.
struct LimitVerdict {
  std::string option;           ///< as it was given
  std::optional<double> limit;  ///< none of an option without a value
  bool holds = false;
};

/// A file of tables that a release used.
struct TableFile {
  std::string path;
  std::string sha256;
  bool read = false;  ///< it was there; else it was computed, and written
};

/// What a report says beside its results.
struct ReportContext {
  std::string version;
  Settings settings;
  std::vector<InputFile> inputs;
  std::vector<ReportPart> parts = {};       ///< composed reports only
  Record record = {};                       ///< what the report tells of; none of inspections
  std::vector<LimitVerdict> verdicts = {};  ///< one for every limit that was set
  std::vector<TableFile> tables = {};       ///< of releases that keep them
};

}  // namespace pate::reports
