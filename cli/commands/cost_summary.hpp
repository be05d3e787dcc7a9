#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "cli/options/output.hpp"
#include "pate/accounting/report.hpp"

namespace pate::cli {

/// What a person is shown of costs: with `--format` their table, with `--statement` what is
/// guaranteed in words, else the summary.
[[nodiscard]] std::string costs_for_people(const OutputOptions& options, const Guarantee& guarantee,
                                           std::span<const CostEntry> costs, std::string summary);

/// All costs as a table: epsilon, delta, what they are, whether they may be published.
[[nodiscard]] std::string cost_table(std::span<const CostEntry> costs, TableFormat format);

/// What a summary ends with: the line about the headline, the costs (`all`, or the few that a
/// person wants), the notices. `of_plan` is which of a plan the papers would print.
[[nodiscard]] std::string costs_and_notices(std::span<const CostEntry> costs, std::size_t headline,
                                            std::span<const Notice> notices, bool colour, bool all,
                                            std::optional<EpsilonMethod> of_plan = std::nullopt);

/// Two decimals, none from 1000 on, and a dash for none.
[[nodiscard]] std::string order_text(const std::optional<double>& order);

}  // namespace pate::cli
