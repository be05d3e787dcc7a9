#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/cost_sums.hpp"
#include "pate/accounting/direct_costs.hpp"
#include "pate/divergence/bounds/cost.hpp"
#include "pate/divergence/exact/exact_run.hpp"
#include "pate/events/event.hpp"

namespace pate {

/// What an event costs by Renyi DP, as functions of the order. Every one is an upper bound at every
/// order > 1; all of them are of one event, however often it counts.
class EventCosts {
 public:
  /// The event must outlive this. `threads` (0: all processors) changes no bit.
  EventCosts(const Event& event, unsigned threads);

  [[nodiscard]] const Event& event() const { return event_; }

  /// For any votes, but for the delta that is added apart: noisy steps, at most what a cap says;
  /// the noise of a number that was told, without the run it is about; the randomized response that
  /// dominates a claim; the foreign step; the best of several tries. +inf where nothing is known.
  [[nodiscard]] double any_votes(double order) const;
  /// Deltas that are added apart: those of PTR's queries and of a claim.
  [[nodiscard]] double delta_apart() const;

  /// Whether costs are known that depend on the votes; of the sparse form of PTR by its curves
  /// alone, as no sum over its queries is its cost.
  [[nodiscard]] bool has_votes() const {
    return event_.facts.curves.has_value() || (is_tabulated() && !is_sparse_vector());
  }
  /// Of these votes, all queries of the list that was fixed beforehand, asked or not: the trade-off
  /// bound of each query as one mechanism; never above `any_votes`. By order.
  [[nodiscard]] std::vector<double> tradeoff(std::span<const double> orders,
                                             QuerySum how = QuerySum::interpolated);

  /// Whether the exact cost is known, at all orders or up to one.
  [[nodiscard]] bool has_exact() const;
  /// The exact cost by direction, never above `tradeoff`. By order.
  [[nodiscard]] std::vector<BothDirections> exact(std::span<const double> orders);
  /// The queries, for profiles; null where they are not told.
  [[nodiscard]] ExactRun* queries() { return exact_ ? &*exact_ : nullptr; }

  /// What a run cost by reading, as the published and the trade-off bound say; none where the bound
  /// is not told.
  struct Spent {
    double selection = 0.0;
    double noisy_max = 0.0;
    double variance = 0.0;  ///< of the spent budget over the selection noise
  };
  [[nodiscard]] bool has_expected(Bound bound) const;
  [[nodiscard]] std::vector<Spent> expected(Bound bound, std::span<const double> orders,
                                            QuerySum how = QuerySum::interpolated);
  /// Given what was asked and answered, by the trade-off bound; of events without a selection, or
  /// of which it is not known, what was asked as `tradeoff` has it. Each query's cost follows from
  /// answers before it, so a sum holds, at orders that were fixed beforehand, for the outcome.
  [[nodiscard]] std::vector<Spent> realized(std::span<const double> orders);
  /// Whether `realized` is less than what all of the list costs.
  [[nodiscard]] bool tells_answers() const;

  /// Whether it is public how many queries were asked and answered, and that decides the cost.
  [[nodiscard]] bool counts_answers() const;
  /// For any votes, given how many queries were asked and answered; as `any_votes` where that is
  /// not told. At an order that was fixed beforehand it holds for the outcome.
  [[nodiscard]] double counted(double order) const;

 private:
  [[nodiscard]] bool is_tabulated() const { return !event_.facts.table.empty(); }
  [[nodiscard]] bool is_sparse_vector() const {
    return event_.open.aggregator && event_.open.aggregator->sparse() != nullptr;
  }
  // Whether a threshold check decides which queries are answered, and what they cost.
  [[nodiscard]] bool has_check() const;
  // The queries of the list, or those that were asked.
  struct Counted {
    QueryCounts query_counts;
    std::unique_ptr<CostInputs> inputs;
  };
  [[nodiscard]] Counted queries_of(std::int64_t QueryRow::*count) const;
  [[nodiscard]] std::vector<RunCost> costs(Counted& of, Bound bound, std::span<const double> orders,
                                           QuerySum how) const;

  const Event& event_;
  unsigned threads_;
  Counted all_, asked_;
  std::unique_ptr<ExactMechanism> mechanism_;
  std::optional<ExactRun> exact_;
  std::optional<BestOfTriesCost> best_of_tries_;
};

/// Throws `parameter_error` for noise that no release has.
void validate(const NumberNoise& noise);

/// RDP at `order` from that at the orders of a curve, an upper bound: (order - 1) times it is
/// convex in the order, so that between two orders it is at most the chord; below the first it is
/// at most the first, as RDP rises with the order; above the last nothing is known: +inf.
[[nodiscard]] double chord(std::span<const double> orders, std::span<const double> rdp,
                           double order);

}  // namespace pate
