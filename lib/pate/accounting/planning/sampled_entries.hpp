#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pate/accounting/cost_entries.hpp"
#include "pate/mechanisms/sampled_gaussian.hpp"

namespace pate {

/// What so many queries cost that samples of the teachers answer, whatever the votes are, for one
/// teacher that is added or removed, all releasable:
///
///     optimal, improved, classic   RDP (`sampled_cost`), at the best order
///     profile                      the composition of the pairs that dominate a query, in each
///                                  direction (`sampled_pair`); the larger epsilon, and none where
///                                  queries are too many for it
///
/// Every query may depend on earlier answers: the pairs dominate whatever was asked before, and
/// samples are drawn anew. Source: Zhu, Dong, Wang (2022), Theorems 10 and 11. Domain: a valid
/// query, queries >= 1.
[[nodiscard]] std::vector<CostEntry> sampled_entries(const SampledGaussian& sampled,
                                                     std::int64_t queries,
                                                     std::span<const double> orders,
                                                     const OrderSearch& search,
                                                     std::vector<Notice>& notices);

}  // namespace pate
