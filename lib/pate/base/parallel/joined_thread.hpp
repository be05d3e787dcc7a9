#pragma once

#include <functional>
#include <thread>
#include <utility>

namespace pate {

/// A thread that is waited for when the object goes, as `std::jthread` is, which the standard
/// libraries of clang do not all have. What it runs must not throw. The constructor throws
/// `std::system_error` where the system has no room for a thread.
class JoinedThread {
 public:
  /// No thread.
  JoinedThread() = default;
  explicit JoinedThread(std::function<void()> work) : thread_(std::move(work)) {}
  JoinedThread(const JoinedThread&) = delete;
  JoinedThread& operator=(const JoinedThread&) = delete;
  JoinedThread(JoinedThread&& other) noexcept = default;
  /// Waits for the thread that was there.
  JoinedThread& operator=(JoinedThread&& other) noexcept {
    join();
    thread_ = std::move(other.thread_);
    return *this;
  }
  ~JoinedThread() { join(); }

  /// Waits until the thread has ended; nothing where there is none.
  void join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

}  // namespace pate
