#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

namespace pate::test {

/// How a child process ended, and what it wrote to standard error.
struct Ended {
  int status = -1;  ///< exit status; -1 when a signal ended it
  int signal = 0;   ///< the signal that ended it
  std::string err;
};

/// Runs `work` in a child process, which ends with status 0 afterwards, 99 on an exception. Signals
/// that end a program end it, also where whoever runs the tests ignores them, as nohup does. No
/// other thread may run.
inline Ended in_child(const std::function<void()>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    try {
      work();
    } catch (const std::exception& error) {
      std::fputs(error.what(), stderr);
      ::_exit(99);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  Ended ended;
  std::array<char, 4096> piece{};
  for (ssize_t size = 0; (size = ::read(ends[0], piece.data(), piece.size())) > 0;) {
    ended.err.append(piece.data(), static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  int status = 0;
  if (::waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
  if (WIFEXITED(status)) ended.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  return ended;
}

}  // namespace pate::test
