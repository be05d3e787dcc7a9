#include "pate/base/parallel/parallel_for.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace pate {

namespace {

// Bytes of addresses that one more thread takes: its stack, and the page that guards it.
std::size_t thread_bytes() {
  pthread_attr_t attributes;
  std::size_t stack = 0;
  std::size_t guard = 0;
  if (pthread_getattr_default_np(&attributes) == 0) {
    (void)pthread_attr_getstacksize(&attributes, &stack);
    (void)pthread_attr_getguardsize(&attributes, &guard);
    (void)pthread_attr_destroy(&attributes);
  }
  return std::max<std::size_t>(stack + guard, 1);
}

}  // namespace

std::size_t threads_with_room(std::size_t wanted) {
  rlimit limit{};
  if (wanted == 0 || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return wanted;
  }
  std::size_t pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) return wanted;
  const std::size_t used = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t left = limit.rlim_cur - std::min<std::size_t>(used, limit.rlim_cur);
  return std::min(wanted, left / 2 / thread_bytes());
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
    std::vector<std::jthread> others;
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
