#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/divergence/complex/complex_certificate.hpp"
#include "pate/divergence/exact/exact_run.hpp"

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

/// A query beside its neighbours.
struct ComparedQuery {
  /// Outcomes by neighbour, seen from one side.
  struct Tables {
    std::vector<DistributionPair> known;
    /// Those of which no phase is known, raised by what they may be wrong; or none of any
    /// neighbour.
    std::vector<DistributionPair> uncertain = {};
  };

  std::int64_t count = 0;  ///< how often it occurs
  Tables forward = {}, reverse = {};
  bool known = true;      ///< whether there are tables; else the caps are all there is
  bool left_out = false;  ///< whether something was, which adds the limit to delta at most
  /// A bound on its Renyi divergence.
  std::function<double(double order, Direction direction)> cap = {};

  [[nodiscard]] const Tables& of(Direction direction) const {
    return direction == Direction::forward ? forward : reverse;
  }
  /// Sets the tables of both directions from the votes' side.
  void set(std::vector<DistributionPair> tables);
};

/// The queries of a run, by position; thread safe.
using CompareQuery = std::function<ComparedQuery(std::size_t)>;

/// The sums of so many queries. The same bits whatever the threads.
[[nodiscard]] ComplexSums complex_sums(std::size_t size, const CompareQuery& query,
                                       const ComplexOrders& orders, unsigned threads);

/// The same of a run. Of a query whose outcomes are nearly sure, or which has neighbours that
/// nothing tells apart, as much is left out as adds `limit` to delta at most. Where outcome
/// probabilities are not known, or beyond doubles, the trade-off bound stands for all moduli of a
/// query.
[[nodiscard]] ComplexSums complex_sums(ExactRun& run, const ComplexOrders& orders, double limit,
                                       unsigned threads);

/// The epsilon at delta that they certify, by direction; +inf where there is none.
[[nodiscard]] BothDirections complex_epsilon(const ComplexSums& sums, double limit, double delta);

/// The sums of a run at these orders, for each kind of neighbour that is the same on all queries.
using ComplexSumsAt =
    std::function<std::vector<ComplexSums>(const ComplexOrders& orders, double limit)>;

/// The epsilon at the account's delta that complex orders certify, whichever kind of neighbour it
/// is: above the exact profile, which takes longer, and at most what the improved conversion makes
/// of the costs that the account has already (but for 1e-9 of delta), by whose epsilons the orders
/// are chosen.
[[nodiscard]] double certified_epsilon(const Account& account, const ComplexSumsAt& sums_at);
/// The same of queries whose outcomes are known exactly.
[[nodiscard]] double certified_epsilon(const ExactMechanism& mechanism,
                                       std::span<const ExactQuery> queries, unsigned threads,
                                       const Account& account);

/// Adds it to the account: an entry `complex`, reading `joint`, conversion `profile`, a guarantee
/// in both directions, with a notice.
void add_complex_entry(double epsilon, Account& account);

}  // namespace pate
