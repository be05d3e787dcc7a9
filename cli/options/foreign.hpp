#pragma once

#include <string>
#include <vector>

#include "cli/options/command_line.hpp"
#include "pate/events/event.hpp"

namespace pate::cli {

/// What others did on the same data and say how private it is. Every text is NAME=VALUE: the names
/// are different ones, and each has a source.
struct ForeignOptions {
  std::vector<std::string> rdp;          ///< NAME=FILE, a CSV of order,rdp
  std::vector<std::string> approximate;  ///< NAME=EPSILON,DELTA
  std::vector<std::string> gaussian_mu;  ///< NAME=MU
  std::vector<std::string> zcdp;         ///< NAME=RHO or NAME=XI,RHO
  std::vector<std::string> source;       ///< NAME=TEXT

  [[nodiscard]] bool any() const {
    return !(rdp.empty() && approximate.empty() && gaussian_mu.empty() && zcdp.empty() &&
             source.empty());
  }
};

void add_foreign_options(CommandLine& line, ForeignOptions& options);

/// The files that they name.
[[nodiscard]] std::vector<std::string> foreign_files(const ForeignOptions& options);

/// The events that they tell of. Throws `usage_error` for what is not NAME=VALUE, for a name that
/// is there twice, that has no source or is told of by a source alone, and for values that are no
/// such numbers; `input_error` for a file that holds no curve.
[[nodiscard]] Record foreign_events(const ForeignOptions& options);

}  // namespace pate::cli
