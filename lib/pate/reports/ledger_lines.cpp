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
// In the first line alone, after this: how many lines were written, in digits that are brought up
// to date in their place. A file that has lost whole lines at its end is told by them.
constexpr std::string_view kCounted = R"({"schema":"pate/ledger/v3","written":")";
constexpr std::size_t kCountDigits = 10;
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

  // How many lines the ledger had, by its first one; 0 where it does not say.
  [[nodiscard]] std::int64_t written() const {
    if (!json_.find("written")) return 0;
    const std::string digits = text("written");
    if (digits.size() != kCountDigits ||
        digits.find_first_not_of("0123456789") != std::string::npos) {
      fail(fmt::format("{} digits as \"written\"", kCountDigits));
    }
    return std::stoll(digits);
  }

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
  // How many lines a mark says are missing, besides the torn ones before it.
  [[nodiscard]] std::int64_t missing_by_mark(std::int64_t torn_lines) const {
    if (number("lines") != torn_lines) {
      fail(fmt::format("\"lines\": {}, the number of torn lines before", torn_lines));
    }
    if (!json_.find("missing")) return 0;
    const std::int64_t missing = number("missing");
    if (missing < 1) fail("a number as \"missing\"");
    return missing;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    throw input_error(fmt::format("{}: line {} is no line of a ledger: expected {}", json_.file(),
                                  number_, expected));
  }
  [[nodiscard]] std::string text(const char* key) const {
    return field(key, io::JsonType::text, json_).text();
  }
  // A whole one; -1 where there is none.
  [[nodiscard]] std::int64_t number(const char* key) const {
    const auto found = json_.find(key);
    return found && found->type() == io::JsonType::whole ? found->integer() : -1;
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
  std::string text(line);
  if (const auto place = count_place(line)) text.replace(*place, kCountDigits, kCountDigits, '0');
  return io::sha256_hex(std::as_bytes(std::span(text)));
}

std::string count_digits(std::int64_t lines) {
  return fmt::format("{:0{}}", lines, kCountDigits);
}

std::optional<std::size_t> count_place(std::string_view bytes) {
  if (!bytes.starts_with(kCounted) || bytes.size() < kCounted.size() + kCountDigits) return {};
  return kCounted.size();
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

// The text, and what is torn or missing at its end and has no mark.
struct ReadLines {
  LedgerText text;
  std::int64_t torn = 0;
  std::int64_t missing = 0;

  [[nodiscard]] bool is_whole() const { return torn + missing == 0; }
};

ReadLines read_lines(std::string_view bytes, std::string_view name) {
  LedgerText result;
  std::int64_t written = 0;
  std::int64_t torn_lines = 0;
  const auto not_json = [&](std::int64_t line) {
    return input_error(fmt::format("{}: line {} is no line of a ledger: not JSON", name, line));
  };
  std::set<std::string> ids;
  result.ends_line = bytes.empty() || bytes.back() == '\n';
  result.count_place = count_place(bytes);
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
    if (result.lines == 1) written = line.written();
    result.last_digest = line_digest(text);
    if (line.is_mark()) {
      const std::int64_t missing = line.missing_by_mark(torn_lines);
      result.cut_off.push_back({result.lines - torn_lines, torn_lines + missing});
      result.missing += missing;
      torn_lines = 0;
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
  // A last line that has its end was written whole: it was changed since, and no crash cut it off,
  // unless what followed it is gone.
  const std::int64_t missing = std::max<std::int64_t>(0, written - result.written());
  if (torn_lines > 0 && result.ends_line && missing == 0) {
    throw not_json(result.lines - torn_lines + 1);
  }
  if (result.entries.empty()) {
    throw input_error(fmt::format(
        "{}: a ledger without a whole entry, so that nobody knows what was released: find a copy "
        "of it, or remove it if nothing was",
        name));
  }
  return {std::move(result), torn_lines, missing};
}

}  // namespace

LedgerText parse_ledger(std::string_view bytes, std::string_view name) {
  ReadLines read = read_lines(bytes, name);
  if (read.is_whole()) return std::move(read.text);
  const std::int64_t cut = read.text.lines - read.torn + 1;
  const bool one = read.torn + read.missing == 1;
  throw input_error(fmt::format(
      "{}: {} cut off: what {} cost is unknown. Find a whole copy, or wait if the line is being "
      "written. If nothing of {} was released, mark it: pate ledger {} \1repair",
      name,
      one ? fmt::format("line {} is", cut)
          : fmt::format("lines {} to {} are", cut, read.text.lines + read.missing),
      one ? "its entry" : "their entries", one ? "it" : "them",
      io::printable(name, name.size(), io::Letters::any)));
}

std::string LedgerText::left_out() const {
  if (cut_off.empty()) return {};
  std::vector<std::string> places;
  for (const CutOff& its : cut_off)
    places.push_back(fmt::format("{} at line {}", its.lines, its.line));
  return fmt::format("lines were cut off ({}) and are left out: what they cost is unknown",
                     fmt::join(places, ", "));
}

std::string repaired(std::string_view bytes, std::string_view name) {
  const ReadLines read = read_lines(bytes, name);
  const LedgerText& text = read.text;
  if (read.is_whole()) {
    throw input_error(fmt::format("{}: line {}, the last, is whole: there is nothing to repair",
                                  name, text.lines));
  }
  FieldWriter mark;
  mark("schema", kSchema);
  mark("kind", kTorn);
  mark("chain", text.last_digest);
  mark("lines", read.torn);
  if (read.missing > 0) mark("missing", read.missing);
  std::string result(bytes);
  result += (text.ends_line ? "" : "\n") + mark.place().line() + '\n';
  if (text.count_place) {
    result.replace(*text.count_place, kCountDigits,
                   count_digits(text.written() + read.missing + 1));
  }
  return result;
}

std::string ledger_addition(const LedgerText& before, const LedgerEntry& entry) {
  if (entry.settings.type() != io::JsonType::object) {
    throw parameter_error(fmt::format(
        "the settings of a ledger entry must be a JSON object, got '{}'", entry.settings.dump()));
  }
  FieldWriter line;
  line("schema", kSchema);
  if (before.lines == 0) line("written", count_digits(1));
  line("kind", kEvent);
  line("chain", before.last_digest);
  line("time", entry.time);
  write_tool(line, entry.version);
  line("settings", entry.settings);
  line("event", without_tables(entry.event));
  return (before.ends_line ? "" : "\n") + line.place().line() + '\n';
}

}  // namespace pate::reports
