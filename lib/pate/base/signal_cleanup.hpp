#pragma once

#include <csignal>
#include <cstddef>
#include <filesystem>

// Which files a program that is ended by a signal has to do with. The library installs no signal
// handlers; those of a program may ask here.

namespace pate::io {

/// Remembers the name of a temporary file for as long as it lives. A program whose handler calls
/// `remove_temporaries` ends without leaving temporaries behind; in any other they stay as they are
/// when it is killed.
class TemporaryName {
 public:
  /// At most 64 names are remembered at a time, of fewer than 4096 bytes each; those beyond are
  /// not. To be made before the file is; where the file is there already, what has replaced it or
  /// been written to it meanwhile is not removed.
  explicit TemporaryName(const std::filesystem::path& path) noexcept;
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;
  /// Forgets the name; the file is left alone.
  ~TemporaryName();

 private:
  std::ptrdiff_t slot_;
};

/// Holds back, from this thread and from those it starts, all signals but those of its own faults
/// for as long as it lives: between the making of a file and the remembering of its name none ends
/// the program. They arrive afterwards.
class SignalsHeld {
 public:
  SignalsHeld() noexcept;
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld();

 private:
  sigset_t before_{};
};

/// Unlinks all files whose names are remembered, in whatever state they are. Async-signal-safe. To
/// be called once, at the end of the program.
void remove_temporaries() noexcept;

/// Remembers which file is mapped where for as long as it is, so that a program can tell what a
/// SIGBUS means: a mapped file that another program truncates has no pages behind its new end, and
/// touching them raises that signal.
class MappedRange {
 public:
  /// At most 64 ranges are remembered at a time; those beyond are not. Of a path longer than 4095
  /// bytes the beginning is.
  MappedRange(const void* address, std::size_t size, const std::filesystem::path& path) noexcept;
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;
  ~MappedRange();

 private:
  std::ptrdiff_t slot_;
};

/// The path of the file that is mapped at an address, null where none is. Async-signal-safe: for a
/// handler of SIGBUS, which must not return. The text stays valid as long as the mapping.
[[nodiscard]] const char* mapped_file_at(const void* address) noexcept;

}  // namespace pate::io
