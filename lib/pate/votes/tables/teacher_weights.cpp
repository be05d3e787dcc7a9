#include "pate/votes/tables/teacher_weights.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/votes/tables/teacher_lines.hpp"

namespace pate::io {

OpenedWeights open_teacher_weights(const std::string& path, std::optional<std::int64_t> teachers) {
  const auto file = std::make_shared<const MappedFile>(path);
  const std::vector<std::string> lines = lines_of(*file);
  if (teachers && static_cast<std::int64_t>(lines.size()) != *teachers) {
    throw input_error(fmt::format(
        "{}: expected text with a weight for each of the {} teachers, a line each and without a "
        "heading, found {} line{}",
        path, *teachers, lines.size(), lines.size() == 1 ? "" : "s"));
  }
  TeacherWeights weights = parse_weights(lines, path);
  std::vector<double> numbers;
  for (const std::int64_t units : weights.units) {
    numbers.push_back(weights.weight_of(units));
  }
  return {std::move(weights), OpenedTable(column_of(path, std::move(numbers)), file)};
}

}  // namespace pate::io
