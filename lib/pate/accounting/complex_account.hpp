#pragma once

#include <span>

#include "pate/accounting/report.hpp"
#include "pate/divergence/complex/complex_certificate.hpp"
#include "pate/divergence/exact/exact_run.hpp"
#include "pate/mechanisms/aggregator.hpp"

namespace pate {

/// What certifies a run, a fixed list of queries: its own neighbours at every query, both
/// directions. Parts of a run add up, to the bit, where orders and limits are the same.
struct ComplexSums {
  explicit ComplexSums(const ComplexOrders& by);

  void add(const ComplexSums& other);

  ComplexOrders orders;
  LogModulusSums forward, reverse;
  /// What queries and neighbours that were not looked at add to delta at most, in units of
  /// `limit` (that of `complex_sums`).
  std::int64_t left_out = 0;
};

/// The sums of a run. Of a query whose outcomes are nearly sure, or which has neighbours that
/// nothing tells apart, as much is left out as adds `limit` to delta at most. Where outcome
/// probabilities are not known, or beyond doubles, the trade-off bound stands for all moduli of a
/// query. The same bits whatever the threads.
[[nodiscard]] ComplexSums complex_sums(ExactRun& run, const ComplexOrders& orders, double limit,
                                       unsigned threads);

/// The epsilon at delta that they certify, by direction; +inf where there is none.
[[nodiscard]] BothDirections complex_epsilon(const ComplexSums& sums, double limit, double delta);

/// Adds the certificate by complex orders of a run to its account: an entry `complex`, reading
/// `joint`, conversion `profile`, a guarantee in both directions, with a notice. It is above the
/// exact profile, which takes longer, and at most what the improved conversion makes of the costs
/// that the account has already (but for 1e-9 of delta), by whose epsilons its orders are chosen.
void add_complex_costs(std::span<const ExactQuery> queries, unsigned threads, Account& account);

}  // namespace pate
