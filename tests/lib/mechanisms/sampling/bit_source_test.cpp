#include "pate/mechanisms/sampling/bit_source.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "pate/base/error.hpp"
#include "support/bit_sources.hpp"
#include "support/chi_square.hpp"
#include "support/temp_directory.hpp"

using pate::SystemBits;
using pate::test::ScriptedBits;
using pate::test::TestBits;

namespace {

std::string failure(SystemBits::Reader reader) {
  return pate::test::message_of<pate::input_error>([&] {
    SystemBits source(reader);
    (void)source.bits(1);
  });
}

}  // namespace

TEST_SUITE_BEGIN("sampling");

TEST_CASE("bits come from the low end, and none twice") {
  ScriptedBits source({0x0123456789abcdefU, 0xffU});
  CHECK(source.bits(4) == 0xfU);
  CHECK(source.bits(32) == 0x789abcdeU);
  CHECK(source.bits(28) == 0x0123456U);
  CHECK(source.bits(8) == 0xffU);
}

TEST_CASE("a number below n is drawn by rejection") {
  // Three bits at a time: 7 and 6 are rejected, 5 is taken.
  ScriptedBits source({0b101'110'111U});
  CHECK(source.below(6) == 5U);
  ScriptedBits none({});
  CHECK(none.below(1) == 0U);

  TestBits random(7);
  std::array<std::int64_t, 6> counts{};
  for (int i = 0; i < 60000; ++i) ++counts.at(random.below(6));
  const std::array<double, 6> fair{1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0, 1 / 6.0};
  CHECK(pate::test::is_plausible(pate::test::chi_square_p(counts, fair)));
}

TEST_CASE("another source has bits of its own") {
  SystemBits source;
  const auto other = source.another();
  const auto third = other->another();
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) {
    for (pate::BitSource* const each :
         {static_cast<pate::BitSource*>(&source), other.get(), third.get()}) {
      const std::uint64_t high = each->bits(32);
      seen.insert(high << 32U | each->bits(32));
    }
  }
  CHECK(seen.size() == 300);
  SystemBits failing([](void*, std::size_t) -> ssize_t {
    errno = EIO;
    return -1;
  });
  CHECK(pate::test::message_of<pate::input_error>([&] { (void)failing.another()->bits(1); }) != "");
}

TEST_CASE("the test source is the same on every platform") {
  TestBits source(5489);
  // The 10000th number of mt19937_64 is fixed by the C++ standard.
  std::uint64_t word = 0;
  for (int i = 0; i < 10000; ++i) {
    word = source.bits(32);
    word |= static_cast<std::uint64_t>(source.bits(32)) << 32U;
  }
  CHECK(word == 9981545732273789042U);
}

TEST_CASE("the system's source gives other bits every time, in one process and the next page") {
  SystemBits a;
  SystemBits b;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1500; ++i) {
    for (SystemBits* source : {&a, &b}) {
      seen.insert(source->bits(32) | static_cast<std::uint64_t>(source->bits(32)) << 32U);
    }
  }
  CHECK(seen.size() == 3000);  // two of 3000 agree with probability 2^-41
}

TEST_CASE("interrupted and short reads are continued") {
  static int calls = 0;
  calls = 0;
  SystemBits source([](void* to, std::size_t size) -> ssize_t {
    if (++calls == 2) {
      errno = EINTR;
      return -1;
    }
    const std::size_t part = std::min<std::size_t>(size, 1000);
    std::memset(to, 0x5a, part);
    return static_cast<ssize_t>(part);
  });
  for (int i = 0; i < 1024; ++i) REQUIRE(source.bits(32) == 0x5a5a5a5aU);
  CHECK(calls == 6);
}

TEST_CASE("without random numbers there is an error, not a number") {
  CHECK(failure([](void*, std::size_t) -> ssize_t {
          errno = ENOSYS;
          return -1;
        }) == "the operating system's random source cannot be read: Function not implemented");
  CHECK(failure([](void*, std::size_t) -> ssize_t { return 0; }) ==
        "the operating system's random source cannot be read: it ended");
}

TEST_SUITE_END();
