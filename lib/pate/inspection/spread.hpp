#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace pate {

/// How much the teachers agree on one query.
struct Consensus {
  std::int32_t top = 0;     ///< votes for the plurality, n_(1)
  std::int32_t second = 0;  ///< votes for the runner-up, n_(2); 0 where there is only one class
  std::int32_t gap = 0;     ///< top - second: the gap of S17, Figure 3, before division by M
  bool tied = false;        ///< more than one class has the most votes
  bool unanimous = false;   ///< all votes are for one class
};

/// The consensus of a histogram, in one pass.
///
/// Domain: at least one class, no negative count and at least one vote, as `VoteSource` hands them
/// out; of a histogram without votes everything is 0 and false.
[[nodiscard]] Consensus consensus(std::span<const std::int32_t> histogram);

/// How often each integer occurred. Memory: one entry per distinct value. The result does not
/// depend on the order in which values were added.
class Frequencies {
 public:
  void add(std::int64_t value, std::int64_t times = 1) { times_[value] += times; }
  /// Adds every value once; sorts them on the way, which is what makes many values quick.
  void add(std::vector<std::int32_t> values);

  /// By value, in increasing order.
  [[nodiscard]] const std::map<std::int64_t, std::int64_t>& times() const { return times_; }

  /// The 0th, 10th, ... 100th percentile, 11 numbers, interpolated linearly between neighbours as
  /// numpy.percentile does by default: at position (n - 1) k / 10 of the n sorted values. Empty
  /// when nothing was added.
  [[nodiscard]] std::vector<double> deciles() const;

 private:
  std::map<std::int64_t, std::int64_t> times_;
};

/// Equal bins over the values 0..largest: bin i holds the values i * width .. (i + 1) * width - 1.
/// Up to `largest` = 1000 every value has a bin of its own (width 1), beyond there are at most 100.
struct Bins {
  std::int64_t width = 1;
  std::int64_t count = 1;

  [[nodiscard]] static Bins over(std::int64_t largest);
};

/// The number of values in each bin. Domain: the values lie in the bins.
[[nodiscard]] std::vector<std::int64_t> histogram(const Frequencies& frequencies, const Bins& bins);

}  // namespace pate
