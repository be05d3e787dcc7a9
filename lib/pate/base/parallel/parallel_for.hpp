#pragma once

#include <atomic>
#include <cstddef>
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

/// How many of `wanted` more threads may start: their stacks take at most half of the addresses
/// that the system still allows this process (RLIMIT_AS), so that there is memory left for their
/// work.
[[nodiscard]] std::size_t threads_with_room(std::size_t wanted);

/// Runs task(0) .. task(count - 1) on up to `threads` threads (0: all processors; fewer where the
/// machine lets no more start), each index once, in no particular order. Tasks write to places of
/// their own, so that results do not depend on the number of threads. If tasks throw, the exception
/// of the smallest index among them is rethrown after all threads have ended; later tasks may not
/// have run.
void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& task);

}  // namespace pate
