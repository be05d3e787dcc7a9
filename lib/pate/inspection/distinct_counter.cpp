#include "pate/inspection/distinct_counter.hpp"

#include <utility>

namespace pate {

namespace {

constexpr std::size_t kFirstSlots = 1024;

}  // namespace

void DistinctCounter::add(std::uint64_t fingerprint) {
  if (fingerprint == 0) fingerprint = 1;  // 0 is an empty slot
  if (!is_sampled(fingerprint)) return;
  // At least half of the slots are empty, but for the one entry too many that raises the level.
  if (slots_.empty()) rebuild(kFirstSlots);
  if (size_ < capacity_ && 2 * (size_ + 1) > slots_.size()) rebuild(2 * slots_.size());
  insert(fingerprint);
  while (size_ > capacity_) {
    ++level_;
    rebuild(slots_.size());
  }
}

void DistinctCounter::insert(std::uint64_t fingerprint) {
  std::size_t slot = fingerprint & (slots_.size() - 1);
  while (slots_[slot] != 0) {
    if (slots_[slot] == fingerprint) return;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  slots_[slot] = fingerprint;
  ++size_;
}

void DistinctCounter::rebuild(std::size_t slots) {
  const std::vector<std::uint64_t> old = std::exchange(slots_, std::vector<std::uint64_t>(slots));
  size_ = 0;
  for (const std::uint64_t fingerprint : old) {
    if (fingerprint != 0 && is_sampled(fingerprint)) insert(fingerprint);
  }
}

}  // namespace pate
