#include "pate/release/declared/key_planes.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "pate/numerics/whole_division.hpp"

namespace pate {

namespace {

// Units, rounded up to what a float holds. A float above 0 that is too small has the next one in
// the next bits; one below 0, which is further from 0 than it may be, in those before.
void set_units(std::span<const double> logs, ModulusUnits* to) {
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double units = logs[i] * 0x1p40;
    const auto rounded = static_cast<ModulusUnits>(units);
    const auto bits = std::bit_cast<std::int32_t>(rounded);
    const std::int32_t next = bits >= 0 ? 1 : -1;
    to[i] = std::bit_cast<ModulusUnits>(bits + (static_cast<double>(rounded) < units ? next : 0));
  }
}

}  // namespace

// Calls use(from, to) for the places next to each other, from smaller to larger keys.
template <class Use>
void KeyPlane::for_neighbours(const Use& use) const {
  for (std::int64_t x = 0; x <= last_; ++x) {
    const std::int64_t highest = three_ ? std::min(sum_, 2 * x) : x;
    for (std::int64_t s = x; s <= highest; ++s) {
      if (s > x) use(place(s - 1, x), place(s, x));
      if (x > 0) use(place(s, x - 1), place(s, x));
    }
  }
}

KeyPlane::KeyPlane(const KeyModuli& moduli, std::int64_t v)
    : three_(moduli.three_keys()),
      v_(v),
      sum_(moduli.teachers() - v),
      last_(std::min(v, sum_)),
      starts_{0} {
  for (std::int64_t x = 0; x <= last_; ++x) {
    const std::int64_t rows = three_ ? std::min(sum_, 2 * x) - x + 1 : 1;
    starts_.push_back(starts_.back() + static_cast<std::size_t>(rows));
  }
}

void KeyPlane::make_rising(ModulusUnits* values, std::size_t width) const {
  for_neighbours([&](std::size_t from, std::size_t to) {
    raise_units(values + from * width, width, values + to * width);
  });
}

bool KeyPlane::is_rising(const ModulusUnits* values, std::size_t width) const {
  bool rises = true;
  const auto look = [&](const ModulusUnits* from, const ModulusUnits* to) {
    unsigned falls = 0;
    // NaN fails too.
    for (std::size_t i = 0; i < width; ++i) falls |= from[i] <= to[i] ? 0U : 1U;
    rises = rises && falls == 0;
  };
  look(values, values);
  for_neighbours(
      [&](std::size_t from, std::size_t to) { look(values + from * width, values + to * width); });
  return rises;
}

KeyPlanes::KeyPlanes(const KeyModuli& moduli, std::int64_t first, std::int64_t last)
    : starts_{0}, width_(moduli.orders().size()) {
  for (std::int64_t v = first; v <= last; ++v) {
    planes_.emplace_back(moduli, v);
    starts_.push_back(starts_.back() + planes_.back().size());
  }
}

void KeyPlanes::compute(const KeyModuli& moduli, std::span<ModulusUnits> values,
                        unsigned threads) const {
  std::ranges::fill(values, kNoModulus);
  const std::int64_t teachers = moduli.teachers();
  const std::int64_t classes = moduli.classes();
  const std::int64_t first = planes_.front().v();
  const std::int64_t last = planes_.back().v();
  const auto put = [&](std::int64_t v, std::int64_t s, std::int64_t x,
                       std::span<const double> logs) {
    const auto plane = static_cast<std::size_t>(v - first);
    set_units(logs, values.data() + start(plane) + planes_[plane].place(s, x) * width_);
  };
  if (moduli.three_keys()) {
    // Keys with v + x2 = s and x3 are on a line; each is in one place of one plane.
    const std::int64_t sums = std::min(2 * last, teachers) - first + 1;
    parallel_for(static_cast<std::size_t>(sums), threads, [&](std::size_t task) {
      const std::int64_t s = first + static_cast<std::int64_t>(task);
      const std::int64_t rest = teachers - s;
      KeyModuli::Scratch scratch(moduli);
      std::vector<double> logs(width_);
      const std::int64_t lowest = std::max(first, ceil_divide(s, 2));
      // The third counts that some histogram has.
      const std::int64_t least = classes == 2 ? 0 : ceil_divide(rest, classes - 2);
      for (std::int64_t x3 = least; x3 <= rest && s - x3 >= lowest; ++x3) {
        if (classes == 2 && rest > 0) break;
        const std::int64_t highest = std::min(last, s - x3);
        KeyModuli::start_line(s, x3, lowest, highest, scratch);
        for (std::int64_t v = lowest; v <= highest; ++v) {
          moduli.logs_on_line(v, scratch, logs);
          put(v, s - v + x3, s - v, logs);
        }
      }
    });
  } else {
    parallel_for(planes_.size(), threads, [&](std::size_t p) {
      const std::int64_t v = planes_[p].v();
      KeyModuli::Scratch scratch(moduli);
      std::vector<double> logs(width_);
      for (std::int64_t x2 = ceil_divide(teachers - v, classes - 1); x2 <= planes_[p].last();
           ++x2) {
        moduli.logs(v, x2, 0, scratch, logs);
        put(v, x2, x2, logs);
      }
    });
  }
  parallel_for(planes_.size(), threads,
               [&](std::size_t p) { planes_[p].make_rising(values.data() + start(p), width_); });
}

}  // namespace pate
