#pragma once

#include <string>

#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate::io {

/// The identity of votes whatever file they came in: SHA-256, in hexadecimal, of the numbers of
/// rows and classes followed by the counts of the selected rows, row-major, all as little-endian
/// int64. From `kClassesMostlyEmpty` classes on the counts are those that are not zero, each after
/// the row, in the selection, and the class that it is of, and -1 precedes them all. Throws what
/// reading the votes throws.
[[nodiscard]] std::string votes_digest(const VoteSource& votes, const RowSelection& rows);

}  // namespace pate::io
