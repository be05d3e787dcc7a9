#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pate {

/// How standard input is called in messages.
inline const std::string kStandardInput = "<stdin>";

/// All of standard input, from where it stands to its end. Throws `input_error` with the system's
/// reason when it cannot be read.
[[nodiscard]] std::vector<std::byte> read_standard_input();

}  // namespace pate
