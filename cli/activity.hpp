#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cli/streams.hpp"

namespace pate::cli {

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
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;
  ~Activity();

 private:
  void draw_every_second();

  std::ostream& err_;
  std::string what_;
  std::chrono::milliseconds second_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable ended_changed_;
  bool ended_ = false;
  std::thread thread_;  // none without a terminal
};

}  // namespace pate::cli
