#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

/// The union bound on q in integers, of 2^-60: the pair terms of gaps, rounded up and made convex,
/// so that moving votes one by one from the largest count to the second largest gives the largest
/// sum within so many moves, exactly.
class IntegerQ {
 public:
  IntegerQ(const NoisyMax& noise, std::int64_t teachers, std::int64_t classes);
  /// The largest q within d moves, d = 0..teachers, of a histogram in decreasing order.
  [[nodiscard]] std::vector<std::int64_t> within(std::span<const std::int32_t> counts) const;
  [[nodiscard]] std::int64_t cap() const { return cap_; }
  [[nodiscard]] static double log_q(std::int64_t q);

 private:
  std::int64_t cap_;
  std::vector<std::int64_t> terms_;  // by gap
};

}  // namespace pate
