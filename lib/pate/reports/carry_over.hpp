#pragma once

#include <string>
#include <string_view>

#include "pate/base/json.hpp"
#include "pate/events/event.hpp"

namespace pate::reports {

// Reports and lines of ledgers that were written before there were records. Nothing of them is
// lost, or they are refused with what to do.

/// The events of a report without a record. What happened has an id made of the file's digest, so
/// that the same file is one event; an entry in a ledger about it is another. Throws `input_error`
/// naming file and field; of sums, which do not say what they added, naming their parts.
[[nodiscard]] Record carry_over_report(const io::JsonValue& report);

/// The event of a line `pate/ledger/v2`: `line` is its text, `json` the same as a document;
/// `before` are the events of the lines before, by their numbers.
struct NumberedEvent {
  std::int64_t line = 0;
  Event event;
};
[[nodiscard]] Event carry_over_line(const io::JsonValue& json, std::string_view line,
                                    const std::vector<NumberedEvent>& before);

}  // namespace pate::reports
