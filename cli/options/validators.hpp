#pragma once

#include <CLI/CLI.hpp>

namespace pate::cli {

/// A value that must not be empty: an unset variable of a shell script is no way to leave an option
/// out.
[[nodiscard]] CLI::Validator not_empty();

/// A whole number as people write it, without sign: digits, no leading zero (which would be read as
/// octal) and no other base.
[[nodiscard]] CLI::Validator decimal();

}  // namespace pate::cli
