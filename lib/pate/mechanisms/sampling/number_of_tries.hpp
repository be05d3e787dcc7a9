#pragma once

#include <compare>
#include <cstdint>

#include "pate/mechanisms/sampling/bit_source.hpp"

namespace pate {

/// How the number K of tries is drawn of which the best one is released.
enum class TriesLaw {
  geometric,    ///< Pr[K = k] = gamma (1 - gamma)^(k-1), k >= 1
  poisson,      ///< Pr[K = k] = e^-mu mu^k / k!, k >= 0
  logarithmic,  ///< Pr[K = k] = (1 - gamma)^k / (k log(1/gamma)), k >= 1
};

/// The most tries that may be expected: a run of each of them must end.
inline constexpr double kMostTries = 1000.0;

/// A number of tries to be drawn. Source of the laws: Papernot, Steinke, "Hyperparameter Tuning
/// with Renyi Differential Privacy" (2022), Definition 1: truncated negative binomial with eta = 1
/// (geometric) and eta = 0 (logarithmic), and section 3.4 (Poisson).
struct NumberOfTries {
  TriesLaw law = TriesLaw::geometric;
  double parameter = 0.5;  ///< gamma, in (0, 1), or mu, from 1 to `kMostTries`

  /// E[K] of the parameter as it is: 1/gamma, mu, (1/gamma - 1) / log(1/gamma). Rounded upwards, by
  /// less than 1e-14 relative.
  [[nodiscard]] double expected() const;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const NumberOfTries&, const NumberOfTries&) = default;
};

/// Throws `parameter_error` for a parameter out of its domain, and for more than `kMostTries`
/// expected tries.
void validate(const NumberOfTries& tries);

/// The law with so many expected tries, the parameter to the nearest double or a few. Throws
/// `parameter_error` unless 1 < expected <= `kMostTries`; of the Poisson law 1 is allowed.
[[nodiscard]] NumberOfTries tries_expecting(TriesLaw law, double expected);

/// A number of tries, with exactly the probabilities of the law at the parameter, which is a dyadic
/// number. Throws `parameter_error` as `validate`, and `input_error` for a source that repeats
/// itself.
///
///     geometric    comparisons of fair bits with the digits of gamma
///     logarithmic  a geometric k, kept with probability 1/k
///     poisson      a sum of Poisson numbers of mean at most 1/2; each a geometric n, Pr[n]
///                  proportional to mean^n, kept with probability 1/n!
[[nodiscard]] std::int64_t draw_number_of_tries(const NumberOfTries& tries, BitSource& source);

}  // namespace pate
