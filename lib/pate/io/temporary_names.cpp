#include "pate/io/temporary_names.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace pate {

namespace {

enum class State { free, filling, remembered, removing };
static_assert(std::atomic<State>::is_always_lock_free);

// Memory that is always there: a handler may look at it at any moment.
struct Slot {
  std::atomic<State> state{State::free};
  std::array<char, 4096> name{};
};
constinit std::array<Slot, 64> slots;

bool change(std::atomic<State>& state, State from, State to) {
  return state.compare_exchange_strong(from, to);
}

}  // namespace

TemporaryName::TemporaryName(const std::filesystem::path& path) noexcept {
  const std::size_t size = path.native().size();
  if (size >= slots[0].name.size()) return;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots.at(i);
    if (!change(slot.state, State::free, State::filling)) continue;
    std::memcpy(slot.name.data(), path.c_str(), size + 1);
    slot.state = State::remembered;
    slot_ = static_cast<std::ptrdiff_t>(i);
    return;
  }
}

TemporaryName::~TemporaryName() {
  if (slot_ < 0) return;
  // Unless it is being removed: then the name must stay where it is, and the program ends.
  change(slots.at(static_cast<std::size_t>(slot_)).state, State::remembered, State::free);
}

void remove_temporaries() noexcept {
  const int before = errno;
  for (Slot& slot : slots) {
    if (change(slot.state, State::remembered, State::removing)) ::unlink(slot.name.data());
  }
  errno = before;
}

}  // namespace pate
