#include "cli/options/output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "cli/options/validators.hpp"
#include "cli/usage_error.hpp"
#include "pate/error.hpp"
#include "pate/io/atomic_file.hpp"

namespace pate::cli {

namespace {

void write(std::ostream& stream, std::string_view text) {
  stream << text << std::flush;
  if (!stream) throw output_error("standard output: cannot write");
}

}  // namespace

void add_output_options(CLI::App& command, OutputOptions& options) {
  const std::string group = "Output";
  command.add_option("-o,--output", options.output, "write the JSON report to this file")
      ->check(not_empty())
      ->type_name("FILE")
      ->group(group);
  command.add_flag("--json", options.json, "JSON on standard output, also on a terminal")
      ->group(group);
  command.add_flag("--summary", options.summary, "the summary for people on standard output")
      ->group(group);
  command.add_flag("--quiet", options.quiet, "no summary and no notices; errors only")
      ->group(group);
}

void check_output_options(const OutputOptions& options, const std::vector<std::string>& inputs) {
  if (options.json && options.summary) {
    throw usage_error("--json and --summary exclude each other; use -o FILE with --summary");
  }
  if (options.quiet && options.summary) {
    throw usage_error("--quiet and --summary exclude each other");
  }
  if (options.output.empty()) return;
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (std::filesystem::equivalent(options.output, input, ignored)) {
      throw usage_error(
          fmt::format("--output {} is an input ({}); name another file", options.output, input));
    }
  }
}

void deliver_report(const OutputOptions& options, std::string_view json, std::string_view summary,
                    const std::vector<Notice>& notices, const Streams& streams) {
  const bool to_file = !options.output.empty();
  if (to_file) write_file_atomically(options.output, json);
  const bool show_summary =
      options.summary || (streams.out_is_terminal && !options.json && !options.quiet);
  if (show_summary) {
    write(streams.out, summary);
    if (to_file) streams.err << "report: " << options.output << '\n';
    return;
  }
  if (options.json || (!to_file && !streams.out_is_terminal)) write(streams.out, json);
  if (options.quiet) return;
  for (const Notice& notice : notices) streams.err << "pate: note: " << notice.message << '\n';
}

}  // namespace pate::cli
