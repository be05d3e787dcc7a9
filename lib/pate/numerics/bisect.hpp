#pragma once

#include <algorithm>
#include <numeric>

namespace pate {

/// Halves the whole numbers between `yes`, of which `holds` is true, and `no`, of which it is
/// false, until they are neighbours or no further apart than `tolerance` times the smaller one.
/// Either may be the larger; neither is asked. Returns the last one that it was true of, which is
/// the border where there is one only.
template <class Whole, class Holds>
[[nodiscard]] Whole bisect(Whole yes, Whole no, const Holds& holds, double tolerance = 0.0) {
  for (;;) {
    const auto [low, high] = std::minmax(yes, no);
    const auto apart = static_cast<Whole>(tolerance * static_cast<double>(low));
    if (high - low <= std::max(Whole{1}, apart)) return yes;
    const Whole middle = std::midpoint(low, high);
    (holds(middle) ? yes : no) = middle;
  }
}

/// Returns the largest whole number up to `most` that `holds` is true of, as it is of `yes`: asks
/// `first`, twice that and so on, and then halves. Domain: yes < first <= most + 1.
template <class Whole, class Holds>
[[nodiscard]] Whole largest_by_doubling(Whole yes, Whole first, Whole most, const Holds& holds,
                                        double tolerance = 0.0) {
  Whole no = first;
  while (no <= most && holds(no)) {
    yes = no;
    no *= 2;
  }
  return bisect(yes, std::min(no, most + 1), holds, tolerance);
}

}  // namespace pate
