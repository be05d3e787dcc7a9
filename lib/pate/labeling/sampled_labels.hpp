#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"
#include "pate/labeling/label_run.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"

namespace pate {

/// How many of n teachers are in a sample that each is in with probability `rate`: a bit of that
/// probability for each, by as many digits of the rate as it takes, so exactly.
class SampleSize {
 public:
  /// 0 < rate < 1.
  explicit SampleSize(double rate);

  [[nodiscard]] std::int32_t draw(std::int32_t n, BitSource& source) const;

 private:
  [[nodiscard]] bool is_in(BitSource& source) const;

  std::vector<std::uint32_t> digits_;  // of the rate, 32 bits each, the first the largest
};

/// How many of the queries of `run`, the first ones, may be asked so that whatever the votes are
/// their epsilon is at most `max_epsilon`: the smallest of `sampled_any_votes`. Every query costs
/// the same for any votes, answered or not, so that the number is known before anything is drawn,
/// and tells nothing of votes or answers; queries may depend on earlier answers. Throws
/// `parameter_error` unless max_epsilon >= 0 and finite, and where `sampled_query` does.
[[nodiscard]] std::int64_t affordable_samples(const Run& run, const Sampling& sampling,
                                              double max_epsilon, double delta);

/// Runs the mechanism on every query of `run`, or the first `most` of them, in their order, each on
/// a sample of its own: the threshold check and the noisy maximum look at the same one. Samples of
/// teachers are drawn from `source` as the noise is, and forgotten; of records the counts of `run`
/// are what samples voted. Where queries are left out it was stopped by `max_epsilon`. Throws
/// `parameter_error` where `sampled_query` does, with a student, and for most < 0.
[[nodiscard]] LabelledQueries label_sampled(const Run& run, const Sampling& sampling,
                                            BitSource& source,
                                            std::optional<std::int64_t> most = {});

/// What such a run cost: what holds for any votes, of all queries that were asked
/// (`sampled_any_votes`). What is answered is what came out: nothing is expected.
[[nodiscard]] Account sampled_label_account(const Run& run, const Sampling& sampling,
                                            const LabelledQueries& labelled, double delta);

}  // namespace pate
