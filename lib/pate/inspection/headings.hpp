#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pate {

/// What a column holds, by its heading.
enum class Heading : std::uint8_t { other, labels, index, made_of_votes, teachers, totals };

/// Returns what a heading names: true or released labels ("true_label"), an index ("filename"),
/// something made of votes ("mode"), names of teachers ("seed") or sums ("total"). Upper case and
/// blanks mean nothing.
[[nodiscard]] Heading heading_of(std::string_view heading);

/// Returns for each name what it is instead of one of a teacher ("an index by its heading"), ""
/// for names of teachers. Names that lack a number where all but two have one are none, either.
[[nodiscard]] std::vector<std::string> no_teachers(const std::vector<std::string>& names,
                                                   std::string_view naming);

}  // namespace pate
