#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/streams.hpp"
#include "pate/accounting/report.hpp"

namespace pate::cli {

/// Where the report goes and what a person sees.
struct OutputOptions {
  std::string output;
  bool json = false;
  bool summary = false;
  bool quiet = false;
};

void add_output_options(CLI::App& command, OutputOptions& options);

/// Throws `usage_error` when the output is one of the inputs or options contradict each other.
void check_output_options(const OutputOptions& options, const std::vector<std::string>& inputs);

/// Puts out a finished report: to the file of -o, atomically, or to standard output; the summary on
/// a terminal or when asked for; notices to standard error where no summary shows them.
void deliver_report(const OutputOptions& options, std::string_view json, std::string_view summary,
                    const std::vector<Notice>& notices, const Streams& streams);

}  // namespace pate::cli
