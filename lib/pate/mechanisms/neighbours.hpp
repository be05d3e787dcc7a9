#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace pate {

/// What may happen to one teacher between the votes and a neighbour's.
enum class Adjacency {
  replace,     ///< votes otherwise: a vote of every query may move to another class
  add_remove,  ///< is there or not: every query may have one vote more, or one less
};

/// The neighbouring relation that a cost is for: votes that differ in what `teachers` teachers do.
/// One person whose data are in S parts reaches S teachers, so that S votes of a query may move.
///
///                                          replace            add_remove
///     counts of a query change by, in all  2 S                S         (L1)
///                                          sqrt 2 S           S         (L2)
///     the top count, or lead, by           S                  S
///
/// Neighbours with fewer teachers are neighbours, too: a cost that holds for S teachers holds for
/// one.
struct Neighbours {
  Adjacency adjacency = Adjacency::replace;
  std::int64_t teachers = 1;

  /// Whether one teacher votes otherwise: the relation of S17 and S18.
  [[nodiscard]] bool is_one_replaced() const {
    return adjacency == Adjacency::replace && teachers == 1;
  }
  [[nodiscard]] bool adds_or_removes() const { return adjacency == Adjacency::add_remove; }
  /// Whether how many teachers there are is protected, too: it is another number for a neighbour.
  [[nodiscard]] bool hide_number() const { return adds_or_removes(); }
  /// The noise that costs for one vote what this noise on a statistic, which S votes move by S at
  /// most, costs for these neighbours: the S-th part.
  [[nodiscard]] double per_move(double noise) const {
    return noise / static_cast<double>(teachers);
  }
  /// The largest top count that a neighbour of so many teachers may have.
  [[nodiscard]] std::int64_t highest_top(std::int64_t of_teachers) const {
    return adds_or_removes() ? of_teachers + teachers : of_teachers;
  }

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const Neighbours&, const Neighbours&) = default;
};

/// In words: "2 teachers of a person that vote otherwise".
[[nodiscard]] std::string in_words(const Neighbours& neighbours);

/// The same, empty for one teacher that votes otherwise: whom costs are for unless it is said.
[[nodiscard]] std::string others_in_words(const Neighbours& neighbours);

/// No relation is about more teachers.
inline constexpr std::int64_t kMaxNeighbourTeachers = std::int64_t{1} << 31;

/// Throws `parameter_error` unless 1 <= teachers <= kMaxNeighbourTeachers.
void validate(const Neighbours& neighbours);

/// Throws `parameter_error` unless an ensemble of so many has the teachers of the relation.
void require_teachers(const Neighbours& neighbours, std::int64_t teachers);

}  // namespace pate
