#include "pate/base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <new>
#include <system_error>

#include "pate/base/error.hpp"
#include "pate/base/memory.hpp"
#include "pate/base/system.hpp"

namespace pate::io {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what) {
  const int number = errno;
  throw input_error(fmt::format("{}: cannot be {}: {}", path.string(), what,
                                std::generic_category().message(number)));
}

std::vector<std::byte> read_all(int descriptor, const std::string& name) {
  constexpr std::size_t kFirstRoom = std::size_t{1} << 16U;
  std::size_t room = kFirstRoom;
  struct stat status {};
  // A redirected file tells its size; one byte more, so that the end is seen without growing.
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    room = std::max(room, static_cast<std::size_t>(status.st_size) + 1);
  }
  std::vector<std::byte> bytes(room);
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) grow_buffer(bytes, bytes.size() + bytes.size() / 2, false, name);
    const ssize_t count =
        retry([&] { return ::read(descriptor, bytes.data() + filled, bytes.size() - filled); });
    if (count < 0) fail(name, "read");
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

bool is_seen(std::uint32_t point) {
  const auto in = [&](std::uint32_t first, std::uint32_t last) {
    return point >= first && point <= last;
  };
  return !in(0x00, 0x1f) && !in(0x7f, 0x9f) && point != 0xad && !in(0x200b, 0x200f) &&
         !in(0x2028, 0x202e) && !in(0x2060, 0x206f) && point != 0x61c && point != 0xfeff &&
         !in(0xfff0, 0xfffb) && !in(0xd800, 0xdfff) && !in(0xe0000, 0xe0fff) && point <= 0x10ffff;
}

// How many bytes the character at the beginning of a text has, if it is one of UTF-8 that can be
// seen; else 0.
std::size_t seen_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return is_seen(first) ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t point = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
    point = point << 6U | (byte(i) & 0x3fU);
  }
  // None that fewer bytes would do for.
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  return !overlong && is_seen(point) ? length : 0;
}

struct stat status_of(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(path, "examined");
  return status;
}

}  // namespace

Descriptor::Descriptor(const std::filesystem::path& path, int flags, mode_t mode)
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): that is what open(2) looks like
    : number_(retry([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); })) {}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

bool Descriptor::close() {
  return ::close(std::exchange(number_, -1)) == 0;
}

std::string printable(std::string_view text, std::size_t longest, Letters letters) {
  std::string shown;
  std::string_view left = text.substr(0, longest);
  while (!left.empty()) {
    std::size_t length = seen_length(left);
    if (letters == Letters::ascii && length > 1) length = 0;
    if (length > 0) {
      shown += left.substr(0, length);
    } else {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(left.front()));
    }
    left.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text.size() > longest ? shown + "..." : shown;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  // Characters may look at any object's bytes. NOLINTNEXTLINE(*-reinterpret-cast)
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::byte> read_standard_input() {
  return read_all(STDIN_FILENO, kStandardInput);
}

bool is_pipe(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

std::vector<std::byte> read_pipe(const std::filesystem::path& path) {
  const Descriptor pipe(path, O_RDONLY);
  if (pipe.get() < 0) fail(path, "opened");
  return read_all(pipe.get(), path.string());
}

MappedFile::Mapping::Mapping(int descriptor, std::size_t size, const std::filesystem::path& path) {
  const void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED && errno == ENOMEM) throw std::bad_alloc();
  if (address == MAP_FAILED) fail(path, "mapped into memory");
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
  if (descriptor_.get() < 0) fail(path_, "opened");
  const struct stat status = status_of(descriptor_.get(), path_);
  if (!S_ISREG(status.st_mode)) {
    throw input_error(fmt::format("{}: expected {}", path_.string(),
                                  S_ISDIR(status.st_mode)    ? "a regular file, found a directory"
                                  : S_ISFIFO(status.st_mode) ? "a regular file, found a pipe"
                                                             : "a regular file or a pipe, found a "
                                                               "device or socket"));
  }
  modified_ = system::changed_at(status);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > 0) mapping_ = std::make_unique<Mapping>(descriptor_.get(), size, path_);
}

void MappedFile::read(std::size_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = retry([&] {
      return ::pread(descriptor_.get(), to.data(), to.size(), static_cast<off_t>(offset));
    });
    if (count < 0) fail(path_, "read");
    if (count == 0) {
      throw input_error(fmt::format("{}: changed while it was read: it had {} bytes, now {}",
                                    path_.string(), bytes().size(),
                                    status_of(descriptor_.get(), path_).st_size));
    }
    to = to.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::size_t>(count);
  }
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
  const timespec now = system::changed_at(status);
  if (now.tv_sec != modified_.tv_sec || now.tv_nsec != modified_.tv_nsec) {
    throw input_error(fmt::format(
        "{}: changed while it was read: its modification time is another one", path_.string()));
  }
}

std::string read_text_file(const std::string& path) {
  if (is_pipe(path)) return std::string(as_text(read_pipe(path)));
  const MappedFile file(path);
  std::string text(as_text(file.bytes()));
  file.check_unchanged();
  return text;
}

}  // namespace pate::io
