#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/base/json.hpp"

namespace pate::reports {

/// The epsilon of a report that counts first.
struct HeadlineNumber {
  io::JsonValue entry;       ///< with members `epsilon` and `delta`
  bool may_publish = false;  ///< whether it depends on no votes, or was drawn to be published
  Promise promise = Promise::fixed;  ///< what it promises
};

/// What a cost of a report, or its guarantee, says that it promises; none where it does not say, as
/// in reports of earlier versions, and `Promise::none` for a word that this version does not know.
[[nodiscard]] std::optional<Promise> promise_of(const io::JsonValue& entry);

/// The number that a report, or a public part of one, puts first: what a release drew, else the
/// headline. None where a report has none (inspect, tune, a release that was not drawn).
///
/// One rule for all reports: a number may be published if it is in a public part, or says that it
/// is releasable; numbers of `pate darrm` are made without the votes.
[[nodiscard]] std::optional<HeadlineNumber> headline_number(const io::JsonValue& report);

/// What an epsilon is, in a word or three: "guarantee", "of the outcome", "expectation" (over the
/// noise of a selection), "one direction only" or "no promise". `entry` is the cost that has it.
[[nodiscard]] std::string_view promise_in_brief(Promise promise, const io::JsonValue& entry);

/// Why a number that was drawn may not be published, in a sentence, by the public part of its
/// report: where its guarantee does not hold, as of parameters that were chosen from votes. None of
/// other public parts.
[[nodiscard]] std::optional<std::string> why_not_to_publish(const io::JsonValue& part);

/// The costs of a report, or of a public part, that may be published. Of those that depend on no
/// votes all hold at once: for a reading and a delta only the least is among them.
[[nodiscard]] std::vector<io::JsonValue> publishable_costs(const io::JsonValue& report);

/// Whether anything in a report depends on private votes: all but plans, private majorities without
/// votes, and public parts alone.
[[nodiscard]] bool has_private_part(const io::JsonValue& report);

/// A count of the file of labels that a run wrote, by the report or by its public part: "asked",
/// "answered", "refused" or "student". None where a report has no such file.
[[nodiscard]] std::optional<std::int64_t> labels_count(const io::JsonValue& report,
                                                       const char* key);

/// Whether this value is a number, whole or not.
[[nodiscard]] bool is_number(const io::JsonValue& value);

}  // namespace pate::reports
