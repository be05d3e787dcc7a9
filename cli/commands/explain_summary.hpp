#pragma once

#include <string>

#include "pate/accounting/explanation.hpp"

namespace pate::cli {

/// The explanation as tables a person can read, of at most 80 columns (longer where a path is):
/// the queries one a line, or, when there is one query only, everything about it. `votes` is how
/// the votes are called.
[[nodiscard]] std::string explain_summary(const Explanation& explanation, const std::string& votes);

}  // namespace pate::cli
