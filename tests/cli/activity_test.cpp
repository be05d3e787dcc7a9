#include "cli/activity.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <sstream>
#include <string>
#include <thread>

using pate::cli::Activity;
using pate::cli::Streams;

namespace {

const std::string kErase = "\r\x1b[K";

// What work of `length` leaves on a terminal, or elsewhere, where a second takes 20 ms.
std::string written(bool terminal, std::chrono::milliseconds length) {
  std::ostringstream out;
  std::ostringstream err;
  {
    const Activity activity({out, err, true, terminal}, "work", std::chrono::milliseconds(20));
    std::this_thread::sleep_for(length);
  }
  CHECK(out.str().empty());
  return err.str();
}

}  // namespace

TEST_SUITE_BEGIN("progress");

TEST_CASE("long work says how long it has taken, and wipes that at the end") {
  const std::string text = written(true, std::chrono::milliseconds(400));
  const std::string first = kErase + "pate: work, 1 s";
  CHECK(text.starts_with(first + kErase + "pate: work, 2 s"));
  CHECK(text.ends_with(" s" + kErase));
}

TEST_CASE("short work leaves nothing, and no work does where there is no terminal") {
  std::ostringstream out;
  std::ostringstream err;
  { const Activity activity({out, err, true, true}, "work", std::chrono::hours(1)); }
  CHECK(err.str().empty());
  CHECK(written(false, std::chrono::milliseconds(60)).empty());
}

TEST_SUITE_END();
