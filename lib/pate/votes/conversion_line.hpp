#pragma once

#include <string>
#include <string_view>

#include "pate/votes/numeric_table.hpp"

namespace pate {

/// A line for a shell that makes another file of one that is not as it should be: {0} in `line` is
/// the file, {1} its name with "-read" in the place of the ending, so that no other file is written
/// over. Braces of the line itself are doubled.
///
/// A name that no shell takes as it is, a member of an archive, a pipe and, where `plain_only`, a
/// compressed file is called FILE.
[[nodiscard]] std::string conversion_line(const std::string& name, std::string_view line,
                                          bool plain_only = false);

/// How pandas reads a text as it is read here, for such a line; pandas is p there.
[[nodiscard]] std::string pandas_reading(const ColumnHeader& header);

/// The line that makes class ids of a text with names of classes, in the order of the alphabet, and
/// prints the names in that order; what pandas takes for missing becomes -1.
[[nodiscard]] std::string numbering_line(const std::string& name, const ColumnHeader& header);

}  // namespace pate
