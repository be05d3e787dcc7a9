#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/base/json.hpp"
#include "pate/reports/fields.hpp"
#include "pate/reports/report_context.hpp"

namespace pate::reports {

/// The member `tool`: the program and its version.
void write_tool(FieldWriter& a, const std::string& version);

/// A report with its head: `schema`, which is "pate/<command>/v1", `tool`, `settings` and `inputs`.
[[nodiscard]] FieldWriter begin_report(std::string_view command, const ReportContext& context);

/// A report as JSON text: its head, what `describe` writes, the record and the notices.
///
/// For everybody it is nothing but what may be published, as the member `public`, and the notices
/// that bear on it: of what `describe` writes the open fields. No settings, no inputs: there are no
/// paths in it and no digests, which tell neighbours apart with certainty. Of the context the
/// record, as far as it may be published, and the verdicts, which must be about numbers that may.
[[nodiscard]] std::string report_text(std::string_view command, Audience audience,
                                      const ReportContext& context,
                                      const std::function<void(FieldWriter&)>& describe,
                                      const std::vector<Notice>& notices);

/// The version, settings and inputs of a report, as they were written, but for the setting `shard`.
/// Throws `input_error` naming the file and the field.
[[nodiscard]] ReportContext read_context(const io::JsonValue& report);

}  // namespace pate::reports
