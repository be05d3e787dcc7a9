#include "pate/io/pipes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "pate/error.hpp"
#include "pate/io/descriptor.hpp"

namespace pate::io {

namespace {

[[noreturn]] void fail(const std::string& name, const char* what, int number) {
  throw input_error(
      fmt::format("{}: cannot be {}: {}", name, what, std::generic_category().message(number)));
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
    if (filled == bytes.size()) bytes.resize(bytes.size() + bytes.size() / 2);
    const ssize_t count =
        retry([&] { return ::read(descriptor, bytes.data() + filled, bytes.size() - filled); });
    if (count < 0) fail(name, "read", errno);
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace

std::vector<std::byte> read_standard_input() {
  return read_all(STDIN_FILENO, kStandardInput);
}

bool is_pipe(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

std::vector<std::byte> read_pipe(const std::filesystem::path& path) {
  const Descriptor pipe(path, O_RDONLY);
  if (pipe.get() < 0) fail(path.string(), "opened", errno);
  return read_all(pipe.get(), path.string());
}

}  // namespace pate::io
