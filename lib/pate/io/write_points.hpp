#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace pate {

/// Where tests interrupt the writing of files: called with the name of each point that has been
/// reached, so that a test can end the process there. Empty in every command.
struct WritePoints {
  std::function<void(std::string_view point)> reached;
  /// At most so many bytes are written at once, with a point after each piece; 0: no limit.
  std::size_t piece = 0;

  void operator()(std::string_view point) const {
    if (reached) reached(point);
  }
};

}  // namespace pate
