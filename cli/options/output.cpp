#include "cli/options/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <system_error>

#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/metrics.hpp"
#include "cli/options/output_files.hpp"
#include "cli/text.hpp"
#include "pate/base/atomic_file.hpp"
#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
#include "pate/reports/ledger.hpp"

namespace pate::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStandardOutput = "-";
constexpr const char* kOutput = "--output";

void check_directory(const std::string& file) {
  const auto fail = [&](const std::string& why) {
    throw output_error(fmt::format("{}: cannot be written: {}", file, why));
  };
  std::error_code failure;
  const fs::path directory = fs::path(file).parent_path();
  const fs::file_status status = fs::status(directory.empty() ? "." : directory, failure);
  if (status.type() == fs::file_type::not_found || (!failure && !fs::is_directory(status))) {
    fail(fmt::format("{} is no directory", directory.string()));
  }
  if (failure) fail(failure.message());
  const fs::file_type type = fs::symlink_status(file, failure).type();
  if (type == fs::file_type::not_found) {
    // A new file: where none can be made, all the work would be in vain.
    const char* const parent = directory.empty() ? "." : directory.c_str();
    if (::faccessat(AT_FDCWD, parent, W_OK | X_OK, AT_EACCESS) != 0) {
      fail(std::generic_category().message(errno));
    }
  } else if (failure) {
    fail(failure.message());
  }
}

bool holds_ledger(const std::string& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return false;
  std::array<char, 64> beginning{};
  std::ifstream(file, std::ios::binary).read(beginning.data(), beginning.size());
  return reports::is_ledger({beginning.data(), beginning.size()});
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
  output.add("-o,--output FILE", options.output,
             "write the JSON report to this file; - is standard output", unrecorded);
  output.add("--json", options.json, "write JSON to standard output, also on a terminal",
             unrecorded);
  output.add("--summary", options.summary, "write the summary to standard output", unrecorded);
  output.add("--quiet", options.quiet, "omit the summary and all notices; print errors only",
             unrecorded);
  add_progress(output, options.progress);
}

void add_progress(const Section& section, ProgressWhen& progress) {
  section.add("--progress WHEN", progress, {ProgressWhen::terminal, ProgressWhen::never},
              "show progress: auto (on a terminal, without --quiet) or never", {.recorded = false});
}

void add_all(CommandLine& line, OutputOptions& options) {
  line.section("Output").add("--all", options.all, "list every cost in the summary",
                             {.recorded = false});
}

void add_statement(CommandLine& line, OutputOptions& options) {
  line.section("Output").add("--statement", options.statement, "print only the guarantee, in words",
                             {.recorded = false});
}

void add_format(CommandLine& line, OutputOptions& options, const char* what) {
  line.section("Output").add(
      "--format FORMAT", options.format,
      {TableFormat::csv, TableFormat::markdown, TableFormat::latex},
      fmt::format("write {} as a table to standard output: csv, markdown or latex", what),
      {.recorded = false});
}

std::string for_people(const OutputOptions& options, const Guarantee& guarantee,
                       std::string summary) {
  return options.statement ? statement_of(guarantee) : std::move(summary);
}

void add_metrics(CommandLine& line, OutputOptions& options) {
  line.section("Output").add(
      "--metrics", options.metrics,
      "write a few numbers of the report as flat JSON to standard output, for trackers of "
      "experiments: epsilon, delta, guaranteed, answered, agreement, releasable_epsilon, "
      "ledger_epsilon, ledger_delta, ledger_guaranteed, holds",
      {.recorded = false});
}

void add_public_only(CommandLine& line, OutputOptions& options) {
  line.section("Output").add("--public-only", options.public_only,
                             "write only what may be published", {.recorded = false});
}

void check_destinations(const std::vector<Destination>& destinations,
                        const std::vector<std::string>& inputs) {
  std::vector<Destination> earlier{{"standard output", "/dev/stdout"}};
  for (const Destination& destination : destinations) {
    const auto& [option, file] = destination;
    if (file.empty()) continue;
    if (file == kStandardOutput) {
      if (option == std::string_view(kOutput)) continue;
      throw usage_error(fmt::format("{} - is no file; name one (-o - is standard output)", option));
    }
    check_directory(file);
    earlier.push_back(destination);
    if (option != std::string_view("--ledger")) remember_output(file);
  }
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    const auto& [option, file] = earlier[i];
    const std::string named = i == 0 ? option : fmt::format("{} {}", option, file);
    for (const std::string& input : inputs) {
      if (!input.empty() && io::same_file(file, input == "-" ? "/dev/stdin" : input)) {
        throw usage_error(fmt::format("{} is an input ({}); name another file", named, input));
      }
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (!io::same_file(file, earlier[k].second)) continue;
      throw usage_error(
          fmt::format("{} is the file of {}; name another file", named, earlier[k].first));
    }
    if (i > 0 && option != std::string_view("--ledger") && holds_ledger(file)) {
      throw usage_error(fmt::format("{} is a ledger; name another file", named));
    }
  }
}

void check_output_options(const OutputOptions& options, const std::vector<std::string>& inputs,
                          const std::vector<Destination>& others) {
  const bool to_stdout = options.output == kStandardOutput;
  refuse((options.json || to_stdout) && options.summary,
         "{} and --summary exclude each other; use -o FILE with --summary",
         to_stdout ? "-o -" : "--json");
  refuse(options.quiet && options.summary, "--quiet and --summary exclude each other");
  refuse(options.metrics &&
             (options.json || to_stdout || options.summary || options.statement || options.format),
         "--metrics puts out a few numbers instead of the report: leave out --json, --summary, "
         "--statement, --format and -o -; -o FILE has the report");
  refuse(options.format && (options.json || to_stdout || options.summary || options.statement),
         "--format puts out a table instead of the report: leave out --json, --summary, "
         "--statement and -o -; -o FILE has the report");
  constexpr std::array<std::string_view, 3> kTables{".csv", ".md", ".tex"};
  if (options.format && std::ranges::any_of(kTables, [&](std::string_view ending) {
        return options.output.ends_with(ending);
      })) {
    throw usage_error(
        fmt::format("-o {0} would get the report, which is JSON: the table of --format goes to "
                    "standard output, > {0}",
                    options.output));
  }
  refuse(options.statement && (options.json || to_stdout || options.summary || options.quiet),
         "--statement is put out instead of the report: leave out --json, --summary, --quiet and "
         "-o -; -o FILE has the report");
  const bool needs_stdout = options.output.empty() || to_stdout || options.json ||
                            options.summary || options.statement || options.format ||
                            options.metrics;
  if (needs_stdout && standard_output_is_closed()) {
    throw output_error("standard output: cannot write: it is closed");
  }
  begin_outputs(options.quiet);
  std::vector<Destination> all{{kOutput, options.output}};
  all.insert(all.end(), others.begin(), others.end());
  check_destinations(all, inputs);
}

void write_output(const std::string& path, std::string_view bytes, const Streams& streams,
                  io::Readers readers) {
  if (path == kStandardOutput) return write(streams.out, bytes);
  write_output_file(path, bytes, streams, readers);
}

void deliver_report(const OutputOptions& options, std::string_view json, std::string_view summary,
                    const std::vector<Notice>& notices, const Streams& streams, bool is_public,
                    std::optional<double> agreement) {
  const bool as_json = options.json || options.output == kStandardOutput;
  const bool to_file = !options.output.empty() && options.output != kStandardOutput;
  if (to_file) {
    write_output(options.output, json, streams, readers_of(is_public || options.public_only));
  }
  if (options.metrics) {
    write(streams.out, metrics_of(json, agreement));
    return;
  }
  const bool show_summary = options.summary || options.statement || options.format ||
                            (streams.out_is_terminal && !as_json && !options.quiet);
  if (show_summary) {
    write(streams.out, for_terminal(with_notes_broken(summary, streams.out_columns)));
    if (to_file)
      streams.err << "report: " << io::printable(options.output, 4096, io::Letters::any) << '\n';
    // A table has no room for them.
    if (!options.format) return;
  }
  if (!show_summary && (as_json || (!to_file && !streams.out_is_terminal))) {
    write(streams.out, json);
  }
  if (options.quiet) return;
  for (const Notice& notice : notices) {
    const std::string message = in_one_line(notice.message);
    streams.err << (streams.err_is_terminal
                        ? paragraph("pate: note: ", message, streams.err_columns)
                        : fmt::format("pate: note: {}\n", message));
  }
}

bool may_tell_numbers(const OutputOptions& options, const Streams& streams) {
  return streams.err_is_terminal && !options.quiet;
}

int report_missed(const std::vector<std::string>& missed, const Streams& streams) {
  for (const std::string& message : missed) {
    streams.err << alarming("pate: limit missed:", streams.err_colour()) << ' '
                << in_one_line(message) << '\n';
  }
  return missed.empty() ? kDone : kLimitMissed;
}

}  // namespace pate::cli
