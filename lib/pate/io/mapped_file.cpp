#include "pate/io/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "pate/error.hpp"

namespace pate::io {

namespace {

std::string reason(int number) {
  return std::generic_category().message(number);
}

struct stat status_of(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    throw input_error(fmt::format("{}: cannot be examined: {}", path.string(), reason(errno)));
  }
  return status;
}

}  // namespace

MappedFile::Mapping::Mapping(int descriptor, std::size_t size, const std::filesystem::path& path) {
  const void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) {
    throw input_error(
        fmt::format("{}: cannot be mapped into memory: {}", path.string(), reason(errno)));
  }
  bytes = {static_cast<const std::byte*>(address), size};
  range.emplace(address, size, path);
}

MappedFile::Mapping::~Mapping() {
  range.reset();
  // munmap takes the address as mmap gave it.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  ::munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
}

// O_NONBLOCK: opening a fifo must not wait for a writer only to refuse the fifo afterwards.
MappedFile::MappedFile(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(path_, O_RDONLY | O_NONBLOCK) {
  if (descriptor_.get() < 0) {
    throw input_error(fmt::format("{}: cannot be opened: {}", path_.string(), reason(errno)));
  }
  const struct stat status = status_of(descriptor_.get(), path_);
  if (!S_ISREG(status.st_mode)) {
    throw input_error(fmt::format("{}: expected {}", path_.string(),
                                  S_ISDIR(status.st_mode)    ? "a regular file, found a directory"
                                  : S_ISFIFO(status.st_mode) ? "a regular file, found a pipe"
                                                             : "a regular file or a pipe, found a "
                                                               "device or socket"));
  }
  modified_ = status.st_mtim;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > 0) mapping_ = std::make_unique<Mapping>(descriptor_.get(), size, path_);
}

void MappedFile::advise_done(std::size_t offset, std::size_t length) const noexcept {
  if (offset >= bytes().size()) return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t end = offset + std::min(length, bytes().size() - offset);
  // The first page may be shared with the block before, which is done too; the last one with the
  // block after, which is not.
  const std::size_t from = offset / page * page;
  const std::size_t to = end == bytes().size() ? end : end / page * page;
  if (from >= to) return;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): as for munmap
  ::madvise(const_cast<std::byte*>(bytes().data()) + from, to - from, MADV_DONTNEED);
}

void MappedFile::check_unchanged() const {
  const struct stat status = status_of(descriptor_.get(), path_);
  if (static_cast<std::size_t>(status.st_size) != bytes().size()) {
    throw input_error(fmt::format("{}: changed while it was read: it had {} bytes, now {}",
                                  path_.string(), bytes().size(), status.st_size));
  }
  if (status.st_mtim.tv_sec != modified_.tv_sec || status.st_mtim.tv_nsec != modified_.tv_nsec) {
    throw input_error(fmt::format(
        "{}: changed while it was read: its modification time is another one", path_.string()));
  }
}

}  // namespace pate::io
