#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/bounds/q_tables.hpp"
#include "pate/divergence/exact/exact_cost.hpp"

namespace pate {

/// The exact costs of a run's queries. Outcome probabilities do not depend on the order: they are
/// kept up to a limit of memory and computed anew beyond. Neither that nor the number of threads
/// changes a bit of the results.
class ExactRun {
 public:
  /// The mechanism must outlive this. Queries in canonical order: the sums run over them.
  ExactRun(const ExactMechanism& mechanism, std::vector<ExactQuery> queries, unsigned threads,
           std::size_t memory = 300'000'000);

  [[nodiscard]] std::size_t size() const { return costs_.size(); }
  [[nodiscard]] const GroupedVotes& votes(std::size_t i) const { return costs_[i].votes(); }
  /// How often the query occurs.
  [[nodiscard]] double count(std::size_t i) const { return counts_[i]; }
  [[nodiscard]] ExactCost& operator[](std::size_t i) { return costs_[i]; }
  /// `tables` of a query, keeping no more in memory than before; none where its outcome
  /// probabilities are not known. Thread safe for different queries.
  [[nodiscard]] std::optional<std::vector<DistributionPair>> tables(
      std::size_t i, std::span<const std::uint32_t> only = {});

  /// RDP of the run at the orders from the counts alone: the sum over the queries of the largest
  /// cost over their neighbours, each direction on its own. Queries whose trade-off bounds add up
  /// to less than 1e-14 of that enter with these.
  [[nodiscard]] std::vector<BothDirections> rdp(std::span<const double> orders);

  /// Costs by distinct query, then order, then group of the class whose vote is the one to move.
  [[nodiscard]] std::vector<std::vector<BothDirections>> by_group(std::span<const double> orders);

 private:
  // Calls take(query, position of the order) for all of them, threads by query.
  void each(std::size_t orders,
            const std::function<void(std::size_t query, std::size_t order)>& take);
  // Log excesses of the trade-off bound by query, then order.
  [[nodiscard]] std::vector<BothDirections> tradeoff_excesses(std::span<const double> orders) const;
  // By order: the sum over the queries of those costs, by query, then order, that are wanted.
  [[nodiscard]] std::vector<BothDirections> sums(const std::vector<BothDirections>& costs,
                                                 const std::vector<char>& which,
                                                 std::size_t orders) const;

  std::vector<ExactCost> costs_;
  std::vector<double> counts_;
  QCells cells_;
  std::optional<GaussianTradeoffTable> table_;  // of the noise that has one
  unsigned threads_;
  std::size_t memory_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace pate
