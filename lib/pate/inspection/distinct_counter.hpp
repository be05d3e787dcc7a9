#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pate {

/// Counts distinct fingerprints in bounded memory. What it finds does not depend on the order in
/// which they came.
///
/// Up to `capacity` distinct fingerprints the count is exact. Beyond, only those are kept whose
/// leading `level` bits are zero, with the smallest level at which they fit, and the count is
/// 2^level times their number: an estimate whose standard deviation is about
/// sqrt(2 / capacity) of it at most. (Adaptive sampling: Flajolet, Computing 43, 1990.)
class DistinctCounter {
 public:
  /// 8,388,608: then 128 MiB are in use, twice that while they are rearranged, and the standard
  /// deviation of an estimate is about 0.05 %.
  static constexpr std::size_t kCapacity = std::size_t{1} << 23U;

  /// Domain: capacity >= 1.
  explicit DistinctCounter(std::size_t capacity = kCapacity) : capacity_(capacity) {}

  void add(std::uint64_t fingerprint);

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(size_) << level_; }
  [[nodiscard]] bool is_exact() const { return level_ == 0; }

 private:
  [[nodiscard]] bool is_sampled(std::uint64_t fingerprint) const {
    return level_ == 0 || fingerprint >> (64U - level_) == 0;
  }
  void insert(std::uint64_t fingerprint);
  void rebuild(std::size_t slots);

  std::size_t capacity_;
  std::size_t size_ = 0;
  unsigned level_ = 0;
  std::vector<std::uint64_t> slots_;  // a power of two of them, linear probing; 0 is an empty one
};

}  // namespace pate
