#include "pate/base/parallel/parallel_for.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "pate/base/parallel/joined_thread.hpp"
#include "pate/base/system.hpp"

namespace pate {

std::size_t threads_with_room(std::size_t wanted) {
  rlimit limit{};
  if (wanted == 0 || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return wanted;
  }
  const std::optional<std::size_t> used = system::addresses_in_use();
  if (!used) return wanted;
  const std::size_t left = limit.rlim_cur - std::min<std::size_t>(*used, limit.rlim_cur);
  return std::min(wanted, left / 2 / system::addresses_of_a_thread());
}

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
    const std::size_t more = threads_with_room(workers - 1);
    std::vector<JoinedThread> others;
    others.reserve(more);
    try {
      while (others.size() < more) others.emplace_back(work);
    } catch (const std::system_error&) {
      // The machine has no room for more threads: those there are do all of it.
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace pate
