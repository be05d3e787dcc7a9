#include "pate/base/system.hpp"

#include <doctest/doctest.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <vector>

#include "support/killed_child.hpp"

// Built twice: of Linux, and as it is elsewhere (PATE_WITHOUT_LINUX, test_system_elsewhere).

namespace {

namespace system = pate::system;

#if defined(__linux__) && !defined(PATE_WITHOUT_LINUX)
constexpr bool kIsLinux = true;
#else
constexpr bool kIsLinux = false;
#endif

bool is_dumpable() {
#if defined(__linux__) && !defined(PATE_WITHOUT_LINUX) && !defined(__SANITIZE_ADDRESS__)
  return ::prctl(PR_GET_DUMPABLE) != 0;
#else
  return false;  // or not known
#endif
}

}  // namespace

TEST_CASE("system: memory is kept from other processes and out of core dumps") {
  CHECK(pate::test::in_child([] {
          system::keep_memory_private();
          rlimit core{1, 1};
          ::getrlimit(RLIMIT_CORE, &core);
          return core.rlim_cur == 0 && core.rlim_max == 0 && !is_dumpable() ? 7 : 1;
        }).status == 7);
}

TEST_CASE("system: random bytes fill what is asked for, and differ") {
  std::array<unsigned char, 4096> one{};
  std::size_t filled = 0;
  while (filled < one.size()) {
    const ssize_t got = system::fill_with_random(one.data() + filled, one.size() - filled);
    REQUIRE(got > 0);
    REQUIRE(static_cast<std::size_t>(got) <= one.size() - filled);
    filled += static_cast<std::size_t>(got);
  }
  // A block of 16 zeros in 4096 random bytes has a probability below 2^-116.
  for (std::size_t i = 0; i < one.size(); i += 16) {
    CHECK(std::any_of(one.begin() + static_cast<std::ptrdiff_t>(i),
                      one.begin() + static_cast<std::ptrdiff_t>(i) + 16,
                      [](unsigned char byte) { return byte != 0; }));
  }
  std::array<unsigned char, 32> other{};
  CHECK(system::fill_with_random(other.data(), other.size()) == 32);
  CHECK_FALSE(std::equal(other.begin(), other.end(), one.begin()));
  CHECK(system::fill_with_random(other.data(), 0) == 0);
}

TEST_CASE("system: what is erased is zero, and nothing beside it") {
  std::array<char, 9> bytes{};
  bytes.fill('x');
  system::erase(bytes.data() + 1, 7);
  CHECK(std::string_view(bytes.data(), bytes.size()) == std::string_view("x\0\0\0\0\0\0\0x", 9));
}

TEST_CASE("system: memory that is in use, where it is known") {
  CHECK(system::addresses_in_use().has_value() == kIsLinux);
  CHECK(system::data_in_use().has_value() == kIsLinux);
  if (kIsLinux) {
    constexpr std::size_t kBlock = std::size_t{64} << 20U;
    const std::size_t before = *system::addresses_in_use();
    const std::size_t data = *system::data_in_use();
    const std::vector<char> block(kBlock);
    // Or a compiler leaves out what nobody looks at.
    const char* const volatile looked_at = block.data();
    CHECK(looked_at != nullptr);
    CHECK(*system::addresses_in_use() >= before + kBlock / 2);
    CHECK(*system::data_in_use() >= data + kBlock / 2);
    CHECK(*system::data_in_use() <= *system::addresses_in_use());
  }
  CHECK(system::memory_of_the_machine().value_or(0) > std::size_t{16} << 20U);
  CHECK((kIsLinux || !system::memory_of_the_groups().has_value()));
  CHECK(system::memory_of_the_groups().value_or(1) > 0);
}

TEST_CASE("system: a thread takes at least its stack") {
  const std::size_t bytes = system::addresses_of_a_thread();
  CHECK(bytes >= static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_STACK, &limit) == 0);
  if (limit.rlim_cur == (rlim_t{8} << 20U)) CHECK(bytes >= std::size_t{8} << 20U);
}

TEST_CASE("system: a descriptor that is only there") {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): that is what open(2) looks like
  const int there = ::open("/", system::kToBeThere | O_CLOEXEC);
  REQUIRE(there >= 0);
  char byte = 'x';
  CHECK(::read(there, &byte, 1) < 0);
  CHECK(::write(there, &byte, 1) < 0);
  CHECK(errno == EBADF);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): as above
  const int flags = ::fcntl(there, F_GETFL);
  CHECK((system::reads_nor_writes(flags) || (flags & O_ACCMODE) == O_RDONLY));
  CHECK_FALSE(system::reads_nor_writes(O_RDWR));
  ::close(there);
}

TEST_CASE("system: the environment is there") {
  char** const all = system::environment();
  REQUIRE(all != nullptr);
  bool has_path = false;
  for (char** one = all; *one != nullptr; ++one) {
    has_path = has_path || std::string_view(*one).starts_with("PATH=");
  }
  CHECK(has_path);
}
