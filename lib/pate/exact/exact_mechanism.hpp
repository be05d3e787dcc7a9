#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "pate/aggregators/aggregator.hpp"
#include "pate/exact/gaussian_lattice.hpp"
#include "pate/exact/laplace_panels.hpp"
#include "pate/exact/neighbour_outcomes.hpp"
#include "pate/exact/vote_groups.hpp"

namespace pate {

/// An aggregator with what the outcome probabilities of all queries share. Thread safe once made.
class ExactMechanism {
 public:
  /// Throws `parameter_error` as `validate(aggregator)` does. 0 <= teachers < 2^31.
  ExactMechanism(const Aggregator& aggregator, std::int64_t teachers);

  [[nodiscard]] const Aggregator& aggregator() const { return aggregator_; }
  [[nodiscard]] std::int64_t teachers() const { return teachers_; }

  /// The outcome probabilities of the noisy maximum on a query and its neighbours. None for noise
  /// far below one vote (standard deviation below 1/4, scale below 1/20), where neighbours may
  /// have nothing in common that a double holds.
  [[nodiscard]] std::optional<NeighbourOutcomes> outcomes(const GroupedVotes& votes) const;

  /// The groups of a query as this aggregator needs them; `scores` for the Interactive one only.
  [[nodiscard]] GroupedVotes group(std::span<const std::int32_t> histogram,
                                   std::span<const double> scores) const;

 private:
  Aggregator aggregator_;
  std::int64_t teachers_;
  std::variant<std::monostate, GaussianLattice, LaplacePanels> rule_;
};

}  // namespace pate
