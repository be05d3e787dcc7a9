#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "pate/base/signal_cleanup.hpp"

namespace pate::io {

/// Holds the name of a file that is not there yet by an empty one, which nobody else can make.
/// At the end of its life, or when `remove_temporaries` is called, that file is removed unless it
/// was written to or replaced.
class TakenName {
 public:
  /// Throws `output_error` naming the path where a file has that name, or none can be made.
  explicit TakenName(const std::filesystem::path& path);
  TakenName(const TakenName&) = delete;
  TakenName& operator=(const TakenName&) = delete;
  ~TakenName();

 private:
  std::filesystem::path target_;
  std::pair<std::uint64_t, std::uint64_t> identity_;  // device and inode
  std::optional<TemporaryName> name_;
};

}  // namespace pate::io
