#include "pate/io/descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace pate::io {

Descriptor::Descriptor(const std::filesystem::path& path, int flags, mode_t mode)
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): that is what open(2) looks like
    : number_(retry([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); })) {}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

bool Descriptor::close() {
  return ::close(std::exchange(number_, -1)) == 0;
}

bool write_all(const Descriptor& to, std::string_view bytes, const WritePoints& points,
               std::string_view written) {
  const std::size_t piece = points.piece == 0 ? bytes.size() : points.piece;
  while (!bytes.empty()) {
    const ssize_t count =
        retry([&] { return ::write(to.get(), bytes.data(), std::min(piece, bytes.size())); });
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
    points(written);
  }
  return true;
}

bool sync_directory(const std::filesystem::path& directory) {
  const Descriptor opened(directory, O_RDONLY | O_DIRECTORY);
  if (opened.get() < 0) return errno == EACCES;
  // EINVAL: a file system that knows no such thing.
  return ::fsync(opened.get()) == 0 || errno == EINVAL;
}

}  // namespace pate::io
