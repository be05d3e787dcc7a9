#include "cli/progress.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>

#include "pate/base/parallel/parallel_for.hpp"

using pate::ProgressCallback;
using pate::ProgressCounter;
using pate::cli::Activity;
using pate::cli::Progress;
using pate::cli::Streams;

namespace {

const std::string kErase = "\r\x1b[K";

// A terminal, or none, and a clock that is set by hand.
struct Desk {
  std::ostringstream out, err;
  std::chrono::milliseconds now{0};

  [[nodiscard]] Streams streams(bool terminal) { return {out, err, true, terminal}; }
  [[nodiscard]] Progress::Clock clock() {
    return [this] { return Progress::Time(now); };
  }
  // What was written since the last time.
  std::string written() {
    std::string text = err.str();
    err.str("");
    return text;
  }
};

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

TEST_CASE("a bar after a second, with the time left, erased at the end") {
  Desk desk;
  {
    Progress progress(desk.streams(true), "reading votes", desk.clock());
    const ProgressCallback update = progress.callback();
    desk.now = std::chrono::milliseconds(999);
    update(5, 100);
    CHECK(desk.written().empty());
    desk.now = std::chrono::milliseconds(1000);
    update(10, 100);
    CHECK(desk.written() == kErase + "pate: reading votes [##------------------]  10 %, 9 s left");
    desk.now = std::chrono::milliseconds(1099);  // too soon
    update(20, 100);
    CHECK(desk.written().empty());
    desk.now = std::chrono::milliseconds(2000);
    update(9, 100);  // of a thread that was late
    CHECK(desk.written().empty());
    update(99, 100);
    CHECK(desk.written() == kErase + "pate: reading votes [###################-]  99 %, 1 s left");
    desk.now = std::chrono::milliseconds(2200);
    update(100, 100);
    CHECK(desk.written() == kErase + "pate: reading votes [####################] 100 %, 0 s left");
  }
  CHECK(desk.written() == kErase);
  CHECK(desk.out.str().empty());
}

TEST_CASE("minutes and hours") {
  Desk desk;
  Progress progress(desk.streams(true), "work", desk.clock());
  desk.now = std::chrono::seconds(100);
  progress.callback()(1, 10);
  CHECK(desk.written().ends_with(" 10 %, 15 min left"));
  desk.now = std::chrono::seconds(400);
  progress.callback()(2, 100);
  CHECK(desk.written().ends_with("  2 %, 5 h left"));
}

TEST_CASE("nothing of quick work, and nothing where there is no terminal") {
  Desk desk;
  {
    Progress progress(desk.streams(true), "work", desk.clock());
    desk.now = std::chrono::milliseconds(500);
    progress.callback()(1, 1);
  }
  CHECK(desk.written().empty());
  {
    Progress progress(desk.streams(false), "work", desk.clock());
    desk.now = std::chrono::seconds(50);
    CHECK_FALSE(progress.callback());
    ProgressCounter counter(progress.callback(), 10);
    counter.add(5);
  }
  CHECK(desk.written().empty());
}

TEST_CASE("it is never wider than the terminal") {
  for (std::size_t columns = 1; columns <= 90; ++columns) {
    CAPTURE(columns);
    Desk desk;
    Streams streams = desk.streams(true);
    streams.err_columns = columns;
    Progress progress(streams, "reading votes", desk.clock());
    desk.now = std::chrono::seconds(2);
    progress.callback()(50, 100);
    const std::string line = desk.written().substr(kErase.size());
    CHECK(line.size() < columns);
    CHECK(line.find('[') == (columns > 58 ? 20 : std::string::npos));
    if (columns > 40) CHECK(line.ends_with(" 50 %, 2 s left"));
  }
}

TEST_CASE("nothing is drawn where it is not wanted") {
  Desk desk;
  Streams streams = desk.streams(true);
  streams.progress = false;
  const Progress progress(streams, "work", desk.clock());
  CHECK_FALSE(const_cast<Progress&>(progress).callback());
}

TEST_CASE("threads count together") {
  std::atomic<std::int64_t> largest = 0;
  ProgressCounter counter(
      [&](std::int64_t done, std::int64_t total) {
        CHECK(total == 300);
        for (std::int64_t old = largest; done > old && !largest.compare_exchange_weak(old, done);) {
        }
      },
      300);
  pate::parallel_for(100, 4, [&](std::size_t) { counter.add(3); });
  CHECK(largest == 300);
}

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
