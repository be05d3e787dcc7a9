#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pate/base/parallel/parallel_for.hpp"
#include "pate/divergence/complex/key_moduli.hpp"

namespace pate {

/// Units of a modulus, 2^-40 of its logarithm, as they are kept by key: rounded up to 24 bits, and
/// to whole ones when they are added. So a table takes half the memory, and what is certified grows
/// by 6e-8 at most, relative.
using ModulusUnits = float;
inline constexpr ModulusUnits kNoModulus = -std::numeric_limits<float>::infinity();

/// The place of keys (v, x2, x3) with x2 <= x, x2 + x3 <= s in a table of one v: only those are
/// kept that differ, x <= s <= 2 x. With two keys s does not count.
class KeyPlane {
 public:
  KeyPlane(const KeyModuli& moduli, std::int64_t v);

  [[nodiscard]] std::int64_t v() const { return v_; }
  /// The largest x2, and the number of places.
  [[nodiscard]] std::int64_t last() const { return last_; }
  [[nodiscard]] std::size_t size() const { return starts_.back(); }
  /// Of the largest key that there is within s and x.
  [[nodiscard]] std::size_t place(std::int64_t s, std::int64_t x) const {
    if (!three_) return static_cast<std::size_t>(std::min(x, last_));
    const std::int64_t column = std::min({x, last_, s});
    const std::int64_t row = std::min({s, sum_, 2 * column});
    return starts_[static_cast<std::size_t>(column)] + static_cast<std::size_t>(row - column);
  }
  /// What has been set key by key becomes what rises with s and x; each place has `width` numbers.
  void make_rising(ModulusUnits* values, std::size_t width) const;
  /// Whether values do: none is less than a neighbour's below it, or no number.
  [[nodiscard]] bool is_rising(const ModulusUnits* values, std::size_t width) const;

 private:
  template <class Use>
  void for_neighbours(const Use& use) const;

  bool three_;
  std::int64_t v_;
  std::int64_t sum_;                 // the largest x2 + x3
  std::int64_t last_;                // the largest x2
  std::vector<std::size_t> starts_;  // by x, and the end
};

/// to[i] becomes the larger of both.
inline void raise_units(const ModulusUnits* from, std::size_t size, ModulusUnits* to) {
  for (std::size_t i = 0; i < size; ++i) to[i] = from[i] > to[i] ? from[i] : to[i];
}

/// The planes of v = first .. last, their values one after the other: the largest moduli of what is
/// within each place, computed in parallel. The same bits with any threads, and whichever planes
/// are computed together.
class KeyPlanes {
 public:
  KeyPlanes(const KeyModuli& moduli, std::int64_t first, std::int64_t last);

  [[nodiscard]] const std::vector<KeyPlane>& planes() const { return planes_; }
  [[nodiscard]] std::size_t width() const { return width_; }
  /// How many numbers there are in all.
  [[nodiscard]] std::size_t size() const { return starts_.back() * width_; }
  [[nodiscard]] std::size_t start(std::size_t plane) const { return starts_[plane] * width_; }

  void compute(const KeyModuli& moduli, std::span<ModulusUnits> values, unsigned threads) const;

 private:
  std::vector<KeyPlane> planes_;
  std::vector<std::size_t> starts_;  // in places, and the end
  std::size_t width_;
};

}  // namespace pate
