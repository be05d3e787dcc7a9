#include "pate/reports/ledger_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "pate/error.hpp"
#include "pate/io/json_excess.hpp"
#include "pate/reports/report_fields.hpp"

namespace pate::reports {

namespace {

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
  Line(const io::JsonValue& json, std::int64_t number) : json_(json), number_(number) {
    if (json.type() != io::JsonType::object) fail("an object");
    if (text("schema") != kSchema) fail(fmt::format(R"("schema": "{}")", kSchema));
  }

  [[nodiscard]] bool is_mark() const { return text("kind") == kTorn; }
  [[nodiscard]] LedgerEntry entry() const {
    return {text("kind"),
            text("votes_digest"),
            field("settings", io::JsonType::object, json_),
            field("released", io::JsonType::object, json_),
            field("version", io::JsonType::text, field("tool", io::JsonType::object, json_)).text(),
            text("time"),
            number_};
  }
  void check_mark(std::int64_t torn_lines) const {
    const auto lines = json_.find("lines");
    const bool number =
        lines && (lines->type() == io::JsonType::whole || lines->type() == io::JsonType::real);
    if (!number || lines->number() != static_cast<double>(torn_lines)) {
      fail(fmt::format("\"lines\": {}, the number of torn lines before", torn_lines));
    }
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    throw input_error(fmt::format("{}: line {} is no line of a ledger: expected {}", json_.file(),
                                  number_, expected));
  }
  [[nodiscard]] std::string text(const char* key) const {
    return field(key, io::JsonType::text, json_).text();
  }
  [[nodiscard]] io::JsonValue field(const char* key, io::JsonType type,
                                    const io::JsonValue& in) const {
    const auto found = in.find(key);
    if (!found || found->type() != type) {
      fail(fmt::format("{} \"{}\"", type == io::JsonType::text ? "a text" : "an object", key));
    }
    return *found;
  }

  io::JsonValue json_;
  std::int64_t number_;
};

void check_object(const char* name, const io::JsonValue& value) {
  if (value.type() == io::JsonType::object) return;
  throw parameter_error(
      fmt::format("the {} of a ledger entry must be a JSON object, got '{}'", name, value.dump()));
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
    const std::string_view excess = io::json_excess(text);
    if (!excess.empty()) {
      throw input_error(
          fmt::format("{}: line {} is no line of a ledger: {}", name, result.lines, excess));
    }
    const auto json = io::JsonValue::parse_if_json(text, std::string(name));
    if (!json) {
      if (!is_torn(text)) {
        throw input_error(
            fmt::format("{}: line {} is no line of a ledger: not JSON", name, result.lines));
      }
      ++result.torn_lines;
      continue;
    }
    const Line line(*json, result.lines);
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
  check_object("settings", entry.settings);
  check_object("released", entry.released);
  std::string bytes = before.ends_line ? "" : "\n";
  if (before.torn_lines > 0) {
    FieldWriter mark;
    mark("schema", kSchema);
    mark("kind", kTorn);
    mark("lines", before.torn_lines);
    bytes += mark.place().line() + '\n';
  }
  FieldWriter line;
  line("schema", kSchema);
  line("kind", entry.kind);
  line("time", entry.time);
  write_tool(line, entry.version);
  line("votes_digest", entry.votes_digest);
  line("settings", entry.settings);
  line("released", entry.released);
  return bytes + line.place().line() + '\n';
}

}  // namespace pate::reports
