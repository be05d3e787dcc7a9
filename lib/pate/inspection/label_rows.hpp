#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "pate/votes/numeric_table.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// What row numbers may be instead: "class ids" and their like, which were given for row numbers;
/// "" where they are what they should be.
///
/// A heading says so ("label"); so do bool, and -1 among class ids. Else they are all below the
/// number of classes, at least four, and any of them is there twice. Of fewer than sixteen, and of
/// votes with no more queries than classes, row numbers may be so: then they are as many as the
/// rows, or each is there twice or more on average. Labels that are all different are not told from
/// row numbers.
[[nodiscard]] std::string what_rows_look_like(std::span<const std::int64_t> rows,
                                              const NumericTable& table, const VoteSource& votes);

}  // namespace pate
