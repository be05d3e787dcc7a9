#pragma once

#include "pate/io/json_document.hpp"
#include "pate/reports/report_json.hpp"

namespace pate {

/// The version, settings and inputs of a report, as they were written, but for the setting `shard`.
/// Throws `input_error` naming the file and the field.
[[nodiscard]] ReportContext read_context(const JsonValue& report);

}  // namespace pate
