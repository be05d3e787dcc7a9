#pragma once

#include <string_view>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/base/json.hpp"

namespace pate::reports {

/// Whether a notice of this code says that votes, or the labels beside them, may not be what they
/// were taken for.
[[nodiscard]] bool is_doubt_about_votes(std::string_view code);

/// The notices of a report which say that its votes, or the labels beside them, may not be what
/// they were taken for, without those that a person accepted (`--accept`): its numbers may then be
/// those of other votes. None in a public part, which tells nothing of votes.
[[nodiscard]] std::vector<Notice> doubts_about_votes(const io::JsonValue& report);

/// Whether a report says that lines of a ledger that it counts are left out.
[[nodiscard]] bool counts_torn_ledger(const io::JsonValue& report);

}  // namespace pate::reports
