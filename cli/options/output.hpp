#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/command_line.hpp"
#include "cli/options/table.hpp"
#include "cli/streams.hpp"
#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/report.hpp"
#include "pate/base/atomic_file.hpp"
#include "pate/reports/audience.hpp"

namespace pate::cli {

/// The version of the program, "1.0.0".
[[nodiscard]] std::string version();

/// Where the report goes and what a person sees.
struct OutputOptions {
  std::string output;  ///< "-" is standard output
  bool json = false;
  bool summary = false;
  bool quiet = false;
  bool statement = false;             ///< where the command has the option
  bool public_only = false;           ///< where the command has the option
  bool all = false;                   ///< where the command has the option
  bool metrics = false;               ///< where the command has the option
  std::optional<TableFormat> format;  ///< where the command has the option
  ProgressWhen progress = ProgressWhen::terminal;

  [[nodiscard]] reports::Audience audience() const {
    return public_only ? reports::Audience::everybody : reports::Audience::owner;
  }
};

/// `--statement`, of commands whose report promises something.
void add_statement(CommandLine& line, OutputOptions& options);

/// `--format`, of commands that have a table of `what`.
void add_format(CommandLine& line, OutputOptions& options, const char* what);

/// What a person is shown: with `--statement` what is guaranteed in words, else the summary.
[[nodiscard]] std::string for_people(const OutputOptions& options, const Guarantee& guarantee,
                                     std::string summary);

/// `--metrics`, of commands whose report has a headline (metrics.hpp).
void add_metrics(CommandLine& line, OutputOptions& options);

/// `--public-only`, of commands that know what may be published.
void add_public_only(CommandLine& line, OutputOptions& options);

void add_output_options(CommandLine& line, OutputOptions& options);

/// `--progress`.
void add_progress(const Section& section, ProgressWhen& progress);

/// `--all`, of commands whose summary shows some of the costs.
void add_all(CommandLine& line, OutputOptions& options);

/// A file that will be written: what the command line calls it, and its path; "" is none.
using Destination = std::pair<const char*, std::string>;

/// What can be told before the work begins, so that nothing is lost and no work done in vain:
/// throws `output_error` where a destination's directory does not exist, `usage_error` where two
/// destinations are the same file (links followed, also those that dangle) or one is an input,
/// or replaces a file that is a ledger.
/// Standard output is always one of the destinations. Ledgers are named as destinations.
void check_destinations(const std::vector<Destination>& destinations,
                        const std::vector<std::string>& inputs);

/// The same with the file of -o, before `others`; throws `usage_error` too where options contradict
/// each other.
void check_output_options(const OutputOptions& options, const std::vector<std::string>& inputs,
                          const std::vector<Destination>& others = {});

/// Who may read what is put out: whoever the umask lets where nothing of it tells of votes.
[[nodiscard]] constexpr io::Readers readers_of(bool is_public) {
  return is_public ? io::Readers::by_umask : io::Readers::owner;
}

/// Writes a file, atomically, or standard output where the path is "-".
void write_output(const std::string& path, std::string_view bytes, const Streams& streams,
                  io::Readers readers);

/// Puts out a finished report: to the file of -o, atomically, or to standard output; the summary on
/// a terminal or when asked for, with the notes in it broken to the width; notices to standard
/// error where no summary shows them, broken on a terminal only. A new file is readable by its
/// owner alone, unless --public-only is given or the report `is_public`, as no votes are in it.
/// With --metrics some numbers of the report take the place of the summary; `agreement` is the one
/// that the report has not.
void deliver_report(const OutputOptions& options, std::string_view json, std::string_view summary,
                    const std::vector<Notice>& notices, const Streams& streams,
                    bool is_public = false, std::optional<double> agreement = {});

/// Whether what goes to standard error may have numbers that depend on the votes: on a terminal,
/// for who sits there, and not with --quiet. Elsewhere it may well be the log of a build that many
/// read.
[[nodiscard]] bool may_tell_numbers(const OutputOptions& options, const Streams& streams);

/// Tells what of the limits on the command line does not hold, and returns the exit status.
[[nodiscard]] int report_missed(const std::vector<std::string>& missed, const Streams& streams);

}  // namespace pate::cli
