#pragma once

#include <cstdint>
#include <optional>

#include "pate/events/event.hpp"

namespace pate {

/// How much was asked and answered in a record.
struct RecordAnswers {
  std::optional<std::int64_t> teachers, classes;  ///< none without votes, or where they differ
  std::int64_t queries = 0;
  std::optional<double> answered_expected;  ///< none where an event does not tell
  double answered_sd = 0.0;
  std::optional<std::int64_t> answered_realized;
};

/// Adds up the queries and answers of a record. A release is not counted: its run is told
/// elsewhere, or is not in the record.
[[nodiscard]] RecordAnswers answers_of(const Record& record);

}  // namespace pate
