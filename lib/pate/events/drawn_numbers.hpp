#pragma once

#include <optional>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/events/event.hpp"

namespace pate {

/// What an epsilon and delta say of several events.
struct ToldEpsilon {
  double epsilon = 0.0;
  double delta = 0.0;
  Promise promise = Promise::fixed;
};

/// The numbers that were drawn and that no later one counts, in canonical order. Throws
/// `input_error` where numbers count each other, as only a file that was edited has them.
[[nodiscard]] std::vector<const Event*> standing_numbers(const Record& record);

/// Whether the event is a number that a test of a claim told (`pate release --at-most`), and says
/// so.
[[nodiscard]] bool is_claim(const PublicEvent& event);

/// Whether two numbers told one coin: a claim that passed has a number from before its test, which
/// holds whatever comes out, and one from after it, which counts that one. Two claims of the same
/// run have no such tie, as a ledger has one claim at most.
[[nodiscard]] bool is_same_coin(const PublicEvent& later, const PublicEvent& earlier);

/// The record with one number of each coin: the later. For sums of what telling numbers costs.
[[nodiscard]] Record one_number_a_coin(const Record& record);

/// Their epsilons and deltas, added up, rounded upwards; the least that one of them promises.
[[nodiscard]] ToldEpsilon drawn_total(const std::vector<const Event*>& numbers);

/// The events that no drawn number counts.
[[nodiscard]] Record uncounted(const Record& record);

/// The delta of a claim, which is certain however much of delta there is; none where the event is
/// none.
[[nodiscard]] std::optional<double> claimed_delta(const Event& event);

/// The delta at which a record is told unless another is asked for: the largest at which its events
/// tell their own costs, and beside it the deltas of claims, and of numbers that were drawn with
/// what is counted by these.
[[nodiscard]] double default_delta(const Record& record);

/// The sum of the deltas at which the events of a record tell their own costs, as a ledger adds
/// them up.
[[nodiscard]] double recorded_delta(const Record& record);

}  // namespace pate
