#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "pate/divergence/rdp/conversion.hpp"
#include "pate/mechanisms/neighbours.hpp"

namespace pate {

// The words of reports, options and documentation for what a cost is; the same everywhere. Every
// enumeration that people see has one table of its names, beside it.

/// A value and its name.
template <class Value>
struct Named {
  Value value;
  std::string_view name;
};

/// The table of an enumeration's names: specialised beside each enumeration that has any.
template <class Value>
inline constexpr std::array<Named<Value>, 0> kNames{};

template <class Value>
concept HasNames = !kNames<Value>.empty();

/// The name of a value.
template <HasNames Value>
[[nodiscard]] constexpr std::string_view name(Value value) {
  for (const Named<Value>& named : kNames<Value>) {
    if (named.value == value) return named.name;
  }
  return {};
}

/// What a word names; none for a word that names nothing.
template <HasNames Value>
[[nodiscard]] constexpr std::optional<Value> value_named(std::string_view word) {
  for (const Named<Value>& named : kNames<Value>) {
    if (named.name == word) return named.value;
  }
  return std::nullopt;
}

template <>
inline constexpr std::array<Named<Adjacency>, 2> kNames<Adjacency>{{
    {Adjacency::replace, "replace"},
    {Adjacency::add_remove, "add_remove"},
}};

/// Which bound on the divergence of one query a cost rests on.
enum class Bound {
  data_independent,   ///< holds for every histogram
  published,          ///< Theorem 6 of S18, Theorem 3 of S17; forward direction only
  tradeoff,           ///< the trade-off bound, both directions
  tilted,             ///< the tilted bound of Gaussian noise; forward direction only
  complex,            ///< the certificate by complex orders, both directions
  exact,              ///< no bound: the divergence itself, both directions, from the counts
  exact_per_teacher,  ///< the same from who voted what: the teacher that costs most
  released,  ///< numbers that were published with noise, and what holds for every histogram
  declared,  ///< a budget declared beforehand, which a private test kept
};
template <>
inline constexpr std::array<Named<Bound>, 9> kNames<Bound>{{
    {Bound::data_independent, "data_independent"},
    {Bound::published, "published"},
    {Bound::tradeoff, "tradeoff"},
    {Bound::tilted, "tilted"},
    {Bound::complex, "complex"},
    {Bound::exact, "exact"},
    {Bound::exact_per_teacher, "exact_per_teacher"},
    {Bound::released, "released"},
    {Bound::declared, "declared"},
}};

/// What a cost of a whole run is worth.
enum class GuaranteeKind {
  joint,       ///< an RDP guarantee for the run, whatever the selection noise does
  expected,    ///< an expectation over the selection noise, not a guarantee: what papers print
  realized,    ///< what the queries that were answered cost, at an order fixed in advance
  worst_case,  ///< every query answered
  released,    ///< what the statement of a released number says (`pate release`)
};
template <>
inline constexpr std::array<Named<GuaranteeKind>, 5> kNames<GuaranteeKind>{{
    {GuaranteeKind::joint, "joint"},
    {GuaranteeKind::expected, "expected"},
    {GuaranteeKind::realized, "realized"},
    {GuaranteeKind::worst_case, "worst_case"},
    {GuaranteeKind::released, "released"},
}};

/// How RDP, or a composition that needs none, became epsilon.
enum class EpsilonMethod {
  optimal,   ///< RDP, the smallest epsilon that one RDP at one order promises; fixed promises only
  classic,   ///< RDP, Mironov 2017
  improved,  ///< RDP, Canonne, Kamath, Steinke 2020
  gdp,       ///< exact composition of Gaussian mechanisms
  pure,      ///< sum of pure epsilons, delta 0
  kov,       ///< exact composition of pure steps
  profile,   ///< composition of the outcome probabilities themselves, without RDP
  moments,   ///< as S17 prints it: moments 1 to 8 of its Theorem 2; plans only
  strong,    ///< as S17 prints it: strong composition of pure steps; plans only
  linear,    ///< sum of the epsilons of several events, each at its own delta; sums only
};
template <>
inline constexpr std::array<Named<EpsilonMethod>, 10> kNames<EpsilonMethod>{{
    {EpsilonMethod::optimal, "optimal"},
    {EpsilonMethod::classic, "classic"},
    {EpsilonMethod::improved, "improved"},
    {EpsilonMethod::gdp, "gdp"},
    {EpsilonMethod::pure, "pure"},
    {EpsilonMethod::kov, "kov"},
    {EpsilonMethod::profile, "profile"},
    {EpsilonMethod::moments, "moments"},
    {EpsilonMethod::strong, "strong"},
    {EpsilonMethod::linear, "linear"},
}};

/// What a number promises of what was released.
enum class Promise {
  fixed,    ///< Pr[M(D) in S] <= e^epsilon Pr[M(D') in S] + delta for every S, with one epsilon
  outcome,  ///< epsilon depends on what came out: only its integral over the outcomes bounds
  none,     ///< nothing: an expectation, one direction only, an order chosen after the answers
};
template <>
inline constexpr std::array<Named<Promise>, 3> kNames<Promise>{{
    {Promise::fixed, "fixed"},
    {Promise::outcome, "outcome"},
    {Promise::none, "none"},
}};

template <>
inline constexpr std::array<Named<Conversion>, 3> kNames<Conversion>{{
    {Conversion::classic, "classic"},
    {Conversion::improved, "improved"},
    {Conversion::optimal, "optimal"},
}};

/// How votes lie in a file: queries x classes, teachers x queries or queries x teachers.
enum class Layout { counts, predictions, predictions_by_query };
template <>
inline constexpr std::array<Named<Layout>, 3> kNames<Layout>{{
    {Layout::counts, "counts"},
    {Layout::predictions, "predictions"},
    {Layout::predictions_by_query, "predictions-by-query"},
}};

/// Whether a bound is one of D(M(votes) || M(neighbour)) alone.
[[nodiscard]] constexpr bool is_forward_only(Bound bound) {
  return bound == Bound::published || bound == Bound::tilted;
}

/// "forward" for published and tilted costs, "both" for the others.
[[nodiscard]] constexpr std::string_view direction_name(Bound bound) {
  return is_forward_only(bound) ? "forward" : "both";
}

}  // namespace pate
