#pragma once

#include <optional>
#include <string>

#include "pate/base/json.hpp"
#include "pate/events/drawn_numbers.hpp"
#include "pate/events/event.hpp"
#include "pate/reports/fields.hpp"

namespace pate::reports {

/// An event as a JSON object: what everybody may know of it, and under `private` what depends on
/// the votes. The reader throws `input_error` naming file and field for what is missing, malformed
/// or does not fit: numbers of queries that do not add up, groups that are no votes of the
/// teachers, facts that another kind of event has. Values of facts are taken as they are told.
void fields(FieldWriter& a, const Event& event);
void fields(FieldReader& a, Event& event);

/// The member `record` of a report: {"schema": "pate/record/v1", "events": [...]}.
void write_record(FieldWriter& report, const Record& record);

/// The member `ledger_total` of a report: what everything in its ledger costs together; none
/// without a ledger.
void write_ledger_total(FieldWriter& report, const std::optional<ToldEpsilon>& total);
[[nodiscard]] Record read_record(const io::JsonValue& record);

/// 128 random bits as 32 hexadecimal digits: what tells an event from all others.
[[nodiscard]] std::string new_event_id();

}  // namespace pate::reports
