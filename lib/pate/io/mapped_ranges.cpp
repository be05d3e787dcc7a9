#include "pate/io/mapped_ranges.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>

namespace pate {

namespace {

enum class State { free, filling, remembered };
static_assert(std::atomic<State>::is_always_lock_free);

// Memory that is always there: a handler may look at it at any moment.
struct Slot {
  std::atomic<State> state{State::free};
  const char* begin = nullptr;
  const char* end = nullptr;
  std::array<char, 4096> path{};
};
constinit std::array<Slot, 64> slots;

}  // namespace

MappedRange::MappedRange(const void* address, std::size_t size,
                         const std::filesystem::path& path) noexcept {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots.at(i);
    State expected = State::free;
    if (!slot.state.compare_exchange_strong(expected, State::filling)) continue;
    slot.begin = static_cast<const char*>(address);
    slot.end = slot.begin + size;
    const std::size_t length = std::min(path.native().size(), slot.path.size() - 1);
    std::copy_n(path.native().begin(), length, slot.path.begin());
    slot.path.at(length) = '\0';
    slot.state = State::remembered;
    slot_ = static_cast<std::ptrdiff_t>(i);
    return;
  }
}

MappedRange::~MappedRange() {
  if (slot_ >= 0) slots.at(static_cast<std::size_t>(slot_)).state = State::free;
}

const char* mapped_file_at(const void* address) noexcept {
  const char* const at = static_cast<const char*>(address);
  for (const Slot& slot : slots) {
    if (slot.state != State::remembered) continue;
    // std::less orders any pointers.
    if (!std::less<>()(at, slot.begin) && std::less<>()(at, slot.end)) return slot.path.data();
  }
  return nullptr;
}

}  // namespace pate
