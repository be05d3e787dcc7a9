#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/options/command_line.hpp"

namespace pate::cli {

// What the definitions of the options say to people and shells. Texts are of 80 columns at most.

/// What `pate --help` prints: the commands and the exit statuses.
[[nodiscard]] std::string program_help(std::span<const Command> commands);

/// What `pate -h` prints: the commands, in 22 lines at most.
[[nodiscard]] std::string short_program_help(std::span<const Command> commands);

/// What `pate COMMAND --help` prints: usage, an example, the options by section with their
/// defaults, the exit statuses.
[[nodiscard]] std::string command_help(const Command& command);

/// What `pate COMMAND -h` prints, in 20 lines at most: usage, the example, what must be given, the
/// options of the example and where the result goes.
[[nodiscard]] std::string short_command_help(const Command& command);

/// What the help says of an option: its text, and what that does not say itself: that the option is
/// required, its words, its default.
[[nodiscard]] std::string option_text(const CommandLine::Option& option);

/// "--output" of "-o,--output"; of what comes without a name that is empty.
[[nodiscard]] std::string long_name(const CommandLine::Option& option);

/// Whether an option comes without a name: its place tells what it is.
[[nodiscard]] bool is_positional(const CommandLine::Option& option);

/// What `pate help --json` prints: every command with every option, for programs that call this
/// one: names, values, words, defaults, help.
[[nodiscard]] std::string option_definitions(std::span<const Command> commands);

/// The program's as a manual page.
[[nodiscard]] std::string program_manual(std::span<const Command> commands);

/// The same as a manual page (roff with the macros of man), without the text of the command's page.
[[nodiscard]] std::string manual_page(const Command& command);

/// A script that completes commands, options and their values in `shell`: "bash", "zsh" or "fish".
/// Throws `usage_error` for another.
[[nodiscard]] std::string completion_script(std::string_view shell,
                                            std::span<const Command> commands);

/// What `pate --version` prints; `verbose` adds the commit, the compiler and the libraries.
[[nodiscard]] std::string version_text(bool verbose);

}  // namespace pate::cli
