#pragma once

#include <fmt/format.h>

#include <string_view>

#include "cli/exit_status.hpp"

namespace pate::cli {

/// Throws `usage_error` with the text, filled with the values, where `found`.
template <class... Values>
void refuse(bool found, fmt::format_string<const Values&...> text, const Values&... values) {
  if (found) throw usage_error(fmt::format(text, values...));
}

/// Refuses options beside one that excludes them.
class Exclusions {
 public:
  /// by: what excludes them, as "--solve".
  explicit Exclusions(std::string_view by) : by_(by) {}

  /// Throws `usage_error` where an option is given. what: its name, and behind a colon why.
  void operator()(bool given, std::string_view what) const {
    refuse(given, "{} excludes {}", by_, what);
  }

 private:
  std::string_view by_;
};

}  // namespace pate::cli
