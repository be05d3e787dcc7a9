#pragma once

#include <string>

#include "pate/base/json.hpp"

namespace pate::reports {

/// Throws `input_error` naming the file and the field unless this version knows the schema and the
/// mechanism, and the parts of the report agree: its headline is one of its costs, its guarantee
/// names that number, an epsilon that was drawn is the one of the record, and no cost that may be
/// published, nor the headline, is below what the record costs. Shards are known by their seals.
void check_report(const io::JsonValue& report);

/// Whether the number that a report puts first was computed anew from its record and is the same.
/// Of others nobody can tell: what was drawn, private majorities, exact costs. Throws as
/// `check_report` does where numbers differ.
[[nodiscard]] bool is_headline_confirmed(const io::JsonValue& report);

/// The report in a file, or in what standard input brings where `path` is `-`, after
/// `check_report`. Throws `input_error` naming the file where there is no JSON, where there is a
/// ledger, whose lines are no report (with the command that makes one of them), and where there is
/// a shard, whose numbers are not a run's.
[[nodiscard]] io::JsonValue read_report(const std::string& path);

}  // namespace pate::reports
