#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pate/votes/tables/open_table.hpp"
#include "pate/votes/weighted_votes.hpp"

namespace pate::io {

/// The weights of teachers, and the file they are in, as a table with one column of them.
struct OpenedWeights {
  TeacherWeights weights;
  OpenedTable opened;
};

/// Reads a text file with a weight for each teacher, a line each, in their order; without a number
/// of teachers of as many as it has lines. Throws `input_error` naming the file for another number
/// of lines, and as `parse_weights` does.
[[nodiscard]] OpenedWeights open_teacher_weights(const std::string& path,
                                                 std::optional<std::int64_t> teachers);

}  // namespace pate::io
