#include "pate/base/parallel/joined_thread.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

using pate::JoinedThread;

namespace {

// Ends well after whoever does not wait for it.
void slowly(std::atomic<int>& ended) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ++ended;
}

}  // namespace

TEST_CASE("joined thread: waited for at the end, when it is replaced, and once it was moved") {
  std::atomic<int> ended{0};
  {
    JoinedThread one([&] { slowly(ended); });
    one = JoinedThread([&] { slowly(ended); });
    CHECK(ended >= 1);
    const JoinedThread other(std::move(one));
    one.join();
  }
  CHECK(ended == 2);
  JoinedThread none;
  none.join();
}
