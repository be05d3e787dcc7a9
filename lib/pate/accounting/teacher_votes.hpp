#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pate/accounting/count_distinct.hpp"
#include "pate/accounting/run.hpp"
#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/exact/exact_run.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

/// The exact RDP of a run, or of a part of one, for one teacher at one order: the sum over the
/// queries of the largest divergence from a neighbour whose vote moved from the class this teacher
/// voted for. Exact sums: parts add up to the same bits however the queries were cut.
struct TeacherSum {
  UpwardSum forward, reverse;

  void add(const TeacherSum& other) {
    forward.add(other.forward);
    reverse.add(other.reverse);
  }
  [[nodiscard]] BothDirections rdp() const { return {forward.value(), reverse.value()}; }
};

/// Who voted for what, where it is kept: a row of all teachers' groups for each query.
struct VoteRows {
  std::vector<std::uint32_t> distinct;  ///< by row, the distinct query
  std::vector<std::uint16_t> groups;    ///< by row, then teacher
};

/// What the exact costs of a run need of one shard.
struct ExactPartials {
  std::vector<ExactQuery> distinct;  ///< in canonical order
  /// With predictions of few teachers and queries, for profiles of single teachers.
  std::optional<VoteRows> rows;
  /// With predictions: the sums of the teachers, at all orders of the grid, by order, then teacher.
  std::vector<double> orders;
  std::vector<std::vector<TeacherSum>> teachers;
};

/// Who voted for what, query by query, as far as exact costs depend on it: the group of each
/// teacher's class, two bytes a vote. They are kept from the one time the votes are read; where
/// they are more than `most`, the votes are read again whenever they are needed.
class TeacherVotes {
 public:
  /// Votes that are kept: 256 MiB.
  static constexpr std::int64_t kMaxKept = std::int64_t{1} << 27;
  /// Votes of a run of whose teachers there are profiles.
  static constexpr std::int64_t kMaxRows = std::int64_t{1} << 24;

  /// `predictions` are the run's votes, `mechanism` is the run's; all must outlive this.
  TeacherVotes(const Run& run, const PredictionVotes& predictions, const ExactMechanism& mechanism,
               std::int64_t most = kMaxKept);

  /// Keeps the votes of the queries from `first` on, where they are few enough (`visit` of
  /// CountOptions).
  void keep(const QueryReader& reader, std::int64_t first);
  /// Says which of the distinct queries each query is.
  void set_distinct(std::vector<std::uint32_t> of_query) {
    distinct_of_query_ = std::move(of_query);
  }

  /// From here on sums and rows are those of these teachers alone, by their numbers.
  void choose(std::vector<std::uint32_t> teachers) { chosen_ = std::move(teachers); }

  /// All votes as they were kept, for profiles of single teachers; none of a run with more than
  /// kMaxRows.
  [[nodiscard]] std::optional<VoteRows> rows() const;

  /// The sums of the teachers by order, then teacher; `costs` are those of the distinct queries.
  [[nodiscard]] std::vector<std::vector<TeacherSum>> sums(ExactRun& costs,
                                                          std::span<const double> orders,
                                                          unsigned threads);

 private:
  [[nodiscard]] std::size_t size() const { return chosen_ ? chosen_->size() : teachers_; }
  [[nodiscard]] std::size_t teacher(std::size_t i) const { return chosen_ ? (*chosen_)[i] : i; }
  // Those of the queries of the reader's piece, query by query.
  void write_groups(const QueryReader& reader, std::span<std::uint16_t> groups) const;
  // The groups of the queries first .. first + count - 1, query by query.
  [[nodiscard]] std::span<const std::uint16_t> groups(std::int64_t first, std::int64_t count);

  const Run& run_;
  const ExactMechanism& mechanism_;
  std::size_t teachers_;
  QueryReader again_;  // where not all are kept
  bool kept_;
  std::optional<std::vector<std::uint32_t>> chosen_;
  std::vector<std::uint16_t> groups_;  // of all queries, or of those that were read last
  std::vector<std::uint32_t> distinct_of_query_;
};

/// The sums of every teacher at orders of the grid, by order, then teacher.
using TeacherSums =
    std::function<std::vector<std::vector<TeacherSum>>(std::span<const double> orders)>;

/// What `search_teachers` finds.
struct TeacherOptima {
  /// The teacher who pays most, at the best order for every epsilon of `directed_epsilons`.
  std::vector<OptimalOrder> run;
  std::vector<double> epsilon;  ///< by teacher, conversion improved: the larger direction
  bool spent = false;           ///< whether anybody pays anything

  /// Nobody pays more than a teacher whose vote costs most on every query, whose epsilons
  /// (`directed_epsilons`) were looked for between the orders of the grid too.
  void cap(std::span<const OptimalOrder> exact);
};

/// The smallest epsilons of every teacher and of the teacher who pays most over the orders of
/// `grid`. Epsilons fall and then rise with the order: with a `hint`, which is clamped to the grid,
/// the search begins around it and ends when no minimum is at an end of the orders it took.
[[nodiscard]] TeacherOptima search_teachers(const TeacherSums& sums, std::size_t teachers,
                                            std::span<const double> grid,
                                            std::optional<double> hint, double delta);

/// The sums of the teachers at all `orders`, as a shard keeps them, in `exact.orders` and
/// `exact.teachers`.
void fill_teacher_sums(TeacherVotes& votes, const ExactMechanism& mechanism,
                       std::span<const double> orders, unsigned threads, ExactPartials& exact);

}  // namespace pate
