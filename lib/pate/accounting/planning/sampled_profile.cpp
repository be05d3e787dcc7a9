#include "pate/accounting/planning/sampled_profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "pate/accounting/pld_grids.hpp"
#include "pate/divergence/pld/pessimistic_profile.hpp"
#include "pate/divergence/pld/sampled_pair.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

namespace {

// Products of a profile, beyond which its grid is coarser, and queries beyond which there is none.
constexpr double kMaxProducts = 2e9;
constexpr std::int64_t kMaxQueries = 100'000;
// Of delta: what losses that are taken for infinite may add to it, all queries together.
constexpr double kBeyondShare = 1e-5;

// The epsilon of the composition; none where no grid that is fine enough is quick enough.
std::optional<double> profile_epsilon(const SampledGaussian& sampled, std::int64_t queries,
                                      double delta, const OptimalOrder& hint) {
  if (queries > kMaxQueries || !std::isfinite(hint.epsilon)) return std::nullopt;
  const auto count = static_cast<double>(queries);
  const double beyond = kBeyondShare * delta / count;
  Grids grids = grids_of({hint, hint}, {delta, {delta}}, count);
  std::array<DistributionPair, 2> pairs;
  for (; grids.step <= kMaxStep; grids.step *= 2.0) {
    pairs = {sampled_pair(sampled, Direction::forward, grids.step, beyond),
             sampled_pair(sampled, Direction::reverse, grids.step, beyond)};
    const auto terms = static_cast<double>(std::max(pairs[0].size(), pairs[1].size()));
    if (grids.nodes(grids.step) * terms * count <= kMaxProducts) break;
  }
  if (grids.step > kMaxStep) return std::nullopt;
  double epsilon = 0.0;
  for (std::size_t d = 0; d < pairs.size(); ++d) {
    PessimisticProfile profile(
        grids.grid(d == 0 ? Direction::forward : Direction::reverse, grids.step));
    profile.compose_query(DiscretizedPairs(std::span(&pairs.at(d), 1), grids.step), 0, 1, queries);
    epsilon = max_or_nan(epsilon, profile.epsilon(delta));
  }
  return std::isfinite(epsilon) ? std::optional(epsilon) : std::nullopt;
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
