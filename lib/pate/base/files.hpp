#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pate/base/signal_cleanup.hpp"

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
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
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

/// Which characters are shown as they are: of what should be numbers or words of a format those of
/// ASCII alone, as a minus of Unicode looks like one; of names and sentences all letters there are.
enum class Letters { ascii, any };

/// Text of a file as it may be shown on a terminal: other characters, what is none (bytes that are
/// no UTF-8), what a terminal may obey (control characters, line breaks among them) and what cannot
/// be seen or turns around what stands beside it (U+200B to U+200F, U+2028 to U+202E, U+2060 to
/// U+206F, U+FEFF, tags) as `\xNN`, byte by byte. Of more than `longest` bytes only the first are
/// shown, followed by "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t longest = 200,
                                    Letters letters = Letters::ascii);

/// Bytes as text, where they lie.
[[nodiscard]] std::string_view as_text(std::span<const std::byte> bytes);

/// How standard input is called in messages.
inline const std::string kStandardInput = "<stdin>";

/// All of standard input, from where it stands to its end. Throws `input_error` with the system's
/// reason when it cannot be read.
[[nodiscard]] std::vector<std::byte> read_standard_input();

/// Whether a path is that of a pipe: a named one, `/dev/stdin` behind a pipe, what a shell makes of
/// `<(command)`. False also where there is nothing.
[[nodiscard]] bool is_pipe(const std::filesystem::path& path);

/// All that comes out of a pipe until its last writer has closed it; waits for the first one.
/// Throws `input_error` naming the path with the system's reason when it cannot be opened or read.
[[nodiscard]] std::vector<std::byte> read_pipe(const std::filesystem::path& path);

/// A regular file mapped into memory, read only.
///
/// Touching what another program has cut off a file while it was mapped raises SIGBUS. A program
/// can catch that and ask `mapped_file_at` (signal_cleanup.hpp) which file it was; nothing global
/// is installed here. `check_unchanged` tells whether the file stayed as it was.
class MappedFile {
 public:
  /// Maps the whole file; an empty file is allowed.
  ///
  /// Throws `input_error` naming the path when it is missing, may not be read, is a directory or
  /// anything else that is not a regular file (pipes are for `read_pipe`); `std::bad_alloc` where
  /// there are no addresses left for it.
  explicit MappedFile(std::filesystem::path path);

  /// The path as given to the constructor.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The contents; valid as long as the object that holds the mapping.
  [[nodiscard]] std::span<const std::byte> bytes() const {
    return mapping_ ? mapping_->bytes : std::span<const std::byte>();
  }

  /// Copies the bytes from `offset` on by pread(2): no page of the mapping becomes resident. Throws
  /// `input_error` naming the path when they cannot be read or the file was cut off. Thread safe.
  void read(std::size_t offset, std::span<std::byte> to) const;

  /// Drops the pages of `[offset, offset + length)` from this process's resident memory. The bytes
  /// stay readable: a page touched again is mapped again. Any range is fine, also one that reaches
  /// beyond the end. Thread safe.
  void advise_done(std::size_t offset, std::size_t length) const noexcept;

  /// Throws `input_error` when size or modification time differ from when the file was mapped.
  void check_unchanged() const;

 private:
  // Its range is forgotten before the addresses may be another's.
  struct Mapping {
    Mapping(int descriptor, std::size_t size, const std::filesystem::path& path);
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();

    std::span<const std::byte> bytes;
    std::optional<MappedRange> range;
  };

  std::filesystem::path path_;
  Descriptor descriptor_;
  timespec modified_{};
  std::unique_ptr<Mapping> mapping_;  // none of an empty file
};

/// The text in a file or pipe. Throws `input_error` when it cannot be read.
[[nodiscard]] std::string read_text_file(const std::string& path);

}  // namespace pate::io
