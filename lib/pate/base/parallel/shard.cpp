#include "pate/base/parallel/shard.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <system_error>

#include "pate/base/error.hpp"

namespace pate {

namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// size * index / of without overflow.
std::int64_t share(std::int64_t size, std::int64_t index, std::int64_t of) {
  return size / of * index + size % of * index / of;
}

}  // namespace

std::int64_t Shard::begin(std::int64_t size) const {
  return share(size, index - 1, of);
}

std::int64_t Shard::end(std::int64_t size) const {
  return share(size, index, of);
}

Shard parse_shard(std::string_view text, std::string_view name, std::string_view example) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto index = whole_number(text.substr(0, slash));
    const auto of = whole_number(text.substr(slash + 1));
    if (index && of && *index >= 1 && *index <= *of && *of <= kMaxShards) return {*index, *of};
  }
  throw parameter_error(fmt::format("{} must be i/n with 1 <= i <= n <= {}, like {}, got '{}'",
                                    name, kMaxShards, example, text));
}

}  // namespace pate
