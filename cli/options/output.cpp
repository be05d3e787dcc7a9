#include "cli/options/output.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "cli/exit_status.hpp"
#include "pate/error.hpp"
#include "pate/io/atomic_file.hpp"

namespace pate::cli {

namespace {

namespace fs = std::filesystem;

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code a_unknown;
  std::error_code b_unknown;
  // Absolute first: of a relative path without an existing beginning nothing is made canonical.
  const bool same = fs::weakly_canonical(fs::absolute(a), a_unknown) ==
                    fs::weakly_canonical(fs::absolute(b), b_unknown);
  if (!a_unknown && !b_unknown && same) return true;
  return fs::equivalent(a, b, a_unknown);
}

void check_directory(const std::string& file) {
  const fs::path directory = fs::path(file).parent_path();
  std::error_code ignored;
  if (directory.empty() || fs::is_directory(directory, ignored)) return;
  throw output_error(
      fmt::format("{}: cannot be written: {} is no directory", file, directory.string()));
}

void write(std::ostream& stream, std::string_view text) {
  stream << text << std::flush;
  if (!stream) throw output_error("standard output: cannot write");
}

}  // namespace

std::string version() {
  return PATE_VERSION;
}

void add_output_options(CommandLine& line, OutputOptions& options) {
  const Section output = line.section("Output");
  const Traits unrecorded{.recorded = false};
  output.add("-o,--output FILE", options.output, "write the JSON report to this file", unrecorded);
  output.add("--json", options.json, "JSON on standard output, also on a terminal", unrecorded);
  output.add("--summary", options.summary, "the summary for people on standard output", unrecorded);
  output.add("--quiet", options.quiet, "no summary and no notices; errors only", unrecorded);
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
    if (fs::equivalent(options.output, input, ignored)) {
      throw usage_error(
          fmt::format("--output {} is an input ({}); name another file", options.output, input));
    }
  }
}

void check_destinations(const std::vector<Destination>& destinations,
                        const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const auto& [option, file] = destinations[i];
    if (file.empty()) continue;
    check_directory(file);
    for (const std::string& input : inputs) {
      if (same_file(file, input)) {
        throw usage_error(
            fmt::format("{} {} is an input ({}); name another file", option, file, input));
      }
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (!destinations[k].second.empty() && same_file(file, destinations[k].second)) {
        throw usage_error(fmt::format("{} {} is the file of {}; name another file", option, file,
                                      destinations[k].first));
      }
    }
  }
}

void deliver_report(const OutputOptions& options, std::string_view json, std::string_view summary,
                    const std::vector<Notice>& notices, const Streams& streams) {
  const bool to_file = !options.output.empty();
  if (to_file) io::write_file_atomically(options.output, json);
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

int report_missed(const std::vector<std::string>& missed, const Streams& streams) {
  for (const std::string& message : missed) {
    streams.err << alarming("pate: limit missed:", streams.err_colour()) << ' ' << message << '\n';
  }
  return missed.empty() ? kDone : kLimitMissed;
}

}  // namespace pate::cli
