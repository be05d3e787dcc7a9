#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace pate {

/// So many of a list a person is shown.
inline constexpr std::size_t kShown = 5;

/// What the votes of single teachers say about how they were trained, over the queries looked at.
struct TeacherFindings {
  std::int64_t teachers = 0;
  std::int64_t distinct = 0;         ///< teachers that differ in at least one vote
  std::int64_t identical_pairs = 0;  ///< pairs of teachers that agree in every vote
  /// The first of these pairs, in increasing order; teachers count from 0.
  std::vector<std::pair<std::int64_t, std::int64_t>> first_identical;
  std::int64_t constant = 0;  ///< teachers that vote for one class throughout
  std::vector<std::int64_t> first_constant;
  std::int64_t missing_some_class = 0;  ///< teachers that never vote for at least one class
  std::vector<std::int64_t> missing;    ///< per class: teachers that never vote for it
};

/// Gathers the votes of every teacher block by block, without keeping them: which classes it voted
/// for, and a fingerprint of all its votes.
///
/// The fingerprint is 128 bits: two sums, modulo 2^64, of the class ids weighted with numbers that
/// belong to the query's position, so blocks may come in any order. Teachers that differ have the
/// same one with a probability of about 2^-120. No protection against votes made to collide.
///
/// Memory: 16 bytes per teacher and 8 per teacher and 64 classes.
class TeacherColumns {
 public:
  TeacherColumns(std::int64_t teachers, std::int64_t classes);

  /// The votes of the teachers begin .. end - 1 on `ids.size() / teachers` queries, the first of
  /// which is at `position` of the selection. `ids` has one row of class ids per query, those of
  /// all teachers; they must be in 0 .. classes - 1. Calls for different teachers may run at the
  /// same time.
  void add(std::int64_t position, std::span<const std::int32_t> ids, std::int64_t begin,
           std::int64_t end);

  /// What was found; all queries must have been added, each once for every teacher.
  [[nodiscard]] TeacherFindings findings() const;

 private:
  struct Sums {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    friend auto operator<=>(const Sums&, const Sums&) = default;
  };
  void find_identical(TeacherFindings& result) const;
  void find_missing(TeacherFindings& result) const;

  std::int64_t classes_;
  std::size_t words_;                // of 64 bits, per teacher
  std::vector<Sums> sums_;           // per teacher
  std::vector<std::uint64_t> seen_;  // per teacher a bit for every class
};

}  // namespace pate
