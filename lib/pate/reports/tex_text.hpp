#pragma once

#include <string>
#include <string_view>

namespace pate {

/// A text as LaTeX shows it: what TeX gives a meaning is escaped, what cannot be seen is a space,
/// and Greek letters, raised and lowered digits and signs of comparison become mathematics. Other
/// letters stay: LaTeX reads UTF-8.
[[nodiscard]] std::string tex_text(std::string_view text);

/// A decimal number as LaTeX shows it: 1e-05 as 10^{-5} in mathematics, 3e-04 as 3 times 10^{-4};
/// what has no exponent stays.
[[nodiscard]] std::string tex_power(const std::string& number);

}  // namespace pate
