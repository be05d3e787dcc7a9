#pragma once

#include <cstddef>
#include <filesystem>

namespace pate {

/// Remembers which file is mapped where for as long as it is, so that a program can tell what a
/// SIGBUS means: a mapped file that another program truncates has no pages behind its new end, and
/// touching them raises that signal.
///
/// The library installs no signal handlers; see `mapped_file_at`.
class MappedRange {
 public:
  /// At most 64 ranges are remembered at a time; those beyond are not. Of a path longer than 4095
  /// bytes the beginning is.
  MappedRange(const void* address, std::size_t size, const std::filesystem::path& path) noexcept;
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;
  ~MappedRange();

 private:
  std::ptrdiff_t slot_ = -1;
};

/// The path of the file that is mapped at an address, null where none is. Async-signal-safe: for a
/// handler of SIGBUS, which must not return. The text stays valid as long as the mapping.
[[nodiscard]] const char* mapped_file_at(const void* address) noexcept;

}  // namespace pate
