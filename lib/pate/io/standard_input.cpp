#include "pate/io/standard_input.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "pate/error.hpp"

namespace pate {

std::vector<std::byte> read_standard_input() {
  constexpr std::size_t kLeastRoom = std::size_t{1} << 16U;
  std::size_t room = kLeastRoom;
  struct stat status {};
  // A redirected file tells its size; one byte more, so that the end is seen without growing.
  if (::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode)) {
    room = std::max(room, static_cast<std::size_t>(status.st_size) + 1);
  }
  std::vector<std::byte> bytes(room);
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(bytes.size() + bytes.size() / 2);
    const ssize_t count = ::read(STDIN_FILENO, bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw input_error(fmt::format("{}: cannot be read: {}", kStandardInput,
                                    std::generic_category().message(errno)));
    }
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace pate
