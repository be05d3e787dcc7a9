#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace pate::cli {

/// Where a command writes: results to `out`, words for people to `err`.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;                             ///< on those of the two that are terminals
  std::size_t out_columns = 80, err_columns = 80;  ///< their widths, or what is none's
  bool progress = true;  ///< whether work tells on a terminal how far it is

  [[nodiscard]] bool out_colour() const { return out_is_terminal && colour; }
  [[nodiscard]] bool err_colour() const { return err_is_terminal && colour; }
};

/// Makes standard input, output and error open: what was closed gets a descriptor that can be
/// neither read nor written (the system says EBADF, as of a closed one), so that no file which is
/// opened later takes its number and gets what is meant for the stream. For `main`, before anything
/// else. False where the system has no descriptor left.
[[nodiscard]] bool hold_standard_streams();

/// Whether the program was started without a standard output that can be written.
[[nodiscard]] bool standard_output_is_closed();

/// Whether a terminal may be written to in colour: not where the environment variable NO_COLOR is
/// set to anything (no-color.org) or TERM is "dumb" or missing.
[[nodiscard]] bool colour_wanted();

/// How many columns the terminal behind a file descriptor has; 80 where there is none, or it does
/// not say.
[[nodiscard]] std::size_t columns_of(int descriptor);

// What begins and ends these styles.
inline constexpr std::string_view kBold = "\x1b[1m";
inline constexpr std::string_view kAlarming = "\x1b[1;31m";
inline constexpr std::string_view kPlain = "\x1b[0m";

/// The text in bold where `on`, as it is otherwise. What a reader looks for first.
[[nodiscard]] std::string bold(std::string_view text, bool on);
/// The text in bold red where `on`. What went wrong.
[[nodiscard]] std::string alarming(std::string_view text, bool on);

}  // namespace pate::cli
