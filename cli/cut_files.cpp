#include "cli/cut_files.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>

#include "cli/exit_status.hpp"
#include "pate/io/mapped_ranges.hpp"
#include "pate/io/temporary_names.hpp"

namespace pate::cli {

namespace {

constinit std::atomic_flag ending;

void say(const char* text) {
  // There is nobody left to tell that it cannot be written.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

// Only async-signal-safe calls from here on: the signal may have come in the middle of anything.
void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  const char* const path = mapped_file_at(info->si_addr);
  // Several threads may read the file: one of them speaks, the others wait for the end.
  while (path != nullptr && ending.test_and_set()) ::pause();
  remove_temporaries();
  if (path == nullptr) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  say("pate: ");
  say(path);
  say(": changed while it was read: it was cut, or can no longer be read\n");
  ::_exit(kBadInput);
}

}  // namespace

void report_cut_files() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace pate::cli
