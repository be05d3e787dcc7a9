#pragma once

#include <compare>
#include <optional>
#include <string_view>

#include "pate/mechanisms/neighbours.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/mechanisms/threshold_check.hpp"
#include "pate/mechanisms/union_bound.hpp"

namespace pate {

/// How an ensemble answers one query with a noisy maximum: LNMax and GNMax (S17, S18) answer
/// always; the Confident aggregator (S18, Algorithm 1) checks the top count against a noisy
/// threshold first; the Interactive aggregator (S18, Algorithm 2) checks the top lead over the
/// student instead. What else answers queries: mechanism.hpp.
struct Aggregator {
  std::optional<ThresholdCheck> selection;
  NoisyMax noisy_max;
  bool interactive = false;

  /// "lnmax", "gnmax", "one_laplace", "confident" or "interactive".
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] bool is_gaussian() const { return noisy_max.is_gaussian(); }
  /// The noisy maximum as its costs between these neighbours see it.
  [[nodiscard]] NoisyStep step(const Neighbours& neighbours) const {
    return {noisy_max, neighbours};
  }

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const Aggregator&, const Aggregator&) = default;
};

/// Throws `parameter_error` for a parameter out of range, for a selection before Laplace noise, and
/// for an interactive aggregator without a threshold.
void validate(const Aggregator& aggregator);

}  // namespace pate
