#pragma once

#include <iosfwd>

namespace pate::cli {

/// Where a command writes: results to `out`, words for people to `err`.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;  ///< on those of the two that are terminals

  [[nodiscard]] bool out_colour() const { return out_is_terminal && colour; }
  [[nodiscard]] bool err_colour() const { return err_is_terminal && colour; }
};

}  // namespace pate::cli
