#include "pate/base/system.hpp"

#include <pthread.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero is not in <cstring>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#if defined(__linux__) && !defined(PATE_WITHOUT_LINUX)
#define PATE_HAS_LINUX
#include <sys/prctl.h>
#endif

// The address sanitizer looks for leaks from another process.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PATE_IS_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PATE_IS_SANITIZED
#endif

// POSIX says what it is called, and that no header need declare it.
// NOLINTNEXTLINE(readability-redundant-declaration,cppcoreguidelines-avoid-non-const-global-variables)
extern "C" char** environ;

namespace pate::system {

namespace {

std::size_t page_size() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::optional<std::size_t> memory_of_the_machine() noexcept {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  if (pages <= 0) return std::nullopt;
  return static_cast<std::size_t>(pages) * page_size();
}

timespec changed_at(const struct stat& status) noexcept {
#ifdef __APPLE__
  return status.st_mtimespec;
#else
  return status.st_mtim;
#endif
}

void keep_memory_private() noexcept {
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
#if defined(PATE_HAS_LINUX) && !defined(PATE_IS_SANITIZED)
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): that is what prctl(2) looks like
  (void)::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

char** environment() noexcept {
  return environ;
}

std::size_t addresses_of_a_thread() noexcept {
  pthread_attr_t attributes;
  std::size_t stack = 0;
  std::size_t guard = 0;
#ifdef PATE_HAS_LINUX
  const bool known = ::pthread_getattr_default_np(&attributes) == 0;
#else
  const bool known = ::pthread_attr_init(&attributes) == 0;
#endif
  if (known) {
    (void)::pthread_attr_getstacksize(&attributes, &stack);
    (void)::pthread_attr_getguardsize(&attributes, &guard);
    (void)::pthread_attr_destroy(&attributes);
  }
  return std::max<std::size_t>(stack + guard, 1);
}

#ifdef PATE_HAS_LINUX

namespace {

// A field of /proc/self/statm, in bytes.
std::optional<std::size_t> statm(int field) {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  for (int i = 0; i <= field; ++i) file >> pages;
  return file ? std::optional(pages * page_size()) : std::nullopt;
}

// Makes `least` the number in a file of the kernel where that is smaller; there may be another
// word, as "max" of a group.
void lower(std::optional<std::size_t>& least, const std::filesystem::path& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  if (file >> number) least = std::min(least.value_or(number), number);
}

}  // namespace

ssize_t fill_with_random(void* to, std::size_t size) noexcept {
  return ::getrandom(to, size, 0);
}

void erase(void* bytes, std::size_t size) noexcept {
  ::explicit_bzero(bytes, size);
}

std::optional<std::size_t> addresses_in_use() {
  return statm(0);
}

std::optional<std::size_t> data_in_use() {
  return statm(5);
}

std::optional<std::size_t> memory_of_the_groups() {
  std::optional<std::size_t> least;
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
    for (; !group.empty(); group = group.parent_path()) lower(least, root / group / file);
    lower(least, root / file);
  }
  return least;
}

#else

ssize_t fill_with_random(void* to, std::size_t size) noexcept {
  constexpr std::size_t kMost = 256;  // of one call
  const std::size_t bytes = std::min(size, kMost);
  return ::getentropy(to, bytes) == 0 ? static_cast<ssize_t>(bytes) : -1;
}

void erase(void* bytes, std::size_t size) noexcept {
  auto* const at = static_cast<volatile unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) at[i] = 0;
}

std::optional<std::size_t> addresses_in_use() {
  return std::nullopt;
}

std::optional<std::size_t> data_in_use() {
  return std::nullopt;
}

std::optional<std::size_t> memory_of_the_groups() {
  return std::nullopt;
}

#endif

}  // namespace pate::system
