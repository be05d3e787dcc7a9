#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pate::io {

/// Whether bytes begin as gzip does.
[[nodiscard]] bool is_gzip(std::span<const std::byte> bytes);

/// The contents of a gzip file of any number of members, one after the other; zeros after the last
/// are padding. Every member's checksum and length are checked.
///
/// Throws `input_error` naming `name` when the file is truncated, corrupt, or followed by something
/// else, with the place in the file.
[[nodiscard]] std::vector<std::byte> gunzip(std::span<const std::byte> bytes,
                                            const std::string& name);

}  // namespace pate::io
