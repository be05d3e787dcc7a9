#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pate::io {

/// Text of a file as it may be shown on a terminal: bytes outside printable ASCII as `\xNN`. Of
/// more than `longest` bytes only the first are shown, followed by "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 200);

}  // namespace pate::io
