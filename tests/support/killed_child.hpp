#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <stdexcept>
#include <string_view>

#include "pate/base/atomic_file.hpp"

namespace pate::test {

/// How a child process ended.
struct ChildEnd {
  bool killed = false;
  int status = 0;
};

/// Runs an action in a child process and waits for its end; the status is what it returns, 99 when
/// it throws.
inline ChildEnd in_child(const std::function<int()>& action) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    int status = 99;
    try {
      status = action();
    } catch (...) {
    }
    ::_exit(status);
  }
  int state = 0;
  while (::waitpid(child, &state, 0) < 0) {
  }
  return {WIFSIGNALED(state), WIFEXITED(state) ? WEXITSTATUS(state) : 0};
}

/// Write points that kill -9 the process at the n-th of them, n >= 0.
inline io::WritePoints killing_at(int n, std::size_t piece = 0) {
  return {[left = n](std::string_view) mutable {
            if (left-- == 0) ::kill(::getpid(), SIGKILL);
          },
          piece};
}

}  // namespace pate::test
