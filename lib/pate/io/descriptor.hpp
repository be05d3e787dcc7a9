#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

namespace pate::io {

/// What a system call returns, made again while a signal interrupts it.
template <class Call>
auto retry(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// A file descriptor that is closed at the end of its life.
class Descriptor {
 public:
  /// Opens a file, `O_CLOEXEC` beside `flags`. Where that fails `get()` is negative and `errno`
  /// says why. mode: of a file that is made.
  Descriptor(const std::filesystem::path& path, int flags, mode_t mode = 0);
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int get() const { return number_; }
  /// False, with `errno` set, on failure: a network file system may report a failed write only
  /// here.
  [[nodiscard]] bool close();

 private:
  int number_ = -1;
};

/// Where tests interrupt the writing of files: called with the name of each point that has been
/// reached, so that a test can end the process there. Empty in every command.
struct WritePoints {
  std::function<void(std::string_view point)> reached;
  /// At most so many bytes are written at once, with a point after each piece; 0: no limit.
  std::size_t piece = 0;

  void operator()(std::string_view point) const {
    if (reached) reached(point);
  }
};

/// Writes all bytes; the point `written` is reached after each piece. False, with `errno` set, on
/// failure.
[[nodiscard]] bool write_all(const Descriptor& to, std::string_view bytes,
                             const WritePoints& points, std::string_view written);

/// Brings the names in a directory onto the disk, where file system and permissions allow it: one
/// may write into a directory one cannot read. False, with `errno` set, on failure.
[[nodiscard]] bool sync_directory(const std::filesystem::path& directory);

}  // namespace pate::io
