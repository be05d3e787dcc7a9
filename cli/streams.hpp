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

/// Whether a terminal may be written to in colour: not where the environment variable NO_COLOR is
/// set to anything (no-color.org) or TERM is "dumb" or missing.
[[nodiscard]] bool colour_wanted();

/// How many columns the terminal behind a file descriptor has; 80 where there is none, or it does
/// not say.
[[nodiscard]] std::size_t columns_of(int descriptor);

/// The text in bold where `on`, as it is otherwise. What a reader looks for first.
[[nodiscard]] std::string bold(std::string_view text, bool on);
/// The text in bold red where `on`. What went wrong.
[[nodiscard]] std::string alarming(std::string_view text, bool on);

}  // namespace pate::cli
