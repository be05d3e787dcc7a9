#pragma once

#include <cstddef>
#include <functional>

namespace pate {

/// Runs task(0) .. task(count - 1) on up to `threads` threads (0: all processors), each index once,
/// in no particular order. Tasks write to places of their own, so that results do not depend on
/// the number of threads. If tasks throw, the exception of the smallest index among them is
/// rethrown after all threads have ended; later tasks may not have run.
void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& task);

}  // namespace pate
