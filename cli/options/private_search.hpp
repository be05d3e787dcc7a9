#pragma once

#include <string>

#include "cli/options/tuning.hpp"
#include "pate/tuning/private_search.hpp"

namespace pate::cli {

/// "geometric:10", "poisson:10" or "logarithmic:10": how many tries `--account` draws. Throws
/// `usage_error` for anything else.
[[nodiscard]] NumberOfTries parse_tries(const std::string& text);

/// What `--account` chooses by. Throws `usage_error` for options that it cannot go with: what
/// depends on the votes, and what a try does not have.
[[nodiscard]] TryScore check_private_search(const TuningOptions& options, bool has_labels);

}  // namespace pate::cli
