#pragma once

#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/base/json.hpp"

namespace pate::reports {

/// The notices of a report which say that its votes, or the labels beside them, may not be what
/// they were taken for, without those that a person accepted (`--accept`): its numbers may then be
/// those of other votes. None in a public part, which tells nothing of votes.
[[nodiscard]] std::vector<Notice> doubts_about_votes(const io::JsonValue& report);

}  // namespace pate::reports
