#pragma once

#include <optional>
#include <string_view>

namespace pate {

// The words of reports, options and documentation for what a cost is; the same everywhere.

/// Which bound on the divergence of one query a cost rests on.
enum class Bound {
  data_independent,   ///< holds for every histogram
  published,          ///< Theorem 6 of S18, Theorem 3 of S17; forward direction only
  tradeoff,           ///< the trade-off bound, both directions
  exact,              ///< no bound: the divergence itself, both directions, from the counts
  exact_per_teacher,  ///< the same from who voted what: the teacher that costs most
};

/// What a cost of a whole run is worth.
enum class Reading {
  joint,       ///< an RDP guarantee for the run, whatever the selection noise does
  expected,    ///< an expectation over the selection noise, not a guarantee: what papers print
  realized,    ///< what the queries that were answered cost, at an order fixed in advance
  worst_case,  ///< every query answered
};

/// How RDP, or a composition that needs none, became epsilon.
enum class ReportedConversion {
  classic,   ///< RDP, Mironov 2017
  improved,  ///< RDP, Canonne, Kamath, Steinke 2020
  gdp,       ///< exact composition of Gaussian mechanisms
  pure,      ///< sum of pure epsilons, delta 0
  kov,       ///< exact composition of pure steps
};

[[nodiscard]] std::string_view name(Bound bound);
[[nodiscard]] std::string_view name(Reading reading);
[[nodiscard]] std::string_view name(ReportedConversion conversion);

/// What a word names; none for a word that names nothing.
[[nodiscard]] std::optional<Bound> bound_named(std::string_view word);
[[nodiscard]] std::optional<Reading> reading_named(std::string_view word);
[[nodiscard]] std::optional<ReportedConversion> conversion_named(std::string_view word);

/// "forward" for published costs, "both" for the others.
[[nodiscard]] std::string_view direction_name(Bound bound);

}  // namespace pate
