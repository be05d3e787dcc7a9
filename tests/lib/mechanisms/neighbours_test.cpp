#include "pate/mechanisms/neighbours.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

#include "pate/base/error.hpp"

using namespace pate;

TEST_SUITE("mechanisms") {
  TEST_CASE("relations are called what they are") {
    CHECK(in_words({Adjacency::replace, 1}) == "1 teacher that votes otherwise");
    CHECK(in_words({Adjacency::replace, 2}) == "2 teachers of a person that vote otherwise");
    CHECK(in_words({Adjacency::add_remove, 1}) == "1 teacher that is added or removed");
    CHECK(in_words({Adjacency::add_remove, 2}) == "2 teachers that are added or removed");
  }

  TEST_CASE("a person reaches one teacher at least") {
    for (const std::int64_t teachers :
         {std::int64_t{0}, std::int64_t{-1}, kMaxNeighbourTeachers + 1,
          std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
      CHECK_THROWS_AS(validate({Adjacency::replace, teachers}), parameter_error);
    }
    CHECK_NOTHROW(validate({Adjacency::add_remove, kMaxNeighbourTeachers}));
  }

  TEST_CASE("a person reaches no more teachers than there are") {
    CHECK_NOTHROW(require_teachers({Adjacency::replace, 3}, 3));
    CHECK_NOTHROW(require_teachers({Adjacency::replace, 1}, 0));
    CHECK_THROWS_WITH_AS(require_teachers({Adjacency::replace, 4}, 3),
                         "teachers-per-person must be at most the number of teachers, 3, got 4",
                         parameter_error);
  }
}
