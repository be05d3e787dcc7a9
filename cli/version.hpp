#pragma once

#include <string>

namespace pate::cli {

/// The version of the program, "0.1.0".
[[nodiscard]] std::string version();

}  // namespace pate::cli
