#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "pate/accounting/report.hpp"

namespace pate::cli {

// How summaries show mechanisms and costs.

/// The aggregator and its parameters.
[[nodiscard]] std::string mechanism_line(const Aggregator& aggregator);

/// What a cost is worth, in a few words.
[[nodiscard]] std::string_view worth(const CostEntry& cost);

/// Four decimals, or three digits where that says little, rounded up: also a number for people must
/// not be too small.
[[nodiscard]] std::string epsilon_text(double epsilon);

/// The line "epsilon = ... at delta = ..." about the headline, its first
/// half bold where `colour`.
[[nodiscard]] std::string headline_line(const CostEntry& headline, bool colour);

/// What a summary ends with: the line about the headline, the table of costs, the notices.
[[nodiscard]] std::string costs_and_notices(std::span<const CostEntry> costs, std::size_t headline,
                                            std::span<const Notice> notices, bool colour);

/// A line of column names and one for each cost, the headline marked by a star.
[[nodiscard]] std::string cost_table(std::span<const CostEntry> costs, std::size_t headline);

}  // namespace pate::cli
