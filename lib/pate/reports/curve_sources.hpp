#pragma once

namespace pate::reports {

/// SHA-256 of the sources that compute the costs which tables keep, 64 hexadecimal digits: what the
/// build makes of them (cmake/curve_sources.cmake).
[[nodiscard]] const char* curve_sources();

}  // namespace pate::reports
