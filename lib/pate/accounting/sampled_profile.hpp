#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "pate/accounting/cost_entries.hpp"
#include "pate/mechanisms/sampled_gaussian.hpp"

namespace pate {

/// The smallest epsilon known of so many queries that samples of the teachers answer, whatever the
/// votes are, for one teacher that is added or removed: of the composition of the pairs that
/// dominate a query, in each direction (`sampled_pair`), the larger one. None where queries are too
/// many for it, or no entry of `rdp_entries`, those of the same queries by RDP, has an order, which
/// says how fine the losses must be.
///
/// Every query may depend on earlier answers: the pairs dominate whatever was asked before, and
/// samples are drawn anew. Source: Zhu, Dong, Wang (2022), Theorems 10 and 11. Domain: a valid
/// query, queries >= 1.
[[nodiscard]] std::optional<CostEntry> sampled_profile_entry(
    const SampledGaussian& sampled, std::int64_t queries, double delta,
    std::span<const CostEntry> rdp_entries);

}  // namespace pate
