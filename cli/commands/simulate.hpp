#pragma once

#include <string>

#include "cli/options/command_line.hpp"
#include "cli/streams.hpp"
#include "pate/votes/simulate.hpp"

namespace pate::cli {

/// `pate simulate`: makes a plausible vote dump to try things on.
struct SimulateOptions {
  SimulationSettings ensemble;
  Layout layout = Layout::counts;
  std::string output;
  std::string labels_output;  ///< empty: the true classes are not written
  bool quiet = false;
};

/// Describes the command line of the command; no I/O.
void add_simulate(CommandLine& line, SimulateOptions& options);

/// Writes the votes (.npy, int64) to the file of -o, the true classes beside them when asked for,
/// and one line about it to standard error; returns the exit status. Nothing goes to standard
/// output.
///
/// Throws `usage_error` when both outputs are the same file, `parameter_error` for a parameter out
/// of its domain and a file of more than 8 GiB, `output_error` when a file cannot be written. The
/// same seed gives the same votes in every layout.
[[nodiscard]] int run_simulate(const SimulateOptions& options, const Streams& streams);

}  // namespace pate::cli
