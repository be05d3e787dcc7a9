#pragma once

#include <string>
#include <vector>

#include "cli/options/command_line.hpp"
#include "cli/options/output.hpp"
#include "pate/events/event.hpp"
#include "pate/events/record_entries.hpp"

namespace pate::cli {

/// Files for other accountants; "" is none.
struct ExportOptions {
  std::string rdp;  ///< CSV of order,rdp
  std::string pld;  ///< JSON, pate/pld/v1

  [[nodiscard]] bool any() const { return !rdp.empty() || !pld.empty(); }
  [[nodiscard]] std::vector<Destination> destinations() const {
    return {{"--export-rdp", rdp}, {"--export-pld", pld}};
  }
};

void add_export_options(CommandLine& line, ExportOptions& options);

/// Writes what is behind the cost that a report puts first, of all its events as one mechanism:
/// each file whole, and none where one of them cannot be made. New files are readable by their
/// owner alone unless the cost may be published. Throws `input_error` where the cost is none that
/// others can go on with (record_exports.hpp).
void write_exports(const ExportOptions& options, const Record& record, const CostEntry& headline,
                   const RecordSettings& settings, const Streams& streams);

}  // namespace pate::cli
