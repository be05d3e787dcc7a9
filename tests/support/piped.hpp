#pragma once

#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace pate::test {

/// A pipe that a thread writes these bytes into, as a shell makes one of `<(command)`: it can be
/// read once, then it is empty. They must be read, or fit into a pipe.
class Piped {
 public:
  explicit Piped(std::string bytes) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe can be made");
    read_end_ = ends[0];
    writer_ = std::thread([bytes = std::move(bytes), end = ends[1]] {
      for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t written = ::write(end, bytes.data() + done, bytes.size() - done);
        if (written < 0) break;
        done += static_cast<std::size_t>(written);
      }
      ::close(end);
    });
  }
  Piped(const Piped&) = delete;
  Piped& operator=(const Piped&) = delete;
  ~Piped() {
    writer_.join();
    ::close(read_end_);
  }

  [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(read_end_); }

 private:
  int read_end_ = -1;
  std::thread writer_;
};

}  // namespace pate::test
