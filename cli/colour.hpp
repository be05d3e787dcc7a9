#pragma once

#include <string>
#include <string_view>

namespace pate::cli {

/// Whether a terminal may be written to in colour: not where the environment variable NO_COLOR is
/// set to anything (no-color.org) or TERM is "dumb" or missing.
[[nodiscard]] bool colour_wanted();

/// The text in bold where `on`, as it is otherwise. What a reader looks for first.
[[nodiscard]] std::string bold(std::string_view text, bool on);
/// The text in bold red where `on`. What went wrong.
[[nodiscard]] std::string alarming(std::string_view text, bool on);

}  // namespace pate::cli
