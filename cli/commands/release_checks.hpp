#pragma once

#include "cli/commands/commands.hpp"

namespace pate::cli {

/// The method that is meant, where none is named the curve.
[[nodiscard]] ReleaseMethod method_of(const ReleaseOptions& options);

/// Whether options say that a curve is one by complex orders.
[[nodiscard]] bool asks_for_complex(const ReleaseOptions& options);

/// Throws `usage_error` for an option that a curve by complex orders excludes, and for some of its
/// parameters without the others.
void check_complex_curve(const ReleaseOptions& options);

/// Throws `usage_error` for options of which one excludes, needs or ignores another.
void check_release_options(const ReleaseOptions& options);

}  // namespace pate::cli
