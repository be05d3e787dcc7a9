#pragma once

#include <span>
#include <string>

#include "cli/options/command_line.hpp"

namespace pate::cli {

/// Reads the words after the name of a command into the targets of its options. Throws
/// `usage_error` with the hint for a value that an option cannot have, for one that is missing, and
/// for a word that belongs to none.
void read_options(const CommandLine& line, std::span<const std::string> words,
                  const std::string& hint);

}  // namespace pate::cli
