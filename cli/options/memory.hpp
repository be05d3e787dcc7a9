#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pate/release/curve/costs_within_distance.hpp"

namespace pate::cli {

/// A number of bytes for people: "19.2 GB".
[[nodiscard]] std::string size_text(double bytes);

/// The bytes that a size names: "2GB", "500 MB", "1.5GiB", "4096". Throws `usage_error` for what is
/// none.
[[nodiscard]] std::size_t parse_size(std::string_view text);

/// Before work begins: throws `input_error` where what is sure to be needed is more than
/// `--max-memory` allows. what: the part of the work that needs it.
void expect_memory(double bytes, std::string_view what);

/// The same of the table of costs that `what` needs for so many teachers; other costs than the
/// tilted one have none worth the name.
void expect_cost_table(CurveCost cost, std::int64_t teachers, std::string_view what);

}  // namespace pate::cli
