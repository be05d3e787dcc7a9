#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "pate/mechanisms/threshold_check.hpp"

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

/// Top shares whose part u = 0..1 is below 1/m + (1 - 1/m) x(u), m the number of classes,
///
///     x(u) = (1 - (1 - u)^(1/b))^(1/a),    b such that x(1/2) is the median
///
/// (Kumaraswamy's distribution): by a = 1 they are spread widely, with a few that everybody agrees
/// on and a few that nobody does, by a = 3 they are closer together.
struct TopShares {
  double shape = 1.0;   ///< a
  double median = 0.5;  ///< of x, in (0, 1)
};

/// Those that one expects who chooses a threshold beforehand: about it, or higher. With t =
/// min(threshold/teachers, 0.95), or 0.75 without a threshold, x at t but 0.4 at least is one
/// median, and halfway from there to 1 the other; each with either shape.
[[nodiscard]] std::vector<TopShares> expected_top_shares(
    const std::optional<ThresholdCheck>& selection, std::int64_t teachers, std::int64_t classes);

/// Queries of such top shares, each further class with half of what is left.
[[nodiscard]] std::map<SyntheticHistogram, std::int64_t> synthetic_votes(std::int64_t teachers,
                                                                         std::int64_t classes,
                                                                         const TopShares& shares,
                                                                         std::int64_t queries);

}  // namespace pate
