#include "pate/base/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <optional>
#include <string_view>

#include "pate/base/error.hpp"

namespace pate::io {

namespace {

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

// The number in a file of the kernel; none where there is another word, as "max" of a cgroup.
std::optional<std::size_t> number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

std::size_t soft_limit(__rlimit_resource_t resource) {
  rlimit limit{};
  return ::getrlimit(resource, &limit) == 0 ? limit.rlim_cur : kUnlimited;
}

// What this and the groups above it allow.
std::size_t cgroup_memory() {
  std::size_t least = kUnlimited;
  const auto limit = [&](std::optional<std::size_t> bytes) {
    least = std::min(least, bytes.value_or(kUnlimited));
  };
  // Lines "0::/group" of version 2, "4:memory:/group" of version 1.
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t colon = line.find(':');
    const std::size_t second = line.find(':', colon + 1);
    if (colon == std::string::npos || second == std::string::npos) continue;
    const std::string_view controllers =
        std::string_view(line).substr(colon + 1, second - colon - 1);
    const bool second_version = controllers.empty();
    if (!second_version && controllers.find("memory") == std::string_view::npos) continue;
    const std::filesystem::path root = second_version ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    const char* const file = second_version ? "memory.max" : "memory.limit_in_bytes";
    std::filesystem::path group = std::filesystem::path(line.substr(second + 1)).relative_path();
    for (; !group.empty(); group = group.parent_path()) limit(number_in(root / group / file));
    limit(number_in(root / file));
  }
  return least;
}

std::size_t find_usual_memory() {
  std::size_t least = std::min(cgroup_memory(), soft_limit(RLIMIT_AS));
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  if (pages > 0) {
    least = std::min(
        least, static_cast<std::size_t>(pages) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  }
  return std::min(least / 5 * 4, soft_limit(RLIMIT_DATA));
}

std::atomic<std::size_t>& usable() {
  static std::atomic<std::size_t> bytes = usual_memory();
  return bytes;
}

// Of what RLIMIT_DATA counts; sanitizers reserve more than there is.
std::size_t data_in_use() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  for (int field = 0; field < 6; ++field) file >> pages;
  return file ? pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : kUnlimited;
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
  const std::size_t in_use = data_in_use();
  if (in_use > usual_memory()) return;
  if (in_use > bytes) throw std::bad_alloc();
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
