#pragma once

#include <vector>

#include "cli/streams.hpp"
#include "pate/accounting/report.hpp"
#include "pate/tuning/tune.hpp"

namespace pate::cli {

/// What a reader must know to read a tuning right.
[[nodiscard]] std::vector<Notice> tune_notices(const Tuning& tuning, const TuneSettings& settings);

/// Tells which points come nearest where none keeps the limits; the exit status.
[[nodiscard]] int report_tune_misses(const Tuning& tuning, const Streams& streams);

}  // namespace pate::cli
