#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pate/base/json.hpp"
#include "pate/events/event.hpp"

namespace pate::reports {

/// The teachers whose account a ledger is.
struct Ensemble {
  std::string name;
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  friend bool operator==(const Ensemble&, const Ensemble&) = default;
};

/// In words: "ensemble hospital of 250 teachers and 10 classes".
[[nodiscard]] std::string in_words(const Ensemble& ensemble);

/// One thing that was done, as a ledger keeps it: the event, without the tables of its votes.
struct LedgerEntry {
  Event event;
  io::JsonValue settings;  ///< an object: the settings in force
  std::string version;     ///< of the program
  // Set by the ledger:
  std::string time{};     ///< UTC, "2026-11-21T11:30:16Z"
  std::int64_t line = 0;  ///< in the file, from 1

  [[nodiscard]] Ensemble ensemble() const {
    return {event.open.ensemble, event.open.teachers, event.open.classes};
  }
};

/// Lines that were cut off: so many, of which the first would stand at `line`.
struct CutOff {
  std::int64_t line = 0;
  std::int64_t lines = 0;
};

/// What the text of a ledger says (cli/schemas/ledger.schema.json describes a line).
struct LedgerText {
  std::vector<LedgerEntry> entries;  ///< oldest first
  std::int64_t lines = 0;            ///< in the file
  std::int64_t missing = 0;          ///< that are not in it, by its marks
  std::vector<CutOff> cut_off;       ///< what its marks say is left out
  bool ends_line = true;             ///< whether the last line is complete
  std::string last_digest = {};      ///< that of the last whole line; empty: there is none
  std::optional<std::size_t> count_place = {};  ///< as the function has it

  /// All events.
  [[nodiscard]] Record record() const;
  /// How many lines were written.
  [[nodiscard]] std::int64_t written() const { return lines + missing; }
  /// What is left out, in words; empty where all is there.
  [[nodiscard]] std::string left_out() const;
};

/// Reads the text of a ledger; `name` is how messages call it.
///
/// Every line says the digest of the whole line before it, so that a line that was changed, put in
/// or taken out is noticed where another follows; the first line says how many were written, so
/// that fewer are noticed too. (That the whole file was made anew, or is an old copy, is not.)
///
/// A last line that is cut off, or zeros, is what a crash left of an entry. Nobody knows what that
/// entry cost, nor what missing ones did, so that such a ledger is refused until a mark counts
/// them (`repaired`). A last line that lacks nothing but its end counts. Throws `input_error`
/// naming any other line that is no line of a ledger, and an entry of another ensemble than the
/// first one's; and where there is no entry.
[[nodiscard]] LedgerText parse_ledger(std::string_view bytes, std::string_view name);

/// The text with a mark of what is torn or missing at its end, as `parse_ledger` reads it: how many
/// lines were written stays true. Throws `input_error` as that does, and where nothing is cut
/// off.
[[nodiscard]] std::string repaired(std::string_view bytes, std::string_view name);

/// Whether a text is a ledger rather than one report.
[[nodiscard]] bool is_ledger(std::string_view text);

/// What to append to a ledger that holds `before`: the end of an incomplete line, and the entry.
/// Throws `parameter_error` where settings are no JSON object.
[[nodiscard]] std::string ledger_addition(const LedgerText& before, const LedgerEntry& entry);

/// What the line after this one says of it: its SHA-256, with zeros for how many were written.
[[nodiscard]] std::string line_digest(std::string_view line);

/// Where the first line of a ledger has how many lines were written, as `count_digits`; none in
/// ledgers that do not say it.
[[nodiscard]] std::optional<std::size_t> count_place(std::string_view bytes);
[[nodiscard]] std::string count_digits(std::int64_t lines);

}  // namespace pate::reports
