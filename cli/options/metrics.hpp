#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pate::cli {

/// A few numbers of a report as a flat JSON object, for trackers of experiments, which plot them:
///
/// * `epsilon`, `delta`: the headline;
/// * `answered`: how many queries were answered, or are expected to be where that is not known;
/// * `agreement`: the expected share of the answers that are the plurality, in [0, 1];
/// * `releasable_epsilon`: the smallest epsilon that may be published, at no larger a delta;
/// * `ledger_epsilon`, `ledger_delta`: of a run under a ledger, what all that the ledger has costs,
///   and at which delta that holds, which is the sum of those of its entries;
/// * `ledger_guaranteed`: 1 where that is one epsilon for every outcome, else 0;
/// * `holds`: 1 where every limit of the command line holds, or none was set, else 0.
///
/// json: a report with a headline, or with one in its part `public`. What the report does not have
/// is left out, so that every value is a number. Throws `input_error` where `json` is no report.
[[nodiscard]] std::string metrics_of(std::string_view json, std::optional<double> agreement);

}  // namespace pate::cli
