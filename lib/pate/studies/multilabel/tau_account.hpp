#pragma once

#include <optional>
#include <vector>

#include "pate/accounting/mechanism_counts.hpp"
#include "pate/accounting/report.hpp"
#include "pate/studies/multilabel/label_ballots.hpp"
#include "pate/studies/multilabel/tau_vote.hpp"

namespace pate {

/// What tau voting on all queries costs.
struct TauAccount {
  std::vector<CostEntry> costs;  ///< trade-off, exact, exact by teacher, data-independent
  /// By teacher, conversion optimal; with exact costs.
  std::optional<std::vector<double>> teachers;
  MechanismCounts steps;  ///< as noisy maxima of the same sensitivity
};

/// The costs of tau voting:
///
///     data_independent    a Gaussian mechanism of sensitivity sqrt(min(2 T, labels)) a query
///     tradeoff            by query and direction the smaller of two: the trade-off bound of the
///                         whole answer, from q = 1 - prod (1 - q_k) and mu of the query; the sum
///                         of those of the labels, from q_k and mu = 1/sigma
///     exact               the largest `replace_costs` of each query, added up
///     exact_per_teacher   those of each teacher's own ballots, added up; the largest teacher
///
/// `exact` adds the last two. Every epsilon is an upper bound, rounded outwards by less than 1e-9
/// relative. Neither threads nor the order of teachers changes a bit. Throws `parameter_error` for
/// parameters out of their domain.
[[nodiscard]] TauAccount account_tau(const TauVote& vote, const LabelBallots& ballots, double delta,
                                     bool exact, unsigned threads, std::vector<Notice>& notices);

}  // namespace pate
