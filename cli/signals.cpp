#include "cli/signals.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "cli/exit_status.hpp"
#include "pate/base/signal_cleanup.hpp"

namespace pate::cli {

namespace {

using Action = struct sigaction;

constexpr std::array kFinishing{SIGINT, SIGTERM};

static_assert(std::atomic<int>::is_always_lock_free);
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): a signal handler gets no
// argument that could lead to them, and signals are the whole program's.
constinit std::atomic<int> received = 0;
constinit std::atomic<bool> exists = false;
constinit std::atomic<const char*> first_word = "";
std::array<Action, kFinishing.size()> before;
constinit std::atomic_flag ending;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void end_by(int signal) {
  io::remove_temporaries();
  // The default again, so that whoever waits for the program learns what ended it.
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Whether a signal ends the program unless it is handled, and is no fault of the program's own.
bool ends(int signal) {
  constexpr std::array kOthers{SIGABRT, SIGBUS,  SIGCHLD, SIGCONT, SIGFPE,  SIGILL,
                               SIGKILL, SIGSEGV, SIGSTOP, SIGSYS,  SIGTRAP, SIGTSTP,
                               SIGTTIN, SIGTTOU, SIGURG,  SIGWINCH};
  return std::ranges::find(kOthers, signal) == kOthers.end();
}

// Installs the handler unless the signal is ignored, and returns what was there.
Action install(int signal, void (*handler)(int)) {
  Action old{};
  ::sigaction(signal, nullptr, &old);
  if ((old.sa_flags & SA_SIGINFO) == 0 && old.sa_handler == SIG_IGN) return old;
  Action action{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
  return old;
}

void say(const char* text) {
  // There is nobody left to tell that it cannot be written.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
}

void remember(int signal) {
  const int before_it = errno;
  int none = 0;
  if (!received.compare_exchange_strong(none, signal)) end_by(signal);
  say(first_word);
  errno = before_it;
}

// Only async-signal-safe calls from here on: the signal may have come in the middle of anything.
void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  const char* const path = io::mapped_file_at(info->si_addr);
  // Several threads may read the file: one of them speaks, the others wait for the end.
  while (path != nullptr && ending.test_and_set()) ::pause();
  io::remove_temporaries();
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

void end_cleanly_on_signals() {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    if (ends(signal)) install(signal, end_by);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

void report_cut_files() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

Interruption::Interruption(const char* said) {
  if (exists.exchange(true)) throw std::logic_error("there is an Interruption already");
  first_word = said;
  received = 0;
  for (std::size_t i = 0; i < kFinishing.size(); ++i) before[i] = install(kFinishing[i], remember);
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < kFinishing.size(); ++i) {
    ::sigaction(kFinishing[i], &before[i], nullptr);
  }
  exists = false;
}

// NOLINTNEXTLINE(readability-convert-member-functions-to-static): asked where there is a handler.
int Interruption::signal() const noexcept {
  return received;
}

}  // namespace pate::cli
