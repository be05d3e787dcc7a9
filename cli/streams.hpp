#pragma once

#include <iosfwd>

namespace pate::cli {

/// Where a command writes: results to `out`, words for people to `err`.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
};

}  // namespace pate::cli
