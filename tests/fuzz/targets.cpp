#include "fuzz/targets.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/exit_status.hpp"
#include "pate/base/error.hpp"

namespace pate::fuzz {

void require(bool promise) {
  if (!promise) std::abort();
}

std::string_view text_of(Bytes bytes) {
  // NOLINTNEXTLINE(*-reinterpret-cast): bytes are characters.
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Bytes bytes_of(std::string_view text) {
  // NOLINTNEXTLINE(*-reinterpret-cast): characters are bytes.
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

MemoryFile::MemoryFile(Bytes bytes) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
  require(descriptor_ >= 0 &&
          ::write(descriptor_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
}

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor_);
}

bool run(const Target& target, Bytes bytes) {
  try {
    target.run(bytes);
    return true;
  } catch (const input_error&) {       // NOLINT(bugprone-empty-catch): what is wrong with
  } catch (const parameter_error&) {   // NOLINT(bugprone-empty-catch): input is told
  } catch (const validity_error&) {    // NOLINT(bugprone-empty-catch)
  } catch (const cli::usage_error&) {  // NOLINT(bugprone-empty-catch)
  }
  return false;
}

}  // namespace pate::fuzz
