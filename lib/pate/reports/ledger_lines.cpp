#include "pate/reports/ledger_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"

namespace pate::reports {

namespace {

constexpr const char* kSchema = "pate/ledger/v3";
// How every line begins: by this the rest of a torn one is known.
constexpr std::string_view kBeginning = R"({"schema":"pate/ledger/v3",)";
constexpr const char* kTorn = "torn";  // the kind of the mark after torn lines
constexpr const char* kEvent = "event";

// Whether the object that a text begins with ends in it, as far as braces tell. What a crash left
// of a line never does: a line that was changed does, and so do lines without what parts them.
bool is_closed(std::string_view text) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth <= 0) {
      return true;
    }
  }
  return false;
}

// Whether text that is no JSON can be what a crash left of a line. A file system may have extended
// the file before it wrote the bytes: then zeros follow.
bool is_torn(std::string_view line) {
  if (line.empty()) return false;
  const std::size_t size = std::min(line.find('\0'), line.size());
  if (line.find_first_not_of('\0', size) != std::string_view::npos) return false;
  if (is_closed(line.substr(0, size))) return false;
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

  // Each line says which line is before it.
  void check_chain(std::string_view before) const {
    if (text("chain") == before) return;
    throw input_error(fmt::format(
        "{}: line {} does not follow the line before it: a line was changed, taken out or put in; "
        "only a copy of the ledger that nobody edited tells what was released",
        json_.file(), number_));
  }

  [[nodiscard]] LedgerEntry entry() const {
    const io::JsonValue settings = field("settings", io::JsonType::object, json_);
    const std::string version =
        field("version", io::JsonType::text, field("tool", io::JsonType::object, json_)).text();
    LedgerEntry result{{}, settings, version, text("time"), number_};
    if (text("kind") != kEvent) fail("the kind event or torn");
    field("event", io::JsonType::object, json_);
    FieldReader reader(
        json_.as_document(fmt::format("{}: line {}", json_.file(), number_)).at("event"));
    fields(reader, result.event);
    if (!result.event.happened()) fail("an event with an id");
    return result;
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
  io::JsonValue field(const char* key, io::JsonType type, const io::JsonValue& in) const {
    const auto found = in.find(key);
    if (!found || found->type() != type) {
      fail(fmt::format("{} \"{}\"", type == io::JsonType::text ? "a text" : "an object", key));
    }
    return *found;
  }

  io::JsonValue json_;
  std::int64_t number_;
};

// What is kept in a line: no tables of votes.
Event without_tables(Event event) {
  event.facts.table.clear();
  event.facts.exact.clear();
  event.facts.curves.reset();
  return event;
}

}  // namespace

std::string in_words(const Ensemble& ensemble) {
  return fmt::format("ensemble {} of {} teachers and {} classes",
                     io::printable(ensemble.name, 200, io::Letters::any), ensemble.teachers,
                     ensemble.classes);
}

std::string line_digest(std::string_view line) {
  return io::sha256_hex(std::as_bytes(std::span(line.data(), line.size())));
}

Record LedgerText::record() const {
  Record all;
  for (const LedgerEntry& entry : entries) all.push_back(entry.event);
  return join(all, {});
}

bool is_ledger(std::string_view text) {
  return text.substr(0, text.find('\n')).find("\"pate/ledger/v") != std::string_view::npos;
}

namespace {

// Sets whether the last line is torn, which no mark follows.
LedgerText read_lines(std::string_view bytes, std::string_view name, bool& ends_torn) {
  LedgerText result;
  std::int64_t torn_lines = 0;
  const auto not_json = [&](std::int64_t line) {
    return input_error(fmt::format("{}: line {} is no line of a ledger: not JSON", name, line));
  };
  std::set<std::string> ids;
  result.ends_line = bytes.empty() || bytes.back() == '\n';
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view text = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    ++result.lines;
    const std::string_view excess = io::json_limit_exceeded(text);
    if (!excess.empty()) {
      throw input_error(
          fmt::format("{}: line {} is no line of a ledger: {}", name, result.lines, excess));
    }
    const auto json = io::JsonValue::parse_if_json(text, std::string(name));
    if (!json) {
      if (!is_torn(text)) throw not_json(result.lines);
      ++torn_lines;
      continue;
    }
    const Line line(*json, result.lines);
    line.check_chain(result.last_digest);
    result.last_digest = line_digest(text);
    if (line.is_mark()) {
      line.check_mark(torn_lines);
      torn_lines = 0;
      result.torn_line = result.lines - 1;
      continue;
    }
    result.entries.push_back(line.entry());
    const LedgerEntry& entry = result.entries.back();
    if (!ids.insert(entry.event.open.id).second) {
      throw input_error(fmt::format(
          "{}: line {} is no line of this ledger: expected an event of its own, found that of a "
          "line before",
          name, result.lines));
    }
    const LedgerEntry& first = result.entries.front();
    if (entry.ensemble() != first.ensemble()) {
      throw input_error(fmt::format(
          "{}: line {} is no line of this ledger: expected the {} of line {}, found "
          "the {}",
          name, result.lines, in_words(first.ensemble()), first.line, in_words(entry.ensemble())));
    }
    if (torn_lines > 0) throw not_json(result.lines - torn_lines);
  }
  // A line that has its end was written whole: it was changed since, and no crash cut it off.
  ends_torn = torn_lines > 0 && !result.ends_line;
  if (torn_lines > (ends_torn ? 1 : 0)) throw not_json(result.lines - torn_lines + 1);
  if (result.entries.empty()) {
    throw input_error(fmt::format(
        "{}: a ledger without a whole entry, so that nobody knows what was released: find a copy "
        "of it, or remove it if nothing was",
        name));
  }
  return result;
}

}  // namespace

LedgerText parse_ledger(std::string_view bytes, std::string_view name) {
  bool ends_torn = false;
  LedgerText result = read_lines(bytes, name, ends_torn);
  if (!ends_torn) return result;
  throw input_error(fmt::format(
      "{}: line {} is cut off: what its entry cost is unknown. Find a whole copy, or wait if the "
      "line is being written. If nothing of it was released, mark it: pate ledger {} "
      "--repair",
      name, result.lines, io::printable(name, name.size(), io::Letters::any)));
}

std::string torn_mark(std::string_view bytes, std::string_view name) {
  bool ends_torn = false;
  const LedgerText text = read_lines(bytes, name, ends_torn);
  if (!ends_torn) {
    throw input_error(fmt::format("{}: line {}, the last, is whole: there is nothing to repair",
                                  name, text.lines));
  }
  FieldWriter mark;
  mark("schema", kSchema);
  mark("kind", kTorn);
  mark("chain", text.last_digest);
  mark("lines", std::int64_t{1});
  return '\n' + mark.place().line() + '\n';
}

std::string ledger_addition(const LedgerText& before, const LedgerEntry& entry) {
  if (entry.settings.type() != io::JsonType::object) {
    throw parameter_error(fmt::format(
        "the settings of a ledger entry must be a JSON object, got '{}'", entry.settings.dump()));
  }
  FieldWriter line;
  line("schema", kSchema);
  line("kind", kEvent);
  line("chain", before.last_digest);
  line("time", entry.time);
  write_tool(line, entry.version);
  line("settings", entry.settings);
  line("event", without_tables(entry.event));
  return (before.ends_line ? "" : "\n") + line.place().line() + '\n';
}

}  // namespace pate::reports
