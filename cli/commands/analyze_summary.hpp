#pragma once

#include <string>

#include "pate/accounting/report.hpp"

namespace pate::cli {

/// What a person wants to see of an account at a glance, as text of at most 80 columns (longer
/// where a path is). `votes` is how the votes are called; in `colour` the headline is
/// bold.
[[nodiscard]] std::string analyze_summary(const Account& account, const std::string& votes,
                                          bool colour = false);

}  // namespace pate::cli
