#include "pate/reports/report_text.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <utility>
#include <variant>

#include "pate/reports/record_json.hpp"
#include "pate/reports/report_fields.hpp"

namespace pate::reports {

namespace {

void write_setting(FieldWriter& a, const std::string& key, const SettingValue& setting) {
  std::visit(
      [&](const auto& value) {
        if constexpr (std::is_same_v<decltype(value), const std::monostate&>) {
          a(key, std::optional<bool>());
        } else {
          a(key, value);
        }
      },
      setting);
}

}  // namespace

void write_tool(FieldWriter& a, const std::string& version) {
  a.object("tool", [&](FieldWriter& tool) {
    tool("name", "pate");
    tool("version", version);
  });
}

FieldWriter begin_report(std::string_view command, const ReportContext& context) {
  FieldWriter report;
  report("schema", fmt::format("pate/{}/v1", command));
  write_tool(report, context.version);
  report.object("settings", [&](FieldWriter& settings) {
    settings.place().set_empty_object();
    for (const auto& [key, value] : context.settings) write_setting(settings, key, value);
  });
  report.keyed("inputs", context.inputs, &InputFile::role);
  if (!context.verdicts.empty()) report("verdicts", context.verdicts);
  if (!context.tables.empty()) report("tables", context.tables);
  return report;
}

std::string report_text(std::string_view command, Audience audience, const ReportContext& context,
                        const std::function<void(FieldWriter&)>& describe,
                        const std::vector<Notice>& notices) {
  if (audience == Audience::owner) {
    FieldWriter report = begin_report(command, context);
    describe(report);
    if (!context.record.empty()) write_record(report, context.record);
    report("notices", notices);
    return report.text();
  }
  FieldWriter report;
  report("schema", fmt::format("pate/{}/v1", command));
  write_tool(report, context.version);
  FieldWriter part(report.place().member("public"), audience);
  FieldWriter open = part.open();
  if (!context.verdicts.empty()) open("verdicts", context.verdicts);
  describe(part);
  if (!context.record.empty()) write_record(open, public_record(context.record));
  report("notices", notices);
  return report.text();
}

ReportContext read_context(const io::JsonValue& report) {
  ReportContext context;
  context.version = report.at("tool").at("version").text();
  for (const auto& [key, value] : report.at("settings").members()) {
    // A copy, which does not keep the whole report.
    if (key != "shard") {
      context.settings.emplace_back(key, io::JsonValue::parse(value.dump(), report.file()));
    }
  }
  FieldReader(report).keyed("inputs", context.inputs, &InputFile::role);
  return context;
}

}  // namespace pate::reports
