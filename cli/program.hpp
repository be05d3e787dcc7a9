#pragma once

#include <string>
#include <vector>

#include "cli/streams.hpp"

namespace pate::cli {

/// The whole program: parses the arguments (the first is the name it was called by, where
/// "pate-analyze" stands for "pate analyze"), runs the command and turns errors into messages on
/// `streams.err` and an exit status. Never throws, never exits.
[[nodiscard]] int run_program(const std::vector<std::string>& arguments, const Streams& streams);

/// Makes a lack of memory that nobody can be told of, because a destructor met it, end the program
/// like any other lack of memory: with one line on standard error, status `kBadInput` and no
/// temporary files left behind. Any other `std::terminate` ends it as ever. For `main`.
void end_cleanly_without_memory();

}  // namespace pate::cli
