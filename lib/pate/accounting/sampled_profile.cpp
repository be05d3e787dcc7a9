#include "pate/accounting/sampled_profile.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pate/accounting/pld_grids.hpp"
#include "pate/divergence/pld/pessimistic_profile.hpp"
#include "pate/divergence/pld/sampled_pair.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

// Products of a profile in each direction, beyond which its grid is coarser.
constexpr double kMaxProducts = 1e9;

// The epsilon of the composition; none where no grid that is fine enough is quick enough.
std::optional<double> profile_epsilon(const SampledGaussian& sampled, std::int64_t queries,
                                      double delta, const OptimalOrder& hint) {
  if (!std::isfinite(hint.epsilon)) return std::nullopt;
  const auto count = static_cast<double>(queries);
  // What losses that are taken for infinite may add to delta, all queries together.
  const double beyond = 1e-5 * delta;
  const Grids grids = grids_of({hint, hint}, {delta, {delta}}, count);
  const auto repeated = [&](Direction direction, double step) {
    const DistributionPair pair = sampled_pair(sampled, direction, step, beyond / count);
    return DiscretizedPairs(std::span(&pair, 1), step).repeated(queries, beyond, kMaxProducts);
  };
  for (double step = grids.step; step <= kMaxStep; step *= 2.0) {
    double epsilon = 0.0;
    bool is_quick = true;
    for (const Direction direction : {Direction::forward, Direction::reverse}) {
      const auto all = repeated(direction, step);
      is_quick = all.has_value();
      if (!is_quick) break;
      PessimisticProfile profile(grids.grid(direction, step));
      profile.compose_query(*all, 0, 1);
      epsilon = max_or_nan(epsilon, profile.epsilon(delta));
    }
    if (is_quick) return std::isfinite(epsilon) ? std::optional(epsilon) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<CostEntry> sampled_profile_entry(const SampledGaussian& sampled, std::int64_t queries,
                                               double delta,
                                               std::span<const CostEntry> rdp_entries) {
  const auto hint = std::ranges::find_if(
      rdp_entries, [](const CostEntry& entry) { return entry.order.has_value(); });
  if (hint == rdp_entries.end()) return std::nullopt;
  const auto epsilon =
      profile_epsilon(sampled, queries, delta, {*hint->order, hint->epsilon, false, false});
  if (!epsilon) return std::nullopt;
  return data_independent_entry(EpsilonMethod::profile, *epsilon, delta, "steps");
}

}  // namespace pate
