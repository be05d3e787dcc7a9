#include "pate/parallel/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace pate {

void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& task) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  if (count == 0) return;
  const std::size_t workers = std::min<std::size_t>(threads, count);
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::size_t failed = std::numeric_limits<std::size_t>::max();
  std::exception_ptr failure;
  std::atomic<bool> stop{false};
  const auto work = [&] {
    // Indices are handed out in order, so everything before a failure has been started.
    while (!stop) {
      const std::size_t index = next++;
      if (index >= count) return;
      try {
        task(index);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (index < failed) {
          failed = index;
          failure = std::current_exception();
        }
        stop = true;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(workers - 1);
    try {
      while (others.size() + 1 < workers) others.emplace_back(work);
    } catch (const std::system_error&) {
      // The machine has no room for more threads: those there are do all of it.
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace pate
