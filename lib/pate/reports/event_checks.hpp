#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pate/base/json.hpp"
#include "pate/events/event.hpp"

namespace pate::reports {

// Whether the facts of an event that was read fit each other. All throw `input_error` naming the
// member that does not.

/// The rows of a table are all queries of a run, each once.
void check_table(const io::JsonValue& json, const PublicEvent& open,
                 const std::vector<QueryRow>& rows);

/// There is an order, and each is larger than the one before.
void check_orders(const io::JsonValue& json, const std::vector<double>& orders);

/// Queries were answered by steps of some kind: where none are told they would cost nothing. Those
/// of an aggregator are the ones its queries take: a check each and, but for answers that limits
/// excluded, a noisy maximum.
void check_steps(const io::JsonValue& json, const PublicEvent& open);

/// An event has the facts of its kind and no others.
void check_kind(const io::JsonValue& json, const PublicEvent& open);

/// What an event says that it protects: "record", "teacher" or, for other neighbours, a word of its
/// own, so that no earlier version takes their costs for those of one teacher that votes otherwise.
[[nodiscard]] std::string protected_word(const PublicEvent& open);

/// What is protected is what the aggregator and the steps are for.
void check_neighbours(const io::JsonValue& json, const PublicEvent& open,
                      const std::optional<CostedMechanism>& aggregator);

}  // namespace pate::reports
