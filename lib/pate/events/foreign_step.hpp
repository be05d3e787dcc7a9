#pragma once

#include <string>

#include "pate/events/event.hpp"

namespace pate {

// What others did on the same data, of which they say how private it is: a student that DP-SGD
// fine-tuned, statistics of the same people. Nothing here looks at how they know.

/// Another mechanism as an event: what it is called, who says how private it is, what they say. It
/// protects one record of the data, the least that such a number can mean. Throws `parameter_error`
/// for an empty name or source, where nothing is told, and for numbers out of their domain: mu,
/// rho, xi and RDP >= 0 and finite, orders from `kLowestOrder` to `kHighestOrder`, increasing, each
/// with its RDP.
[[nodiscard]] Event foreign_event(const std::string& name, const std::string& source,
                                  const ForeignStep& step);
/// The same of what is (epsilon, delta)-DP. Domain: epsilon >= 0 finite, delta in [0, 1).
[[nodiscard]] Event foreign_event(const std::string& name, const std::string& source,
                                  const PrivacyClaim& claim);

/// Whether an event is what others say of theirs.
[[nodiscard]] bool is_foreign(const Event& event);

/// RDP of a foreign step at an order > 1, an upper bound by less than 1e-11 of itself of
///
///     count (C(order) + xi + (rho + mu^2 / 2) order)
///
/// (Bun, Steinke 2016, Proposition 6 and Definition 8). C is what the orders that are told prove:
/// RDP never falls with the order, so at each of them the least that is told there or further up
/// holds; between two of them (order - 1) C is convex, so that the chord is above it; below the
/// first the first holds, above the last nothing is known: +inf.
[[nodiscard]] double foreign_rdp(const ForeignStep& step, double order);

/// What is told, for people: "student (source: opacus 1.4): RDP at 52 orders from 1.5 to 64".
[[nodiscard]] std::string foreign_in_words(const Event& event);

}  // namespace pate
