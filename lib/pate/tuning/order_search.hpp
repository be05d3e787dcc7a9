#pragma once

#include <cstddef>
#include <vector>

namespace pate {

/// Looks for the smallest of `size` numbers that fall and then rise, evaluating few of them: from
/// `start` downhill with steps of `first_step`, a quarter of it and so on to `last_step`. Where the
/// numbers rise and fall several times the result is a local minimum, an evaluated number all the
/// same. Returns its position; then also its neighbours at a distance of `last_step` have been
/// evaluated. Domain: start < size, last_step > 0.
template <class Evaluate>
[[nodiscard]] std::size_t downhill(std::size_t size, std::size_t start, std::size_t first_step,
                                   std::size_t last_step, Evaluate&& value_at) {
  std::size_t best = start;
  double value = value_at(best);
  for (std::size_t step = first_step; step >= last_step; step /= 4) {
    bool moved = true;
    bool down = true;  // worth looking towards smaller positions
    bool up = true;
    while (moved) {
      moved = false;
      if (up && best + step < size) {
        const double there = value_at(best + step);
        if (there < value) {
          best += step;
          value = there;
          moved = true;
          down = false;
          continue;
        }
      }
      up = false;
      if (down && best >= step) {
        const double there = value_at(best - step);
        if (there < value) {
          best -= step;
          value = there;
          moved = true;
        }
      }
    }
  }
  return best;
}

}  // namespace pate
