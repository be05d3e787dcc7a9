#pragma once

#include <filesystem>

namespace pate::io {

/// Throws `input_error` naming a file or directory (links followed) that somebody else could have
/// written: it belongs neither to who runs the program nor to root, or its group or others may
/// write to it (write permissions of an access control list show in those of the group). For what
/// is read back and believed. Says nothing where there is no such file.
///
/// Whoever may write to a directory above it could put another in its place, so that each of these,
/// and each symbolic link on the way, must be of the same owners, and nobody else may write to it
/// but in a directory with the sticky bit, as /tmp has it.
void require_own(const std::filesystem::path& path);

}  // namespace pate::io
