#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/inspection/beside_votes.hpp"
#include "pate/mechanisms/answer_table.hpp"
#include "pate/votes/query_columns.hpp"
#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// How much the teachers agree on one query.
struct Consensus {
  std::int32_t top = 0;     ///< votes for the plurality, n_(1)
  std::int32_t second = 0;  ///< votes for the runner-up, n_(2); 0 where there is only one class
  std::int32_t gap = 0;     ///< top - second: the gap of S17, Figure 3, before division by M
  bool tied = false;        ///< more than one class has the most votes
  bool unanimous = false;   ///< all votes are for one class
};

/// The consensus of a histogram; of one without votes everything is 0 and false.
[[nodiscard]] Consensus consensus(std::span<const std::int32_t> histogram);

/// How often each integer occurred, whatever the order in which they were added.
class Frequencies {
 public:
  void add(std::int64_t value, std::int64_t times = 1) { times_[value] += times; }
  /// Adds every value once; sorts them on the way, which is what makes many values quick.
  void add(std::vector<std::int64_t> values);

  /// By value, in increasing order.
  [[nodiscard]] const std::map<std::int64_t, std::int64_t>& times() const { return times_; }

  /// The 0th, 10th, ... 100th percentile, 11 numbers, interpolated as numpy.percentile does by
  /// default; empty when nothing was added.
  [[nodiscard]] std::vector<double> deciles() const;
  /// The mean; none when nothing was added.
  [[nodiscard]] std::optional<double> mean() const;

 private:
  std::map<std::int64_t, std::int64_t> times_;
};

/// Equal bins over the values 0..largest, `most` at most; unset: one for every value up to 1000, at
/// most 100 beyond. Throws `parameter_error` unless most >= 1.
struct Bins {
  std::int64_t width = 1;
  std::int64_t count = 1;

  [[nodiscard]] static Bins over(std::int64_t largest, std::optional<std::int64_t> most = {});
};

/// The number of values in each bin. Domain: the values lie in the bins.
[[nodiscard]] std::vector<std::int64_t> histogram(const Frequencies& frequencies, const Bins& bins);

/// Counts distinct fingerprints, whatever the order in which they come.
class DistinctCounter {
 public:
  void add(std::uint64_t fingerprint) {
    kept_.push_back(fingerprint);
    if (kept_.size() >= next_) settle();
  }
  [[nodiscard]] std::int64_t count() {
    settle();
    return std::ssize(kept_);
  }

 private:
  void settle();

  std::size_t next_ = 1024;          // so many are settled
  std::vector<std::uint64_t> kept_;  // distinct and in order once settled
};

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
/// for, and a fingerprint of 128 bits of all its votes, two sums of class ids with weights of the
/// query's position, which blocks may add in any order.
class TeacherColumns {
 public:
  TeacherColumns(std::int64_t teachers, std::int64_t classes);

  /// The votes of all teachers on the queries from `position` of the selection on, one row of class
  /// ids in 0 .. classes - 1 per query.
  void add(std::int64_t position, std::span<const std::int32_t> ids);

  [[nodiscard]] TeacherFindings findings() const;

 private:
  struct Sums {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
    friend auto operator<=>(const Sums&, const Sums&) = default;
  };
  void find_identical(TeacherFindings& result) const;
  void find_missing(TeacherFindings& result) const;

  std::int64_t classes_;
  std::size_t words_;                // of 64 bits, per teacher
  std::vector<Sums> sums_;           // per teacher
  std::vector<std::uint64_t> seen_;  // per teacher a bit for every class
};

/// How a number of votes, the top count or the gap, is spread over the queries.
struct VotesSpread {
  std::optional<double> mean;  ///< none without queries; of the gap over M: S17, Figure 3
  /// Percentiles 0, 10, ... 100 as numpy interpolates them; empty without queries.
  std::vector<double> deciles;
  /// Queries per bin of `Inspection::bins`.
  std::vector<std::int64_t> histogram;
};

/// The queries that pass the noisy threshold check.
struct AnsweredSpread {
  AnswerRule check;
  double answered = 0.0;  ///< expected number of them
  /// Expected number per bin of the top count, with a student of the lead, of PTR of the stability:
  /// what is left of it after the check (S18, Figure 6).
  std::vector<double> histogram;
  /// The same per bin of the gap.
  std::vector<double> gap_histogram;
};

/// What is in a vote dump (math.md section 7: S17 Figure 3, S18 Figure 6).
struct Inspection {
  std::int64_t teachers = 0;
  std::int64_t classes = 0;
  std::int64_t queries = 0;  ///< of the selection, repeats counted

  /// Histograms that differ as vectors of counts by class: (3, 7) and (7, 3) are two.
  std::int64_t distinct_histograms = 0;
  std::int64_t ties = 0;       ///< queries on which several classes have the most votes
  std::int64_t unanimous = 0;  ///< queries on which all teachers vote for one class

  Bins bins;  ///< of all histograms here, over 0..teachers
  VotesSpread top_count;
  VotesSpread gap;                  ///< top count less second count; top count of one class
  std::optional<VotesSpread> lead;  ///< over the student, as the Interactive aggregator checks it
  std::optional<VotesSpread> stability;   ///< as a stability test checks it
  std::vector<std::int64_t> class_votes;  ///< votes per class over all queries

  std::optional<AnsweredSpread> selection;
  std::optional<TeacherFindings> predictions;
  std::optional<Accuracy> accuracy;  ///< with labels; `pate::accuracy` fills it in
  /// What is noticeable beside `content_doubts`.
  std::vector<Notice> notices;
};

/// Reads the selected votes once, in blocks, and tells what is in them. `check` adds `selection`,
/// accurate to 1e-13; `predictions`, which must be `votes` itself or null, what is known of single
/// teachers; `student` (or null) the lead over its scores, which the check then looks at. Nothing
/// depends on `threads` (0: all processors); `progress` counts queries; `bins`: as `Bins::over`.
///
/// Throws `parameter_error` for a check out of its domain, and `input_error` for rows that do not
/// exist and votes that are malformed.
[[nodiscard]] Inspection inspect(const VoteSource& votes, const RowSelection& rows,
                                 const std::optional<AnswerRule>& check,
                                 const PredictionVotes* predictions, unsigned threads,
                                 const ProgressCallback& progress = {},
                                 const StudentScores* student = nullptr,
                                 std::optional<std::int64_t> bins = {});

}  // namespace pate
