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

namespace pate {

namespace {

std::string reason(int number) {
  return std::generic_category().message(number);
}

// O_NONBLOCK: opening a fifo must not wait for a writer only to refuse the fifo afterwards.
int open_for_reading(const std::filesystem::path& path) {
  for (;;) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): that is what open(2) looks like
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0) return descriptor;
    const int number = errno;
    if (number == EINTR) continue;
    throw input_error(fmt::format("{}: cannot be opened: {}", path.string(), reason(number)));
  }
}

struct stat status_of(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    throw input_error(fmt::format("{}: cannot be examined: {}", path.string(), reason(errno)));
  }
  return status;
}

}  // namespace

MappedFile::MappedFile(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(open_for_reading(path_)) {
  try {
    const struct stat status = status_of(descriptor_, path_);
    if (S_ISDIR(status.st_mode)) {
      throw input_error(
          fmt::format("{}: expected a regular file, found a directory", path_.string()));
    }
    if (S_ISFIFO(status.st_mode)) {
      throw input_error(fmt::format("{}: expected a regular file, found a pipe", path_.string()));
    }
    if (!S_ISREG(status.st_mode)) {
      throw input_error(fmt::format(
          "{}: expected a regular file or a pipe, found a device or socket", path_.string()));
    }
    modified_ = status.st_mtim;
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size > 0) {
      void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor_, 0);
      if (address == MAP_FAILED) {
        throw input_error(
            fmt::format("{}: cannot be mapped into memory: {}", path_.string(), reason(errno)));
      }
      data_ = static_cast<const std::byte*>(address);
      size_ = size;
      range_ = std::make_unique<MappedRange>(address, size, path_);
    }
  } catch (...) {
    release();
    throw;
  }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      modified_(other.modified_),
      range_(std::move(other.range_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    release();
    path_ = std::move(other.path_);
    descriptor_ = std::exchange(other.descriptor_, -1);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    modified_ = other.modified_;
    range_ = std::move(other.range_);
  }
  return *this;
}

MappedFile::~MappedFile() {
  release();
}

void MappedFile::release() noexcept {
  range_.reset();
  if (data_ != nullptr) {
    // munmap takes the address as mmap gave it.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
    ::munmap(const_cast<std::byte*>(data_), size_);
    data_ = nullptr;
    size_ = 0;
  }
  if (descriptor_ >= 0) {
    ::close(descriptor_);
    descriptor_ = -1;
  }
}

void MappedFile::advise_done(std::size_t offset, std::size_t length) const noexcept {
  if (data_ == nullptr || offset >= size_) return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t end = offset + std::min(length, size_ - offset);
  // The first page may be shared with the block before, which is done too; the last one with the
  // block after, which is not.
  const std::size_t from = offset / page * page;
  const std::size_t to = end == size_ ? end : end / page * page;
  if (from >= to) return;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): as for munmap
  ::madvise(const_cast<std::byte*>(data_) + from, to - from, MADV_DONTNEED);
}

void MappedFile::check_unchanged() const {
  const struct stat status = status_of(descriptor_, path_);
  if (static_cast<std::size_t>(status.st_size) != size_) {
    throw input_error(fmt::format("{}: changed while it was read: it had {} bytes, now {}",
                                  path_.string(), size_, status.st_size));
  }
  if (status.st_mtim.tv_sec != modified_.tv_sec || status.st_mtim.tv_nsec != modified_.tv_nsec) {
    throw input_error(fmt::format(
        "{}: changed while it was read: its modification time is another one", path_.string()));
  }
}

}  // namespace pate
