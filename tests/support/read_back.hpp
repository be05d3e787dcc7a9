#pragma once

#include <functional>
#include <string>

#include "pate/base/error.hpp"
#include "pate/events/event.hpp"
#include "pate/reports/record_json.hpp"

namespace pate::test {

/// What reading a file says that has an event as it is written, with its text edited; empty:
/// nothing.
inline std::string refusal_of(const Event& event,
                              const std::function<void(std::string&)>& edit = {}) {
  reports::FieldWriter report;
  reports::write_record(report, {event});
  std::string text = report.text();
  if (edit) edit(text);
  try {
    const io::JsonValue json = io::JsonValue::parse(text, "run.json");
    (void)reports::read_record(json.at("record"));
  } catch (const input_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace pate::test
