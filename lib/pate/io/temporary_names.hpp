#pragma once

#include <cstddef>
#include <filesystem>

namespace pate {

/// Remembers the name of a temporary file for as long as it lives, so that a program that is ended
/// by a signal can remove the file.
///
/// The library installs no signal handlers. A program whose handler calls `remove_temporaries` ends
/// without leaving temporaries behind; in any other they stay as they are when it is killed.
class TemporaryName {
 public:
  /// At most 64 names are remembered at a time, of fewer than 4096 bytes each; those beyond are
  /// not. To be made before the file is.
  explicit TemporaryName(const std::filesystem::path& path) noexcept;
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;
  /// Forgets the name; the file is left alone.
  ~TemporaryName();

 private:
  std::ptrdiff_t slot_ = -1;
};

/// Unlinks all files whose names are remembered, in whatever state they are. Async-signal-safe. To
/// be called once, at the end of the program.
void remove_temporaries() noexcept;

}  // namespace pate
