#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pate::cli {

/// A file that will be written: what the command line calls it, and its path; "" is none.
using Destination = std::pair<const char*, std::string>;

/// What can be told before the work begins, so that it is not done in vain: throws `output_error`
/// where a destination's directory does not exist, `usage_error` where two destinations are the
/// same file or one is an input.
void check_destinations(const std::vector<Destination>& destinations,
                        const std::vector<std::string>& inputs);

}  // namespace pate::cli
