#pragma once

#include <fmt/format.h>

#include <string_view>

#include "cli/exit_status.hpp"

namespace pate::cli {

/// Refuses options beside one that excludes them.
class Exclusions {
 public:
  /// by: what excludes them, as "--solve".
  explicit Exclusions(std::string_view by) : by_(by) {}

  /// Throws `usage_error` where an option is given. what: its name, and behind a colon why.
  void operator()(bool given, std::string_view what) const {
    if (given) throw usage_error(fmt::format("{} excludes {}", by_, what));
  }

 private:
  std::string_view by_;
};

}  // namespace pate::cli
