#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>

#include "pate/base/files.hpp"

namespace pate::io {

/// Where tests interrupt the writing of files: called with the name of each point that has been
/// reached, so that a test can end the process there. Empty in every command.
struct WritePoints {
  std::function<void(std::string_view point)> reached;
  /// At most so many bytes are written at once, with a point after each piece; 0: no limit.
  std::size_t piece = 0;

  void operator()(std::string_view point) const {
    if (reached) reached(point);
  }
};

/// Writes all bytes; the point `written` is reached after each piece. False, with `errno` set, on
/// failure.
[[nodiscard]] bool write_all(const Descriptor& to, std::string_view bytes,
                             const WritePoints& points, std::string_view written);

/// Whether writing to one path would reach the file of the other: the same file where both exist
/// (hard links too), the same name where links, also those that dangle, are followed. Devices that
/// keep nothing, like terminals and /dev/null, are never the same, nor are paths that lead nowhere
/// (too long, through a directory that is closed): nothing can be read or written there.
[[nodiscard]] bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// While it lives, `write_file_atomically` neither replaces this open file nor writes to it, by
/// whatever name: a link may have come to lead there after the names were compared.
class ProtectedFile {
 public:
  explicit ProtectedFile(const Descriptor& file);
  ProtectedFile(const ProtectedFile&) = delete;
  ProtectedFile& operator=(const ProtectedFile&) = delete;
  ~ProtectedFile();

 private:
  std::pair<std::uint64_t, std::uint64_t> identity_;  // device and inode
};

/// Brings the names in a directory onto the disk, where file system and permissions allow it: one
/// may write into a directory one cannot read. False, with `errno` set, on failure.
[[nodiscard]] bool sync_directory(const std::filesystem::path& directory);

/// Who may read a file: its owner alone, because it shows votes, or whoever the umask lets.
enum class Readers { owner, by_umask };

/// Writes a file so that at every moment its name leads to the old contents or to the new, whole:
/// a temporary beside it (`.NAME.tmp...`), fsync, rename, fsync of the directory.
///
/// A private file is the user's own (0600), also in the place of one that others may read or own.
/// Another takes the permissions and, where allowed, the owner of what it replaces. A symbolic link
/// stays, what it points to is replaced. Where there is nothing to replace (/dev/null, /dev/stdout,
/// a fifo) the bytes are just written.
///
/// A program that a signal ends meanwhile removes the temporary if it calls `remove_temporaries`
/// (signal_cleanup.hpp).
///
/// Throws `output_error` naming the path and the system's reason, also where the path leads to a
/// `ProtectedFile`, which is looked at once more just before the rename; the temporary is gone then
/// and an old file is as it was. (If only the last step fails, the fsync of the directory, the new
/// file is there but may not survive a power failure.)
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes,
                           const WritePoints& points = {}, Readers readers = Readers::owner);

}  // namespace pate::io
