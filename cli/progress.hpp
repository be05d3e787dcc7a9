#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "cli/streams.hpp"
#include "pate/base/parallel/joined_thread.hpp"
#include "pate/base/parallel/parallel_for.hpp"

namespace pate::cli {

/// A progress bar with the time that is left, on standard error:
///
///     pate: reading votes [########------------]  42 %, 12 s left
///
/// It is drawn only where standard error is a terminal that progress is wanted on, only once the
/// work has taken a second, at most ten times a second, never wider than the terminal (first the
/// bar is left out, then the end of the words), and is erased when the object dies: make it just
/// around the work, so that it is gone before anything else is written there.
class Progress {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Clock = std::function<Time()>;

  /// `what` says in two or three words what is being done. The clock is for tests.
  Progress(
      const Streams& streams, std::string what,
      Clock clock = [] { return std::chrono::steady_clock::now(); });
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// For a loop of the library; it must end before this object does. Empty when there is no
  /// terminal to draw on, so that nothing is spent then.
  [[nodiscard]] ProgressCallback callback();

 private:
  void update(std::int64_t done, std::int64_t total);
  [[nodiscard]] std::string line(double share, double seconds) const;

  std::ostream& err_;
  bool terminal_;
  std::size_t columns_;
  std::string what_;
  Clock clock_;
  Time begin_;
  std::mutex drawing_;  // guards what follows
  Time drawn_;
  std::int64_t shown_ = 0;  // work done when it was last drawn, 0: not drawn
};

/// Tells on standard error what is being done and for how long already, where nobody knows how much
/// is left:
///
///     pate: computing exact costs, 3 s
///
/// As with Progress: only on a terminal, only once the work has taken a second, erased when the
/// object dies, and nothing else may write there meanwhile.
class Activity {
 public:
  /// `what` says in two or three words what is being done. A second is as long as `second`; other
  /// lengths are for tests.
  Activity(const Streams& streams, std::string what,
           std::chrono::milliseconds second = std::chrono::seconds(1));
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

 private:
  void draw_every_second();

  std::ostream& err_;
  std::string what_;
  std::size_t columns_;
  std::chrono::milliseconds second_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;   // guarded by the mutex
  JoinedThread thread_;  // none without a terminal; ends first
};

}  // namespace pate::cli
