#pragma once

#include <optional>

#include "pate/accounting/query_counts.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"
#include "pate/labeling/label_run.hpp"
#include "pate/labeling/privacy_filter.hpp"

namespace pate {

/// The queries of a run of the mechanism by what the bounds tell apart, whoever is protected.
struct LabelledCounts {
  QueryCounts asked;                  ///< with those that the teachers answered
  std::optional<QueryCounts> listed;  ///< all of the selection, where fewer were asked
};

/// Reads the votes of the selection. Throws what reading them throws.
[[nodiscard]] LabelledCounts count_labels(const Run& run, const LabelledQueries& labelled,
                                          unsigned threads);

/// What a run of the mechanism cost. `costs`, of which the headline is the smallest fixed one:
///
///     tradeoff         joint       all queries of the selection, whatever is answered and where
///                                  the run stops; optimal, improved, classic
///     tradeoff         realized    the queries that were asked, given which were answered; of the
///                                  outcome, at the filter's order
///     data_independent realized    what the filter counted; of the outcome, at its order
///     data_independent worst_case  all queries of the selection, answered as far as max_answers
///                                  allows: what was certain before the run; improved is at
///                                  most max_epsilon, which the filter guarantees, and optimal
///                                  what the RDP that this allows comes to
///
/// The first and the last are fixed before the run: a run that stops early is what follows from the
/// answers to the whole list, so that what is left out may cost something and is counted. What was
/// asked and answered depends on the noise: an epsilon of the outcome, at the order of the filter,
/// which was fixed before. (At that order exp((order - 1)(loss - cost)) is a supermartingale up to
/// any moment that answers decide.)
///
/// Of PTR's sparse form, which costs the same on all votes, the `data_independent` ones alone,
/// those of the worst case first.
///
/// `answered_*` and the curves `tradeoff` are those of the queries that were asked; the curves have
/// the order of the filter, where limits could stop the run no other. Throws what reading the votes
/// throws.
[[nodiscard]] Account label_account(const Run& run, const LabelledQueries& labelled,
                                    const PrivacyFilter& filter, const RunLimits& limits,
                                    double delta, unsigned threads);

/// The same of queries that were counted before, for those whom `run.aggregator` protects, of whose
/// costs `filter` may have counted as much or more for every step: its limit is shared alike.
[[nodiscard]] Account label_account(const Run& run, const LabelledCounts& counts,
                                    const LabelledQueries& labelled, const PrivacyFilter& filter,
                                    const RunLimits& limits, double delta, unsigned threads);

}  // namespace pate
