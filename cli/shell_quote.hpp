#pragma once

#include <string>
#include <string_view>

namespace pate::cli {

/// The text as one word of a POSIX shell: as it is where that is safe, else in single quotes.
[[nodiscard]] std::string shell_quote(std::string_view text);

}  // namespace pate::cli
