#pragma once

#include <string_view>

namespace pate {

/// Whether a column with that heading holds true or predicted labels ("true_label", "y"), or names
/// or numbers of rows ("id", "filename"), rather than the votes of a teacher. Upper case and blanks
/// around it mean nothing.
[[nodiscard]] bool heads_labels(std::string_view heading);
[[nodiscard]] bool heads_index(std::string_view heading);
/// Whether it is what is made of the votes of others, or of more than a teacher ("ensemble",
/// "mode").
[[nodiscard]] bool heads_made_of_votes(std::string_view heading);
/// Whether it is that of the names or numbers of teachers, of predictions one teacher a row.
[[nodiscard]] bool heads_teachers(std::string_view heading);
/// Whether it is that of sums: "total", "All".
[[nodiscard]] bool heads_totals(std::string_view heading);

}  // namespace pate
