#include "pate/base/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <new>
#include <optional>

#include "pate/base/error.hpp"
#include "pate/base/system.hpp"

namespace pate::io {

namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// The C library of Linux has a type for the names of limits, others number them.
template <typename Resource>
std::size_t soft_limit(Resource resource) {
  rlimit limit{};
  return ::getrlimit(resource, &limit) == 0 ? limit.rlim_cur : kUnlimited;
}

std::size_t find_usual_memory() {
  const std::size_t least =
      std::min({system::memory_of_the_groups().value_or(kUnlimited),
                system::memory_of_the_machine().value_or(kUnlimited), soft_limit(RLIMIT_AS)});
  return std::min(least / 5 * 4, soft_limit(RLIMIT_DATA));
}

std::atomic<std::size_t>& usable() {
  static std::atomic<std::size_t> bytes = usual_memory();
  return bytes;
}

}  // namespace

std::size_t usual_memory() {
  static const std::size_t bytes = find_usual_memory();
  return bytes;
}

std::size_t memory_limit() {
  return usable();
}

void limit_memory(std::size_t bytes) {
  usable() = bytes;
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  // Sanitizers reserve more than there is.
  const std::optional<std::size_t> in_use = system::data_in_use();
  if (!in_use || *in_use > usual_memory()) return;
  if (*in_use > bytes) throw std::bad_alloc();
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  (void)::setrlimit(RLIMIT_DATA, &limit);
}

void grow_buffer(std::vector<std::byte>& bytes, std::size_t size, bool end_known,
                 const std::string& name) {
  // While it grows, the old bytes and the new ones are held.
  const std::size_t memory = memory_limit();
  const std::size_t most = end_known ? memory / 4 * 3 : memory / 2;
  if (bytes.size() >= most) {
    throw input_error(fmt::format(
        "{}: expected at most {} bytes of a stream or inside a compressed file, as {} of memory "
        "may be used, found more; a file that is not compressed may be larger",
        name, most, memory));
  }
  bytes.resize(std::min(size, most));
}

}  // namespace pate::io
