#pragma once

#include <cstdint>
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

/// Runs the mechanism on every query of `run`, in their order, each on a sample of the teachers of
/// its own, which every teacher is in with probability `rate`: the threshold check and the noisy
/// maximum look at the same one. Samples are drawn from `source` as the noise is, and forgotten.
/// Throws `parameter_error` where `sampled_query` does, and with a student.
[[nodiscard]] LabelledQueries label_sampled(const Run& run, double rate, BitSource& source);

/// What such a run cost: what holds for any votes, of all queries (`sampled_any_votes`). What
/// is answered is what came out: nothing is expected.
[[nodiscard]] Account sampled_label_account(const Run& run, double rate,
                                            const LabelledQueries& labelled, double delta);

}  // namespace pate
