#pragma once

// What the build makes (cmake/source_digests.cmake): SHA-256 of sources, 64 hexadecimal digits.

namespace pate::reports {

/// Of the sources that compute the costs which tables keep.
[[nodiscard]] const char* curve_sources();

/// Of all sources of the library: those that made a shard or a grid are those that read it.
[[nodiscard]] const char* library_sources();

}  // namespace pate::reports
