#pragma once

#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"
#include "pate/labeling/label_run.hpp"
#include "pate/labeling/privacy_filter.hpp"

namespace pate {

/// What a run of the mechanism cost. `costs`, the headline first:
///
///     tradeoff         joint       the queries that were asked, whatever they were answered;
///                                  improved, classic
///     tradeoff         realized    the same, given which were answered; at the filter's order
///     data_independent realized    what the filter counted; at its order
///     data_independent worst_case  all queries of the selection, answered as far as max_answers
///                                  allows: what was certain before the run; improved is at
///                                  most max_epsilon, which the filter guarantees
///
/// An order chosen after the run is sound only for a cost that was fixed before it. Realized costs
/// are therefore stated at the order of the filter, which was fixed before; so are the joint ones
/// of a run with a selection that its limits stopped: where it stopped depends on answers. (At that
/// order exp((order - 1)(loss - cost)) is a supermartingale up to any moment that answers decide.)
///
/// `answered_*` and the curves `tradeoff` are those of the queries that were asked. Throws what
/// reading the votes throws.
[[nodiscard]] Account label_account(const Run& run, const LabelledQueries& labelled,
                                    const PrivacyFilter& filter, const RunLimits& limits,
                                    double delta, unsigned threads);

}  // namespace pate
