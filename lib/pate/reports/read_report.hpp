#pragma once

#include <string>

#include "pate/base/json.hpp"

namespace pate::reports {

/// The report in a file, or in what standard input brings where `path` is `-`. Throws `input_error`
/// naming the file where there is no JSON, where there is a ledger, whose lines are no report (with
/// the command that makes one of them), and where there is a shard, whose numbers are not a run's.
[[nodiscard]] io::JsonValue read_report(const std::string& path);

}  // namespace pate::reports
