#pragma once

#include "pate/accounting/account.hpp"
#include "pate/accounting/run.hpp"

namespace pate {

/// The costs of a run whose queries samples of the teachers answer (`SampledGaussian`), every
/// teacher in each with probability `rate`: for one teacher that is added or removed.
///
///     data_independent   whatever the votes: RDP, and the composition of the dominating pairs
///     exact, joint       with `settings.exact`: what may come out of each query is known by the
///                        numbers of votes that its samples may have (`SampledOutcomes`); both
///                        directions, the worst neighbour at every query
///
/// A query whose outcomes numbers do not hold costs what any votes cost. Steps are
/// `sampled_queries`; what is answered is expected of the samples' top counts. Bounds by q know
/// nothing of samples: settings `published` and `tradeoff` are not looked at.
///
/// Throws `parameter_error` for other noise than Gaussian, other neighbours, a student, decisions,
/// labels, shards, tilted and complex costs, a rate out of range, and what `account` throws.
[[nodiscard]] Account account_sampled(const Run& run, double rate, const AccountSettings& settings);

/// A query of such a run, where it is one: throws as above.
[[nodiscard]] SampledGaussian sampled_query(const Mechanism& mechanism, double rate);

/// What such a run costs whatever the votes are, of as many queries as its steps say: fills in the
/// orders and the costs, and adds what is to be said of them. `account` has its steps and delta.
void add_sampled_any_votes(const AccountSettings& settings, Account& account);

/// Adds the names of what was chosen, and of what may be published, once all costs are there.
void settle_sampled(const AccountSettings& settings, Account& account);

}  // namespace pate
