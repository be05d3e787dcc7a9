#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/options/mechanism.hpp"
#include "cli/options/output.hpp"
#include "cli/options/privacy.hpp"
#include "cli/options/votes_input.hpp"
#include "cli/streams.hpp"
#include "pate/io/descriptor.hpp"
#include "pate/sampling/bit_source.hpp"

namespace pate::cli {

/// `pate label VOTES`: runs the aggregator and writes the labels the student may see.
struct LabelOptions {
  VotesInputOptions input;
  MechanismOptions mechanism;
  std::string labels;
  std::optional<double> reinforce_above;
  std::optional<std::int64_t> max_answers;
  std::optional<double> max_epsilon;
  std::optional<double> order;
  double delta = 0.0;
  std::string ledger;
  unsigned threads = 0;
  OutputOptions output;
};

/// Describes the command line; no I/O.
void add_label(CommandLine& line, LabelOptions& options);

/// Runs the command, with noise from the operating system, and returns its exit status. Errors are
/// thrown.
///
/// What becomes visible does so last: everything is computed first, then the ledger gets its entry
/// and it is on the disk, then the labels appear, whole, then the report.
[[nodiscard]] int run_label(const LabelOptions& options, const Streams& streams);

/// The same with noise from `source`, and interrupted at `points`: for tests.
[[nodiscard]] int run_label(const LabelOptions& options, const Streams& streams, BitSource& source,
                            const WritePoints& points);

}  // namespace pate::cli
