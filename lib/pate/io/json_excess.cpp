#include "pate/io/json_excess.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace pate::io {

namespace {

// Reports need 6 levels, and 50 members.
constexpr std::size_t kMostLevels = 50;
constexpr std::size_t kMostMembers = 1000;

// The position behind a string that begins at `start`; the size of the text where it does not end.
std::size_t behind_string(std::string_view text, std::size_t start) {
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return text.size();
}

}  // namespace

std::string_view json_excess(std::string_view text) {
  // Of every open object how many names it has had. Elements of arrays are not counted.
  std::array<std::size_t, kMostLevels> names{};
  std::size_t levels = 0;
  for (std::size_t i = 0; i < text.size();) {
    switch (text[i]) {
      case '"':
        i = behind_string(text, i);
        continue;
      case '{':
      case '[':
        if (levels == kMostLevels) return "it is nested deeper than 50 levels";
        names[levels++] = 0;
        break;
      case '}':
      case ']':
        levels -= std::min<std::size_t>(levels, 1);
        break;
      case ':':
        if (levels > 0 && ++names[levels - 1] > kMostMembers) {
          return "it has an object of more than 1000 members";
        }
        break;
      default:
        break;
    }
    ++i;
  }
  return {};
}

}  // namespace pate::io
