#pragma once

#include <cstdint>
#include <string_view>

namespace pate {

/// The most parts that a work may have; `begin` and `end` cannot overflow below it.
inline constexpr std::int64_t kMaxShards = 1'000'000;

/// One of `of` parts of a list of things that are worked on apart, in order and as equal as can be:
/// the queries of a run, the points of a grid. The default is the whole.
struct Shard {
  std::int64_t index = 1;  ///< from 1
  std::int64_t of = 1;

  /// The part of `size` things: positions begin(size) up to, not including, end(size). The parts
  /// follow each other without gap or overlap; some are empty where there are more parts than
  /// things.
  [[nodiscard]] std::int64_t begin(std::int64_t size) const;
  [[nodiscard]] std::int64_t end(std::int64_t size) const;

  friend bool operator==(const Shard&, const Shard&) = default;
};

/// Reads "i/n". Throws `parameter_error` quoting the text unless 1 <= i <= n <= `kMaxShards`; the
/// message calls it `name` and has `example` for one.
[[nodiscard]] Shard parse_shard(std::string_view text, std::string_view name = "shard",
                                std::string_view example = "2/3");

}  // namespace pate
