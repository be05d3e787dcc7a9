#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <ctime>
#include <optional>

/// What systems say in ways of their own: Linux by calls and files that others do not have.
/// Elsewhere, and where `PATE_WITHOUT_LINUX` is defined, what POSIX has, or nothing known. Nothing
/// outside of `system.cpp` asks which system it is.
namespace pate::system {

/// Fills a buffer, or the beginning of it, with bytes of the system's random source, which has no
/// seed: getrandom(2), elsewhere getentropy(3). Returns how many bytes were written, or -1 with
/// `errno` set.
[[nodiscard]] ssize_t fill_with_random(void* to, std::size_t size) noexcept;

/// Overwrites bytes with zeros, even though nobody reads them again.
void erase(void* bytes, std::size_t size) noexcept;

/// Keeps what is in memory from other processes of the same user (ptrace, where the system can) and
/// out of core dumps. Sanitizers, which look at memory from another process, keep theirs.
void keep_memory_private() noexcept;

/// Bytes of addresses that one more thread takes: its stack, and the page that guards it.
[[nodiscard]] std::size_t addresses_of_a_thread() noexcept;

/// Bytes of addresses that this process has reserved (what RLIMIT_AS counts), where it is known.
[[nodiscard]] std::optional<std::size_t> addresses_in_use();

/// Bytes of data and stack of this process (what RLIMIT_DATA counts), where it is known.
[[nodiscard]] std::optional<std::size_t> data_in_use();

/// Bytes of memory of the machine, where they are known.
[[nodiscard]] std::optional<std::size_t> memory_of_the_machine() noexcept;

/// Bytes of memory that the control groups of this process and those above them allow, where there
/// are such limits.
[[nodiscard]] std::optional<std::size_t> memory_of_the_groups();

/// When a file was last changed, as stat(2) says.
[[nodiscard]] timespec changed_at(const struct stat& status) noexcept;

/// The variables of the environment, for programs that are started.
[[nodiscard]] char** environment() noexcept;

/// How a directory is opened whose descriptor is only to be there; `reads_nor_writes` tells such
/// flags (of F_GETFL) from others. On Linux and FreeBSD it can be neither read nor written;
/// elsewhere what reads it is told that it is a directory.
#if defined(O_PATH) && !defined(PATE_WITHOUT_LINUX)
constexpr int kToBeThere = O_PATH | O_DIRECTORY;
constexpr bool reads_nor_writes(int flags) {
  return (flags & O_PATH) != 0;
}
#else
constexpr int kToBeThere = O_RDONLY | O_DIRECTORY;
constexpr bool reads_nor_writes(int /*flags*/) {
  return false;
}
#endif

}  // namespace pate::system
