#include "pate/mechanisms/neighbours.hpp"

#include <fmt/format.h>

#include "pate/base/require.hpp"

namespace pate {

void validate(const Neighbours& neighbours) {
  require_count(neighbours.teachers, kMaxNeighbourTeachers, "teachers-per-person");
}

std::string in_words(const Neighbours& neighbours) {
  const bool one = neighbours.teachers == 1;
  return fmt::format("{} teacher{} {}", neighbours.teachers, one ? "" : "s",
                     neighbours.adds_or_removes()
                         ? (one ? "that is added or removed" : "that are added or removed")
                     : one ? "that votes otherwise"
                           : "of a person that vote otherwise");
}

std::string others_in_words(const Neighbours& neighbours) {
  return neighbours.is_one_replaced() ? "" : in_words(neighbours);
}

void require_teachers(const Neighbours& neighbours, std::int64_t teachers) {
  require(neighbours.teachers <= teachers || neighbours.teachers == 1,
          "teachers-per-person must be at most the number of teachers, {}, got {}", teachers,
          neighbours.teachers);
}

}  // namespace pate
