#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pate/base/json.hpp"
#include "pate/events/event.hpp"
#include "pate/reports/report_context.hpp"

namespace pate::reports {

/// The entries of a ledger that the number of a release counts and that its record may lack. A sum
/// must have each.
struct CountedEntries {
  std::vector<std::string> ids;
};

/// What a file says was done, and how messages and sums call it.
struct NamedRecord {
  std::string name;
  Record record;
  /// SHA-256 of the ledger that vouches for its teachers; empty: none does.
  std::string ledger = {};
  CountedEntries counted = {};  ///< `counted_entries` of a report
};

/// The events of a report of `analyze`, `label`, `plan`, `release`, `darrm` or `compose`: its
/// record, whole or what may be published. Numbers that a report derives are not looked at.
///
/// Throws `input_error` naming the file and the field for a report without a record, a shard, and
/// for fields that are missing, malformed or out of range.
[[nodiscard]] Record read_events(const io::JsonValue& report);

/// What a release has as `public.ledger_sha256`, so that entries that are missing or changed show:
/// SHA-256, hexadecimal, of its list `public.ledger`, as `JsonValue::canonical` has it, after a
/// line with the format. As with a seal, who edits on purpose can make a new one.
[[nodiscard]] std::string ledger_digest(const io::JsonValue& entries);

/// Those of a report: none but of releases under a ledger. A labelling of the run itself is not
/// among them: the record of the release has its steps. Throws `input_error` naming the file where
/// entries are not those that its digest is of, or where its epsilon tells that there must be some.
[[nodiscard]] CountedEntries counted_entries(const io::JsonValue& report);

/// How a composed report names it.
[[nodiscard]] ReportPart report_part(const io::JsonValue& report, const Record& record);

/// Throws `input_error`, naming the files, unless all protect the same and are about the same
/// teachers: their number is the same, and files are connected by votes, events or a ledger that
/// they share, or `same_teachers` vouches for them; and unless beside a number that counts entries
/// of a ledger there are the events of these.
void check_addable(const std::vector<NamedRecord>& records, bool same_teachers);

}  // namespace pate::reports
