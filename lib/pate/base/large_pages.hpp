#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace pate {

/// For arrays that are read here and there: those of many megabytes ask for pages of 2 MiB, as the
/// search for pages takes a third of the time otherwise. Where the system has none, nothing
/// changes.
template <class T>
struct LargePages {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{1} << 21U;

  LargePages() = default;
  template <class Other>
  LargePages(const LargePages<Other>& /*other*/) {}  // NOLINT(*-explicit-*): as std::allocator

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* const begin = ::operator new (bytes, std::align_val_t{alignment(bytes)});
#ifdef MADV_HUGEPAGE
    if (bytes >= kPage) (void)::madvise(begin, bytes / kPage * kPage, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(begin);
  }
  void deallocate(T* begin, std::size_t count) noexcept {
    ::operator delete (begin, std::align_val_t{alignment(count * sizeof(T))});
  }
  template <class Other>
  bool operator==(const LargePages<Other>& /*other*/) const {
    return true;
  }

 private:
  static constexpr std::size_t alignment(std::size_t bytes) {
    return bytes < kPage ? alignof(std::max_align_t) : kPage;
  }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

}  // namespace pate
