#include "cli/activity.hpp"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "cli/progress.hpp"

namespace pate::cli {

Activity::Activity(const Streams& streams, std::string what, std::chrono::milliseconds second)
    : err_(streams.err), what_(std::move(what)), second_(second) {
  if (streams.err_is_terminal) thread_ = std::thread([this] { draw_every_second(); });
}

Activity::~Activity() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ended_changed_.notify_one();
  thread_.join();
}

void Activity::draw_every_second() {
  std::unique_lock lock(mutex_);
  int seconds = 0;
  while (!ended_changed_.wait_for(lock, second_, [this] { return ended_; })) {
    err_ << kEraseLine << fmt::format("pate: {}, {} s", what_, ++seconds) << std::flush;
  }
  if (seconds > 0) err_ << kEraseLine << std::flush;
}

}  // namespace pate::cli
