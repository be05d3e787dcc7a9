#include "pate/base/parallel/parallel_for.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace pate;

TEST_SUITE("parallel") {
  TEST_CASE("parallel_for runs every index exactly once") {
    for (const unsigned threads : {0U, 1U, 2U, 8U}) {
      for (const std::size_t count :
           {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{10000}}) {
        std::vector<std::atomic<int>> runs(count);
        parallel_for(count, threads, [&](std::size_t i) { ++runs.at(i); });
        std::size_t once = 0;
        for (const auto& n : runs) once += n == 1 ? 1U : 0U;
        CHECK(once == count);
      }
    }
  }

  TEST_CASE("parallel_for with one thread stays on the caller") {
    const auto caller = std::this_thread::get_id();
    int elsewhere = 0;
    parallel_for(100, 1,
                 [&](std::size_t) { elsewhere += std::this_thread::get_id() != caller ? 1 : 0; });
    CHECK(elsewhere == 0);
  }

  TEST_CASE("parallel_for rethrows the failure of the lowest index") {
    for (const unsigned threads : {1U, 2U, 8U}) {
      for (int repeat = 0; repeat < 50; ++repeat) {
        std::string message;
        try {
          parallel_for(1000, threads, [](std::size_t i) {
            if (i == 37 || i == 38 || i == 40 || i == 900)
              throw std::runtime_error(std::to_string(i));
          });
        } catch (const std::runtime_error& failure) {
          message = failure.what();
        }
        CHECK(message == "37");
      }
    }
  }

  TEST_CASE("parallel_for waits for a lower index that fails later") {
    for (const unsigned threads : {2U, 8U}) {
      std::atomic<bool> later_failed{false};
      std::string message;
      try {
        parallel_for(100, threads, [&](std::size_t i) {
          if (i == 5) {
            while (!later_failed) std::this_thread::yield();
            throw std::runtime_error("early index");
          }
          if (i == 17) {
            later_failed = true;
            throw std::runtime_error("late index");
          }
        });
      } catch (const std::runtime_error& failure) {
        message = failure.what();
      }
      CHECK(message == "early index");
    }
  }

  TEST_CASE("parallel_for stops handing out indices after a failure") {
    std::atomic<std::size_t> last{0};
    CHECK_THROWS_AS(parallel_for(1000, 1,
                                 [&](std::size_t i) {
                                   last = i;
                                   if (i == 10) throw std::out_of_range("stop");
                                 }),
                    std::out_of_range);
    CHECK(last == 10);
  }
}
