#include "cli/options/exports.hpp"

#include <algorithm>

#include "pate/events/record_exports.hpp"
#include "pate/mechanisms/supports.hpp"
#include "pate/reports/exports.hpp"
#include "pate/reports/rdp_curve.hpp"

namespace pate::cli {

void add_export_options(CommandLine& line, ExportOptions& options) {
  const Section output = line.section("Output");
  const Traits unrecorded{.recorded = false};
  output.add("--export-rdp FILE", options.rdp,
             "write the Renyi DP behind the cost that is reported first, for other accountants: "
             "CSV, order,rdp",
             unrecorded);
  output.add("--export-pld FILE", options.pld,
             "write the privacy loss distribution behind it: JSON, a grid of losses with their "
             "probabilities, never below the truth",
             unrecorded);
}

void write_exports(const ExportOptions& options, const Record& record, const CostEntry& headline,
                   const RecordSettings& settings, const Streams& streams) {
  if (!options.any()) return;
  for (const Event& event : record) require(Asked::exports, event.open.neighbours());
  std::string rdp;
  std::string pld;
  if (!options.rdp.empty()) {
    const RecordRdp curve = record_rdp(record, headline, settings);
    rdp = reports::rdp_curve_csv(curve.orders, curve.rdp);
  }
  if (!options.pld.empty()) {
    const bool records =
        std::ranges::any_of(record, [](const Event& event) { return event.open.protects_records; });
    pld = reports::losses_json(record_losses(record, headline, settings), headline, records,
                               version());
  }
  const io::Readers readers = readers_of(headline.releasable);
  if (!rdp.empty()) write_output(options.rdp, rdp, streams, readers);
  if (!pld.empty()) write_output(options.pld, pld, streams, readers);
}

}  // namespace pate::cli
