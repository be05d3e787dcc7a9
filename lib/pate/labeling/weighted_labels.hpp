#pragma once

#include "pate/accounting/weighted_account.hpp"
#include "pate/accounting/weighted_run.hpp"
#include "pate/labeling/label_account.hpp"
#include "pate/labeling/label_run.hpp"
#include "pate/labeling/privacy_filter.hpp"

namespace pate {

/// What labels cost that were drawn with weighted votes (`label_queries` of `run.in_units()`): the
/// account of the heaviest teacher, as `label_account` has it, told in its votes, and so of
/// everybody; by weight what teachers pay. `any_votes` of a weight is certain before the run: as
/// many steps as the limits allow.
///
/// `filter` counted what the heaviest teacher pays, `run.paid_by(run.weights().heaviest())`. Of
/// every step others pay a share of that at its order, whatever the votes are, and so of the RDP
/// that its limit allows. Throws what reading the votes throws.
[[nodiscard]] WeightedAccount weighted_label_account(const WeightedRun& run,
                                                     const LabelledQueries& labelled,
                                                     const PrivacyFilter& filter,
                                                     const RunLimits& limits, double delta,
                                                     unsigned threads);

}  // namespace pate
