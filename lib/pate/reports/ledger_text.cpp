#include "pate/reports/ledger_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "pate/error.hpp"
#include "pate/io/json_excess.hpp"

namespace pate {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "pate/ledger/v1";
// How every line begins: by this the rest of a torn one is known.
constexpr std::string_view kBeginning = R"({"schema":"pate/ledger/v1",)";
constexpr const char* kTorn = "torn";  // the kind of the mark after torn lines

// Whether text that is no JSON can be what a crash left of a line. A file system may have extended
// the file before it wrote the bytes: then zeros follow.
bool is_torn(std::string_view line) {
  if (line.empty()) return false;
  const std::size_t size = std::min(line.find('\0'), line.size());
  if (line.find_first_not_of('\0', size) != std::string_view::npos) return false;
  const std::size_t compared = std::min(size, kBeginning.size());
  return line.substr(0, compared) == kBeginning.substr(0, compared);
}

// One line that is JSON, with its place for messages.
class Line {
 public:
  Line(const Json& json, std::string_view name, std::int64_t number)
      : json_(json), name_(name), number_(number) {
    if (!json.is_object()) fail("an object");
    if (text("schema") != kSchema) fail(fmt::format(R"("schema": "{}")", kSchema));
  }

  [[nodiscard]] bool is_mark() const { return text("kind") == kTorn; }
  [[nodiscard]] LedgerEntry entry() const {
    return {text("kind"),
            text("votes_digest"),
            object("settings").dump(),
            object("released").dump(),
            text("version", object("tool")),
            text("time"),
            number_};
  }
  void check_mark(std::int64_t torn_lines) const {
    const auto field = json_.find("lines");
    if (field == json_.end() || *field != torn_lines) {
      fail(fmt::format("\"lines\": {}, the number of torn lines before", torn_lines));
    }
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    throw input_error(
        fmt::format("{}: line {} is no line of a ledger: expected {}", name_, number_, expected));
  }
  [[nodiscard]] std::string text(const char* field) const { return text(field, json_); }
  [[nodiscard]] std::string text(const char* field, const Json& in) const {
    const auto found = in.find(field);
    if (found == in.end() || !found->is_string()) fail(fmt::format("a text \"{}\"", field));
    return found->get<std::string>();
  }
  [[nodiscard]] const Json& object(const char* field) const {
    const auto found = json_.find(field);
    if (found == json_.end() || !found->is_object()) fail(fmt::format("an object \"{}\"", field));
    return *found;
  }

  const Json& json_;
  std::string_view name_;
  std::int64_t number_;
};

Json parse_object(const char* name, const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  if (!value.is_object()) {
    throw parameter_error(
        fmt::format("the {} of a ledger entry must be a JSON object, got '{}'", name, text));
  }
  return value;
}

std::string line_text(const Json& line) {
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

LedgerText parse_ledger(std::string_view bytes, std::string_view name) {
  LedgerText result;
  result.ends_line = bytes.empty() || bytes.back() == '\n';
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view text = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    ++result.lines;
    const std::string_view excess = json_excess(text);
    if (!excess.empty()) {
      throw input_error(
          fmt::format("{}: line {} is no line of a ledger: {}", name, result.lines, excess));
    }
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) {
      if (!is_torn(text)) {
        throw input_error(
            fmt::format("{}: line {} is no line of a ledger: not JSON", name, result.lines));
      }
      ++result.torn_lines;
      continue;
    }
    const Line line(json, name, result.lines);
    if (line.is_mark()) {
      line.check_mark(result.torn_lines);
      result.torn_lines = 0;
      continue;
    }
    result.entries.push_back(line.entry());
    if (result.torn_lines > 0) {
      throw input_error(fmt::format(
          "{}: line {} is no line of a ledger: it is incomplete, and no crash left it, because an "
          "entry follows",
          name, result.lines - result.torn_lines));
    }
  }
  return result;
}

std::string ledger_addition(const LedgerText& before, const LedgerEntry& entry) {
  std::string bytes = before.ends_line ? "" : "\n";
  if (before.torn_lines > 0) {
    bytes += line_text({{"schema", kSchema}, {"kind", kTorn}, {"lines", before.torn_lines}});
  }
  Json line;
  line["schema"] = kSchema;
  line["kind"] = entry.kind;
  line["time"] = entry.time;
  line["tool"] = {{"name", "pate"}, {"version", entry.version}};
  line["votes_digest"] = entry.votes_digest;
  line["settings"] = parse_object("settings", entry.settings_json);
  line["released"] = parse_object("released", entry.released_json);
  return bytes + line_text(line);
}

}  // namespace pate
