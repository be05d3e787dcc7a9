#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "pate/mechanisms/sampling/bit_source.hpp"

namespace pate {

// What is told of an index on a public curve, of either kind: those have `noise()`, `epsilon(y)`,
// `floor()` and `ceiling()`.

/// What is published: nothing else depends on the votes.
struct CurveDraw {
  std::int64_t y = 0;    ///< the index with noise; may be told
  double epsilon = 0.0;  ///< R(y)
};

/// Draws the noise of an index. The one thing here that costs privacy.
template <class Curve>
[[nodiscard]] CurveDraw drawn_from(const Curve& curve, std::int64_t index, BitSource& source) {
  const std::int64_t y = index + curve.noise().draw(source);
  return {y, curve.epsilon(y)};
}

/// What E is, for people; `holds`: of which run it is one, `teachers`: of how many one person is.
template <class Curve>
[[nodiscard]] std::string curve_in_words(const Curve& curve, double s, std::int64_t teachers,
                                         std::string_view holds) {
  return fmt::format(
      "There is this one delta and no other failure probability. E is read off a curve that does "
      "not depend on the votes, at an index that does, and that {} by at most one, with discrete "
      "normal noise (s = {}); what telling it costs is part of E. Whatever the "
      "votes, what this run adds to E lies between {} and {}. {}",
      teachers == 1 ? "one teacher changes" : fmt::format("up to {} teachers change", teachers), s,
      curve.floor(), curve.ceiling(), holds);
}

}  // namespace pate
