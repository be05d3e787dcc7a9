#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "pate/io/mapped_ranges.hpp"

namespace pate {

/// A regular file mapped into memory, read only.
///
/// Touching what another program has cut off a file while it was mapped raises SIGBUS. A program
/// can catch that and ask `mapped_file_at` (mapped_ranges.hpp) which file it was; nothing global is
/// installed here. `check_unchanged` tells whether the file stayed as it was.
class MappedFile {
 public:
  /// Maps the whole file; an empty file is allowed.
  ///
  /// Throws `input_error` naming the path when it is missing, may not be read, is a directory or
  /// anything else that is not a regular file (pipes are for `read_pipe`).
  explicit MappedFile(std::filesystem::path path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  /// The path as given to the constructor.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The contents; valid as long as the object that holds the mapping.
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

  /// Drops the pages of `[offset, offset + length)` from this process's resident memory. The bytes
  /// stay readable: a page touched again is mapped again. Any range is fine, also one that reaches
  /// beyond the end. Thread safe.
  void advise_done(std::size_t offset, std::size_t length) const noexcept;

  /// Throws `input_error` when size or modification time differ from when the file was mapped.
  void check_unchanged() const;

 private:
  void release() noexcept;

  std::filesystem::path path_;
  int descriptor_ = -1;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  timespec modified_{};
  std::unique_ptr<MappedRange> range_;
};

}  // namespace pate
