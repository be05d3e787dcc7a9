#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/command_line.hpp"
#include "cli/streams.hpp"
#include "pate/accounting/report.hpp"

namespace pate::cli {

/// The version of the program, "0.1.0".
[[nodiscard]] std::string version();

/// Where the report goes and what a person sees.
struct OutputOptions {
  std::string output;
  bool json = false;
  bool summary = false;
  bool quiet = false;
};

void add_output_options(CommandLine& line, OutputOptions& options);

/// Throws `usage_error` when the output is one of the inputs or options contradict each other.
void check_output_options(const OutputOptions& options, const std::vector<std::string>& inputs);

/// A file that will be written: what the command line calls it, and its path; "" is none.
using Destination = std::pair<const char*, std::string>;

/// What can be told before the work begins, so that it is not done in vain: throws `output_error`
/// where a destination's directory does not exist, `usage_error` where two destinations are the
/// same file or one is an input.
void check_destinations(const std::vector<Destination>& destinations,
                        const std::vector<std::string>& inputs);

/// Puts out a finished report: to the file of -o, atomically, or to standard output; the summary on
/// a terminal or when asked for; notices to standard error where no summary shows them.
void deliver_report(const OutputOptions& options, std::string_view json, std::string_view summary,
                    const std::vector<Notice>& notices, const Streams& streams);

/// Tells what of the limits on the command line does not hold, and returns the exit status.
[[nodiscard]] int report_missed(const std::vector<std::string>& missed, const Streams& streams);

}  // namespace pate::cli
