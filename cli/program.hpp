#pragma once

#include <string>
#include <vector>

#include "cli/streams.hpp"

namespace pate::cli {

/// The whole program: parses the arguments (the first is the name it was called by, where
/// "pate-analyze" stands for "pate analyze"), runs the command and turns errors into messages on
/// `streams.err` and an exit status. Never throws, never exits.
[[nodiscard]] int run_program(const std::vector<std::string>& arguments, const Streams& streams);

}  // namespace pate::cli
