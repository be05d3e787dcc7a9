#include "pate/io/printable.hpp"

#include <fmt/format.h>

namespace pate::io {

std::string printable(std::string_view text, std::size_t longest) {
  std::string shown;
  for (const char c : text.substr(0, longest)) {
    const auto code = static_cast<unsigned char>(c);
    shown += code >= 0x20 && code < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", code);
  }
  return text.size() > longest ? shown + "..." : shown;
}

}  // namespace pate::io
