#pragma once

#include <filesystem>
#include <string_view>

#include "pate/io/descriptor.hpp"

namespace pate::io {

/// Writes a file so that at every moment its name leads to the old contents or to the new, whole:
/// a temporary beside it (`.NAME.tmp...`), fsync, rename, fsync of the directory.
///
/// A new file has the permissions any new file would have (umask); a replaced one keeps its
/// permissions and, where allowed, its owner. A symbolic link stays, what it points to is replaced.
/// Where there is nothing to replace (/dev/null, /dev/stdout, a fifo) the bytes are just written.
///
/// A program that a signal ends meanwhile removes the temporary if it calls `remove_temporaries`
/// (remembered_paths.hpp).
///
/// Throws `output_error` naming the path and the system's reason; the temporary is gone then and
/// an old file is as it was. (If only the last step fails, the fsync of the directory, the new
/// file is there but may not survive a power failure.)
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes,
                           const WritePoints& points = {});

}  // namespace pate::io
