#pragma once

#include <string>
#include <vector>

#include "cli/options/command_line.hpp"

namespace pate::cli {

// What help and completion ask of the definition of an option.

/// Its words, where it takes one of some; else null.
[[nodiscard]] const Choice* choice_of(const CommandLine::Option& option);

/// Whether it takes no value.
[[nodiscard]] bool is_flag(const CommandLine::Option& option);

[[nodiscard]] bool takes_file(const CommandLine::Option& option);

/// "-o" of "-o,--output"; "" where there is none.
[[nodiscard]] std::string short_name(const CommandLine::Option& option);

/// The options of a command without its positional ones.
[[nodiscard]] std::vector<const CommandLine::Option*> named_options(const Command& command);

}  // namespace pate::cli
