#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pate/io/json_document.hpp"

namespace pate::reports {

/// One thing that was released, as a ledger keeps it.
struct LedgerEntry {
  std::string kind;          ///< the command that released it: "release", "label"
  std::string votes_digest;  ///< of the votes it was about (votes_digest.hpp)
  io::JsonValue settings;    ///< an object: the settings in force
  io::JsonValue released;    ///< an object: what became public
  std::string version;       ///< of the program
  // Set by the ledger:
  std::string time{};     ///< UTC, "2026-11-21T11:30:16Z"
  std::int64_t line = 0;  ///< in the file, from 1
};

/// What the text of a ledger says (cli/schemas/ledger.schema.json describes a line).
struct LedgerText {
  std::vector<LedgerEntry> entries;  ///< oldest first
  std::int64_t lines = 0;            ///< with what may be torn
  std::int64_t torn_lines = 0;       ///< at the end, which no entry follows
  bool ends_line = true;             ///< whether the last line is complete
};

/// Reads the text of a ledger; `name` is how messages call it.
///
/// Lines at the end that are no JSON, but begin like an entry, are what a crash left of one. They
/// do not count. Further up they are accepted only where a mark follows that counts them. A last
/// line that lacks nothing but its end counts. Throws `input_error` naming any other line that is
/// no line of a ledger.
[[nodiscard]] LedgerText parse_ledger(std::string_view bytes, std::string_view name);

/// What to append to a ledger that holds `before`: the end of an incomplete line, the mark after
/// torn ones, the entry. Throws `parameter_error` where a field holds no JSON object.
[[nodiscard]] std::string ledger_addition(const LedgerText& before, const LedgerEntry& entry);

}  // namespace pate::reports
