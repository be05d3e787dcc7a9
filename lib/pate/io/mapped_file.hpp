#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "pate/io/descriptor.hpp"
#include "pate/io/remembered_paths.hpp"

namespace pate::io {

/// A regular file mapped into memory, read only.
///
/// Touching what another program has cut off a file while it was mapped raises SIGBUS. A program
/// can catch that and ask `mapped_file_at` (remembered_paths.hpp) which file it was; nothing global
/// is installed here. `check_unchanged` tells whether the file stayed as it was.
class MappedFile {
 public:
  /// Maps the whole file; an empty file is allowed.
  ///
  /// Throws `input_error` naming the path when it is missing, may not be read, is a directory or
  /// anything else that is not a regular file (pipes are for `read_pipe`).
  explicit MappedFile(std::filesystem::path path);

  /// The path as given to the constructor.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The contents; valid as long as the object that holds the mapping.
  [[nodiscard]] std::span<const std::byte> bytes() const {
    return mapping_ ? mapping_->bytes : std::span<const std::byte>();
  }

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

}  // namespace pate::io
