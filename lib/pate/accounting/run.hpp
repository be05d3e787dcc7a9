#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pate/base/parallel/shard.hpp"
#include "pate/mechanisms/mechanism.hpp"
#include "pate/votes/query_columns.hpp"
#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// What was, or would be, released: the votes, which queries were put to the ensemble, and how it
/// answered. How that is accounted is decided elsewhere (account.hpp).
///
/// The optional data has one entry per row of the votes, before selection.
struct Run {
  const VoteSource& votes;
  RowSelection rows;
  Mechanism aggregator;
  Neighbours neighbours;                               ///< between whom costs are asked for
  const StudentScores* student = nullptr;              ///< interactive aggregator only
  std::optional<std::vector<std::uint8_t>> decisions;  ///< which queries were answered
  std::optional<std::vector<std::int32_t>> labels;     ///< true classes, for utility only
  Shard shard = {};  ///< which of the queries are looked at; the others are looked at elsewhere
};

/// Throws `parameter_error` or `input_error` where the parts do not fit each other.
void validate(const Run& run);

/// Reads the votes of a run piece by piece: histograms and selection statistics of the queries
/// `[first, first + count)` of the selection. One reader serves one thread.
class QueryReader {
 public:
  /// `predictions`, null or the run's votes, or those that its votes count by weights, adds who
  /// voted for what; they are read once all the same.
  explicit QueryReader(const Run& run, const PredictionVotes* predictions = nullptr);

  /// How many queries to read at a time: few enough for a cache.
  [[nodiscard]] std::int64_t piece() const;
  /// Reads the piece and makes it the current one.
  void read(std::int64_t first, std::int64_t count);

  [[nodiscard]] const Run& run() const { return run_; }
  [[nodiscard]] std::int64_t size() const { return count_; }
  /// Row number in the file of the i-th query of the piece.
  [[nodiscard]] std::int64_t row(std::int64_t i) const { return run_.rows[first_ + i]; }

  /// Whether only classes with votes are kept: of `kClassesMostlyEmpty` classes, or more, without a
  /// student's scores, which every class has.
  [[nodiscard]] bool is_sparse() const { return is_sparse_; }
  /// The votes of the i-th query: the counts of all classes or, where they are sparse, of the
  /// classes that have a vote, by class.
  [[nodiscard]] std::span<const std::int32_t> counts(std::int64_t i) const;
  /// Which classes `counts` tells of, increasing; none where it is all of them.
  [[nodiscard]] std::span<const std::int32_t> voted(std::int64_t i) const;
  /// How many classes, all without a vote, `counts` leaves out.
  [[nodiscard]] std::size_t left_out(std::int64_t i) const {
    return static_cast<std::size_t>(run_.votes.classes()) - counts(i).size();
  }
  /// The counts of all classes. Where they are sparse they are written anew: until the next call.
  [[nodiscard]] std::span<const std::int32_t> histogram(std::int64_t i) const;
  /// The class every teacher voted for; none without predictions.
  [[nodiscard]] std::span<const std::int32_t> ids(std::int64_t i) const;
  /// How much the vote of each teacher counts; none where all count one, and without predictions.
  [[nodiscard]] std::span<const std::int64_t> weights() const { return weights_; }
  /// The student's scores for it; none without a student.
  [[nodiscard]] std::span<const double> scores(std::int64_t i) const;
  /// The statistic v compared with the threshold; 0 for aggregators without selection.
  [[nodiscard]] std::int64_t statistic(std::int64_t i) const;

 private:
  // A class with votes, of the last query that has any so far, or one after it.
  void take(std::size_t query, std::int64_t id, std::int64_t votes);
  void count_ids();
  [[nodiscard]] std::span<const std::int32_t> listed(std::span<const std::int32_t> of_all,
                                                     std::int64_t i) const;

  const Run& run_;
  const PredictionVotes* predictions_;
  std::span<const std::int64_t> weights_;
  bool is_sparse_;
  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  // By query and class; where they are sparse one query's after the other's, up to its end.
  std::vector<std::int32_t> counts_;
  std::vector<std::int32_t> voted_;
  std::vector<std::size_t> ends_;
  mutable std::vector<std::int32_t> histogram_;
  std::vector<std::int32_t> ids_;
  std::vector<double> scores_;
};

}  // namespace pate
