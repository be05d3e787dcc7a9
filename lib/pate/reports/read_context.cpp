#include "pate/reports/read_context.hpp"

#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pate {

namespace {

SettingValue setting_value(const JsonValue& json) {
  const std::string text = json.dump();
  if (json.is_null()) return std::monostate{};
  if (text == "true" || text == "false") return json.boolean();
  if (text.front() == '"') return json.text();
  if (text.front() == '[') {
    if (text.size() > 1 && text[1] == '"') {
      std::vector<std::string> words;
      for (const JsonValue& element : json.elements()) words.push_back(element.text());
      return words;
    }
    const double largest = std::numeric_limits<double>::max();
    return json.numbers(-largest, largest);
  }
  if (text.find_first_of(".eE") == std::string::npos && text.front() != '{') {
    return json.integer(std::numeric_limits<std::int64_t>::min());
  }
  return json.number();
}

std::vector<InputFile> read_inputs(const JsonValue& json) {
  std::vector<InputFile> inputs;
  for (const auto& [role, file] : json.members()) {
    InputFile input;
    input.role = role;
    input.path = file.at("path").text();
    input.format = file.at("format").text();
    input.dtype = file.at("dtype").text();
    input.shape = file.at("shape").integers(0, std::numeric_limits<std::int64_t>::max());
    input.sha256 = file.at("sha256").text();
    if (const auto layout = file.find("layout")) input.layout = layout->text();
    if (const auto digest = file.find("votes_digest")) input.votes_digest = digest->text();
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace

ReportContext read_context(const JsonValue& report) {
  ReportContext context;
  context.version = report.at("tool").at("version").text();
  for (const auto& [key, value] : report.at("settings").members()) {
    if (key != "shard") context.settings.emplace_back(key, setting_value(value));
  }
  context.inputs = read_inputs(report.at("inputs"));
  return context;
}

}  // namespace pate
