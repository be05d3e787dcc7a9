#pragma once

#include <string>
#include <string_view>

namespace pate {

/// A line for a shell that makes another file of one that is not as it should be: {0} in `line` is
/// the file, {1} its name without the ending, to which "-read" is added where what is written may
/// be called as what is read. Braces of the line itself are doubled.
///
/// A name that no shell takes as it is, a member of an archive, a pipe and, where `plain_only`, a
/// compressed file is called FILE.
[[nodiscard]] std::string conversion_line(const std::string& name, std::string_view line,
                                          bool plain_only = false);

}  // namespace pate
