#pragma once

#include <string>
#include <string_view>

namespace pate {

/// A text as LaTeX shows it: what TeX gives a meaning is escaped, what cannot be seen is a space,
/// and Greek letters, raised and lowered digits and signs of comparison become mathematics. Other
/// letters stay: LaTeX reads UTF-8.
[[nodiscard]] std::string tex_text(std::string_view text);

}  // namespace pate
