#include "pate/base/signal_cleanup.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <functional>
#include <thread>

namespace pate::io {

namespace {

constexpr std::size_t kMaxPath = 4096;  // with the zero at its end

enum class State { free, filling, remembered, removing, removed };
static_assert(std::atomic<State>::is_always_lock_free);

// Memory that is always there: a handler may look at it at any moment.
struct Slot {
  std::atomic<State> state{State::free};
  const char* begin = nullptr;  // what is mapped; of a temporary nothing
  const char* end = nullptr;
  // Of a file that was there when its name was remembered: whatever has replaced it or been written
  // to it is not removed.
  bool is_known = false;
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::array<char, kMaxPath> path{};
};
using Slots = std::array<Slot, 64>;
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): a signal handler gets no
// argument that could lead to them.
constinit Slots temporaries;
constinit Slots mapped;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

bool change(std::atomic<State>& state, State from, State to) {
  return state.compare_exchange_strong(from, to);
}

// The position of the slot that was free; -1 where none was.
std::ptrdiff_t remember(Slots& slots, const std::filesystem::path& path, const char* begin,
                        std::size_t size) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots.at(i);
    if (!change(slot.state, State::free, State::filling)) continue;
    slot.begin = begin;
    slot.end = begin + size;
    const std::size_t length = std::min(path.native().size(), kMaxPath - 1);
    std::copy_n(path.native().begin(), length, slot.path.begin());
    slot.path.at(length) = '\0';
    struct stat status {};
    slot.is_known = begin == nullptr && ::lstat(slot.path.data(), &status) == 0;
    slot.device = status.st_dev;
    slot.inode = status.st_ino;
    slot.size = status.st_size;
    slot.state = State::remembered;
    return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

void forget(Slots& slots, std::ptrdiff_t slot) {
  // Unless another thread removes it: then the name must stay where it is until it is gone, and the
  // program ends. Whoever goes on meanwhile sees that there is no such file.
  if (slot < 0) return;
  std::atomic<State>& state = slots.at(static_cast<std::size_t>(slot)).state;
  if (change(state, State::remembered, State::free)) return;
  while (state == State::removing) std::this_thread::yield();
}

// Whether the name leads to what it led to, as it was. Async-signal-safe.
bool is_the_same(const Slot& slot) {
  struct stat status {};
  return !slot.is_known ||
         (::lstat(slot.path.data(), &status) == 0 && status.st_dev == slot.device &&
          status.st_ino == slot.inode && status.st_size == slot.size);
}

}  // namespace

TemporaryName::TemporaryName(const std::filesystem::path& path) noexcept
    : slot_(path.native().size() < kMaxPath ? remember(temporaries, path, nullptr, 0) : -1) {}

TemporaryName::~TemporaryName() {
  forget(temporaries, slot_);
}

SignalsHeld::SignalsHeld() noexcept {
  sigset_t all{};
  ::sigfillset(&all);
  for (const int fault : {SIGBUS, SIGFPE, SIGILL, SIGSEGV}) ::sigdelset(&all, fault);
  ::pthread_sigmask(SIG_BLOCK, &all, &before_);
}

SignalsHeld::~SignalsHeld() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void remove_temporaries() noexcept {
  const int before = errno;
  for (Slot& slot : temporaries) {
    if (!change(slot.state, State::remembered, State::removing)) continue;
    if (is_the_same(slot)) ::unlink(slot.path.data());
    slot.state = State::removed;
  }
  errno = before;
}

MappedRange::MappedRange(const void* address, std::size_t size,
                         const std::filesystem::path& path) noexcept
    : slot_(remember(mapped, path, static_cast<const char*>(address), size)) {}

MappedRange::~MappedRange() {
  forget(mapped, slot_);
}

const char* mapped_file_at(const void* address) noexcept {
  const char* const at = static_cast<const char*>(address);
  for (const Slot& slot : mapped) {
    if (slot.state != State::remembered) continue;
    // std::less orders any pointers.
    if (!std::less<>()(at, slot.begin) && std::less<>()(at, slot.end)) return slot.path.data();
  }
  return nullptr;
}

}  // namespace pate::io
