#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace pate {

// Votes of ensembles that nobody asked, for what is chosen or told before there are votes.

/// Counts of the classes, in decreasing order.
using SyntheticHistogram = std::vector<std::int32_t>;

/// The least share of the votes that the top class has, by level of agreement.
inline constexpr auto kMinTopShares = std::to_array<double>({.35, .5, .65});

/// Those of them that are told apart among so many classes, as the top class has its share at
/// least.
[[nodiscard]] std::vector<double> least_top_shares(std::int64_t classes);

/// The top count of query k of `queries`, whose top shares are spread evenly over `least` to 1.
[[nodiscard]] std::int32_t synthetic_top_count(std::int64_t teachers, double least, std::int64_t k,
                                               std::int64_t queries);

/// Such queries, each further class with half of what is left, and how often each histogram occurs.
[[nodiscard]] std::map<SyntheticHistogram, std::int64_t> synthetic_votes(std::int64_t teachers,
                                                                         std::int64_t classes,
                                                                         double least,
                                                                         std::int64_t queries);

}  // namespace pate
