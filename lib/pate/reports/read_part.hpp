#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/composition/compose.hpp"
#include "pate/io/json.hpp"
#include "pate/reports/report_context.hpp"

namespace pate::reports {

/// What a report says that is needed to add it to others: one of `pate analyze` (or of `compose`),
/// `pate label`, `pate plan`, `pate release` or `pate darrm`. Throws `input_error` naming the file
/// and the field for another schema, for a shard, and for fields that are missing, malformed or out
/// of range.
[[nodiscard]] Part read_part(const io::JsonValue& report);

/// How a composed report names it.
[[nodiscard]] ReportPart report_part(const io::JsonValue& report, const Part& part);

/// Whether a text is a ledger rather than one report.
[[nodiscard]] bool is_ledger(std::string_view text);

/// The entries of a ledger as parts, and how a composed report names them; of those about the same
/// answers the last. A label run without a selection is counted by its noisy steps, which were
/// certain from its settings; every other entry by the epsilon and delta of its own run. Throws
/// `input_error` naming the line.
[[nodiscard]] std::vector<std::pair<Part, ReportPart>> read_ledger_parts(std::string_view text,
                                                                         const std::string& file);

}  // namespace pate::reports
