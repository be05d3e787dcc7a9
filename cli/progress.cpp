#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <system_error>
#include <utility>

#include "pate/base/signal_cleanup.hpp"

namespace pate::cli {

namespace {

// Erases the line of a terminal that the cursor is in.
constexpr const char* kEraseLine = "\r\x1b[K";

using Seconds = std::chrono::duration<double>;

constexpr Seconds kPatience{1.0};
constexpr Seconds kInterval{0.1};
constexpr double kWidth = 20;

// Whether there is anybody to see it.
bool is_seen(const Streams& streams) {
  return streams.err_is_terminal && streams.progress;
}

// What of a line fits: a terminal that has to break one cannot erase it.
std::string fitted(std::string line, std::size_t columns) {
  if (line.size() >= columns) line.resize(columns - 1);
  return line;
}

// "12 s", "3 min", "2 h": as much as such an estimate is worth.
std::string rough(double seconds) {
  if (seconds < 90.0) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 5400.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.0f} h", seconds / 3600.0);
}

}  // namespace

Progress::Progress(const Streams& streams, std::string what, Clock clock)
    : err_(streams.err),
      terminal_(is_seen(streams)),
      columns_(streams.err_columns),
      what_(std::move(what)),
      clock_(std::move(clock)),
      begin_(clock_()),
      drawn_(begin_) {}

Progress::~Progress() {
  if (shown_ > 0) err_ << kEraseLine << std::flush;
}

ProgressCallback Progress::callback() {
  if (!terminal_) return {};
  return [this](std::int64_t done, std::int64_t total) { update(done, total); };
}

void Progress::update(std::int64_t done, std::int64_t total) {
  // Whoever comes while another thread draws has nothing to add.
  const std::unique_lock lock(drawing_, std::try_to_lock);
  if (!lock || done <= shown_ || done > total) return;
  const Time now = clock_();
  if (now - begin_ < kPatience || (shown_ > 0 && now - drawn_ < kInterval)) return;
  drawn_ = now;
  shown_ = done;
  const double share = static_cast<double>(done) / static_cast<double>(total);
  err_ << kEraseLine << line(share, Seconds(now - begin_).count()) << std::flush;
}

std::string Progress::line(double share, double seconds) const {
  const auto full = static_cast<std::size_t>(share * kWidth);
  const std::string bar = fmt::format(" [{}{}]", std::string(full, '#'),
                                      std::string(static_cast<std::size_t>(kWidth) - full, '-'));
  const std::string rest = fmt::format(" {:3.0f} %, {} left", std::floor(100.0 * share),
                                       rough(seconds * (1.0 / share - 1.0)));
  const std::string first = "pate: " + what_;
  const bool has_room = first.size() + bar.size() + rest.size() < columns_;
  return fitted(first + (has_room ? bar : "") + rest, columns_);
}

Activity::Activity(const Streams& streams, std::string what, std::chrono::milliseconds second)
    : err_(streams.err), what_(std::move(what)), columns_(streams.err_columns), second_(second) {
  if (!is_seen(streams) || threads_with_room(1) == 0) return;
  try {
    const io::SignalsHeld held;  // they are for the thread that has files to remove
    thread_ = JoinedThread([this] { draw_every_second(); });
  } catch (const std::system_error&) {
    // No room for a thread: nothing is drawn.
  }
}

Activity::~Activity() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

void Activity::draw_every_second() {
  std::unique_lock lock(mutex_);
  int seconds = 0;
  while (!changed_.wait_for(lock, second_, [this] { return ended_; })) {
    err_ << kEraseLine << fitted(fmt::format("pate: {}, {} s", what_, ++seconds), columns_)
         << std::flush;
  }
  if (seconds > 0) err_ << kEraseLine << std::flush;
}

}  // namespace pate::cli
