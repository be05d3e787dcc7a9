#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>
#include <string_view>

#include "support/temp_directory.hpp"

namespace pate::test {

/// As long as it lives, standard input is a file of these bytes, read from its beginning.
class StandardInput {
 public:
  explicit StandardInput(std::string_view bytes) : saved_(::dup(STDIN_FILENO)) {
    write_bytes(directory_ / "stdin", bytes);
    const int descriptor = ::open((directory_ / "stdin").c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0 || ::dup2(descriptor, STDIN_FILENO) < 0) {
      throw std::runtime_error("standard input cannot be replaced");
    }
    ::close(descriptor);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() {
    if (saved_ < 0) {
      ::close(STDIN_FILENO);  // it was closed
    } else {
      ::dup2(saved_, STDIN_FILENO);
      ::close(saved_);
    }
  }

 private:
  TempDirectory directory_;
  int saved_;
};

}  // namespace pate::test
