#pragma once

#include <string>
#include <vector>

#include "pate/accounting/report.hpp"

namespace pate::reports {

/// The notices that are there, or not, whatever the votes are: about settings, the form of files
/// and what was released. None that looked at votes, not even to doubt that they were read as they
/// were meant. Of the paths, those that a message begins with ("votes.npy: ...") or names in
/// parentheses ("(ledger, line 3)") are left out.
[[nodiscard]] std::vector<Notice> public_notices(const std::vector<Notice>& notices,
                                                 const std::vector<std::string>& paths = {});

}  // namespace pate::reports
