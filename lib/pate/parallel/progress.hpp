#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

namespace pate {

/// What a long loop calls after each piece of its work: `done` of `total` units are done. Calls may
/// come from several threads at once and out of order; they change no result. Empty: nobody asks.
using ProgressCallback = std::function<void(std::int64_t done, std::int64_t total)>;

/// Adds up the work of all threads of a loop and passes it on.
class ProgressCounter {
 public:
  /// `total` is the work of the whole loop, in units of its choice.
  ProgressCounter(ProgressCallback callback, std::int64_t total)
      : callback_(std::move(callback)), total_(total) {}

  /// `units` more are done. Thread safe.
  void add(std::int64_t units) {
    if (callback_) callback_(done_.fetch_add(units) + units, total_);
  }

 private:
  ProgressCallback callback_;
  std::int64_t total_;
  std::atomic<std::int64_t> done_ = 0;
};

}  // namespace pate
