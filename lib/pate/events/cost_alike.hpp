#pragma once

#include <algorithm>

#include "pate/events/event.hpp"

namespace pate {

/// Whether two events cost the same on their votes: one mechanism put to the same list of queries,
/// whichever of them was answered. Draws of one run again and again are, and are computed once.
[[nodiscard]] inline bool cost_alike(const Event& a, const Event& b) {
  const bool are_rows_alike =
      std::ranges::equal(a.facts.table, b.facts.table, [](const QueryRow& x, const QueryRow& y) {
        return x.statistic == y.statistic && x.log_q == y.log_q && x.count == y.count;
      });
  if (!are_rows_alike || a.times != b.times) return false;
  PublicEvent its = b.open;
  its.id = a.open.id;
  its.realized = a.open.realized;
  its.origin.stopped = a.open.origin.stopped;
  return its == a.open && a.facts.exact == b.facts.exact && a.facts.curves == b.facts.curves &&
         a.facts.noise == b.facts.noise;
}

}  // namespace pate
