#pragma once

#include "pate/accounting/account.hpp"
#include "pate/accounting/run.hpp"

namespace pate {

/// The costs of a run whose queries samples of the teachers answer (`SampledGaussian`), every
/// teacher in each with probability `rate`: for one teacher that is added or removed.
///
///     data_independent   whatever the votes: RDP, and the composition of the dominating pairs
///     exact, joint       with the model `exact`: what may come out of each query is known by the
///                        numbers of votes that its samples may have (`SampledOutcomes`); both
///                        directions, the worst neighbour at every query: of those with a teacher
///                        more on all queries, or of those with one less, whichever cost more
///     complex, joint     with the model `complex`: a certificate from the same outcomes
///
/// A query whose outcomes numbers do not hold costs what any votes cost. Steps are
/// `sampled_queries`; what is answered is expected of the samples' top counts. Bounds by q know
/// nothing of samples: settings `published` and `tradeoff` are not looked at.
///
/// Throws `parameter_error` for other noise than Gaussian, other neighbours, a student, decisions,
/// labels, shards, tilted costs, a rate out of range, and what `account` throws.
[[nodiscard]] Account account_sampled(const Run& run, double rate, const AccountSettings& settings);

/// A query of a run that samples answer, where it is one: throws as above.
[[nodiscard]] SampledGaussian sampled_query(const Mechanism& mechanism,
                                            const Neighbours& neighbours, const Sampling& sampling);

/// What such a run costs whatever the votes are, all queries of its selection: with the orders, the
/// costs and what is to be said of them, without a headline and without what is answered. Throws as
/// above for what is no such run.
[[nodiscard]] Account sampled_any_votes(const Run& run, const Sampling& sampling,
                                        const AccountSettings& settings);

}  // namespace pate
