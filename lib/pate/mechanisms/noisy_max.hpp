#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "pate/mechanisms/neighbours.hpp"

namespace pate {

/// The domain of noise, in votes: of less the cost is beyond every double, beyond more a double
/// does not tell votes apart.
inline constexpr double kMinNoise = 1e-100;
inline constexpr double kMaxNoise = 1e15;

/// Throws `parameter_error` "NAME must be > 0 and finite, got VALUE" unless that holds, NaN
/// included, and for noise outside its domain.
void require_positive(double value, const char* name);

/// What a noise and its parameter are called.
struct NoiseNames {
  /// in reports: the aggregator that takes a noisy maximum and no more
  const char* aggregator = "";
  const char* title = "";      ///< the same, for people
  const char* parameter = "";  ///< in reports
  const char* column = "";     ///< the parameter in tables for people
  const char* maxima = "";     ///< the list of a report that counts noisy maxima with this noise
  bool always_listed = true;   ///< whether that list is there when it is empty
};

/// GNMax: the class with the largest count after independent N(0, sigma^2) noise on every count.
struct GaussianNoisyMax {
  static constexpr NoiseNames kNames{"gnmax", "GNMax", "sigma2", "sigma2", "gaussian_maxima"};

  double sigma = 0.0;  ///< standard deviation of the noise on each count, in votes

  /// The largest difference of the means of two neighbours, in standard deviations.
  [[nodiscard]] double mu() const { return std::numbers::sqrt2 / sigma; }

  [[nodiscard]] double parameter() const { return sigma; }
  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): called on any of the noises.
  [[nodiscard]] std::optional<double> pure_epsilon() const { return std::nullopt; }

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const GaussianNoisyMax&, const GaussianNoisyMax&) = default;
};

/// LNMax: the class with the largest count after independent Laplace noise on every count.
struct LaplaceNoisyMax {
  static constexpr NoiseNames kNames{"lnmax", "LNMax", "laplace_scale", "scale", "laplace_maxima"};

  double scale = 0.0;  ///< scale b of the noise in votes; S17 writes gamma = 1/b

  [[nodiscard]] double gamma() const { return 1.0 / scale; }

  [[nodiscard]] double parameter() const { return scale; }
  [[nodiscard]] std::optional<double> pure_epsilon() const { return 2.0 * gamma(); }

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const LaplaceNoisyMax&, const LaplaceNoisyMax&) = default;
};

/// One Laplace noise for two classes, as PATE-GAN and smartnoise add it: of the votes n_0 and n_1
/// of M teachers the class is 1 where
///
///     n_1 + Lap(b) > M/2,   which is  n_1 - n_0 + Lap(2 b) > 0,
///
/// else 0. One noise on one count, or on the difference, is another mechanism than LNMax: a vote
/// that moves changes the count by one, so that it is (1/b, 0)-DP and LNMax (2/b, 0)-DP, and a
/// class that is behind by `gap` votes wins with probability e^(-gap/(2b)) / 2 exactly.
///
/// Source: Jordon, Yoon, van der Schaar, "PATE-GAN" (2019), Section 4 and its code (`pate_lamda`,
/// b = lamda); smartnoise-synth, `pate` (b = 1/lap_scale).
struct OneLaplaceNoise {
  static constexpr NoiseNames kNames{"one_laplace", "One Laplace noise",  "one_laplace_scale",
                                     "scale",       "one_laplace_maxima", false};

  double scale = 0.0;  ///< scale b of the noise on one of the counts, in votes

  /// The epsilon of one answer, and how much a vote changes log q.
  [[nodiscard]] double epsilon() const { return 1.0 / scale; }

  [[nodiscard]] double parameter() const { return scale; }
  [[nodiscard]] std::optional<double> pure_epsilon() const { return epsilon(); }

  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const OneLaplaceNoise&, const OneLaplaceNoise&) = default;
};

/// How a query is answered: a noisy maximum with any of the noises above.
///
/// What else is asked of one is a function with an overload for every noise and one for this
/// struct, which calls `visit`. No noise converts to this struct, so that an overload that is
/// missing is an error of the compiler and not an endless recursion.
struct NoisyMax {
  using Noise = std::variant<GaussianNoisyMax, LaplaceNoisyMax, OneLaplaceNoise>;
  Noise noise;

  template <class Other>
  requires std::is_constructible_v<Noise, Other> NoisyMax& operator=(const Other& other) {
    noise = other;
    return *this;
  }

  /// function(noise): the only place that looks which noise it is.
  template <class Function>
  decltype(auto) visit(Function&& function) const {
    return std::visit(std::forward<Function>(function), noise);
  }

  [[nodiscard]] const NoiseNames& names() const {
    return visit([](const auto& of) -> const NoiseNames& { return of.kNames; });
  }
  /// The standard deviation or the scale, in votes.
  [[nodiscard]] double parameter() const {
    return visit([](const auto& of) { return of.parameter(); });
  }
  [[nodiscard]] bool is_gaussian() const { return std::holds_alternative<GaussianNoisyMax>(noise); }
  /// Whether it is a mechanism for two classes and no others.
  [[nodiscard]] bool is_of_two_classes() const {
    return std::holds_alternative<OneLaplaceNoise>(noise);
  }
  /// For procedures that know Gaussian noise only: throws `std::bad_variant_access` for another.
  [[nodiscard]] const GaussianNoisyMax& gaussian() const {
    return std::get<GaussianNoisyMax>(noise);
  }

  /// By the kind of noise, then its parameter.
  // NOLINTNEXTLINE(modernize-use-nullptr): the check sees the 0 the compiler compares with.
  friend auto operator<=>(const NoisyMax&, const NoisyMax&) = default;
};

/// A noisy maximum as costs see it: the noise, and for whom. q does not depend on the neighbours.
class NoisyStep {
 public:
  NoisyStep(const NoisyMax& noisy_max, const Neighbours& neighbours)
      : noisy_max_(noisy_max), neighbours_(neighbours) {}
  /// For one vote that moves.
  template <class Noise>
  requires std::is_constructible_v<NoisyMax::Noise, Noise>
  // NOLINTNEXTLINE(google-explicit-constructor): the noise of S17 and S18 is a step.
  NoisyStep(const Noise& noise) : noisy_max_{noise} {}

  [[nodiscard]] const NoisyMax& noisy_max() const { return noisy_max_; }
  [[nodiscard]] const Neighbours& neighbours() const { return neighbours_; }
  [[nodiscard]] bool is_gaussian() const { return noisy_max_.is_gaussian(); }

  /// Gaussian noise that costs for one vote that moves what this costs for the neighbours: sigma /
  /// S where S votes move, sqrt 2 sigma / S where S are added or removed. Throws
  /// `std::bad_variant_access` for other noise.
  [[nodiscard]] GaussianNoisyMax gaussian_per_move() const;
  /// The smallest epsilon for which the step is (epsilon, 0)-DP, S times that for one vote that
  /// moves, half of it where votes are added or removed; none for Gaussian noise.
  [[nodiscard]] std::optional<double> pure_epsilon() const;
  /// The sensitivity as a Gaussian mechanism, in standard deviations, squared: 2 S^2 / sigma^2, or
  /// S^2 / sigma^2 where votes are added or removed; none for other noise.
  [[nodiscard]] std::optional<double> squared_mu() const;

 private:
  NoisyMax noisy_max_;
  Neighbours neighbours_;
};

/// How many kinds of noise there are, and the noise of one of them: 0 <= kind < kNoiseKinds.
inline constexpr std::size_t kNoiseKinds = std::variant_size_v<NoisyMax::Noise>;
[[nodiscard]] NoisyMax noise_of(std::size_t kind, double parameter);

/// Throws `parameter_error` unless the noise is positive and finite. `name` is how messages call
/// it.
void validate(const GaussianNoisyMax& noise, const char* name = "sigma2");
void validate(const LaplaceNoisyMax& noise, const char* name = "laplace-scale");
void validate(const OneLaplaceNoise& noise, const char* name = "laplace-scale");
void validate(const NoisyMax& noisy_max);

/// log of the pair term of q: log Pr[a class `gap` >= 0 votes behind beats the plurality]
///
///     Gaussian   log( erfc(gap / (2 sigma)) / 2 )
///     Laplace    log( (2 + g) / (4 e^g) ),  g = gamma * gap
///     one Laplace noise   log( 1 / (2 e^g) ),  g = gap / (2 b)
///
/// Relative accuracy 1e-15.
[[nodiscard]] double log_pair_probability(const GaussianNoisyMax& noise, std::int64_t gap);
[[nodiscard]] double log_pair_probability(const LaplaceNoisyMax& noise, std::int64_t gap);
[[nodiscard]] double log_pair_probability(const OneLaplaceNoise& noise, std::int64_t gap);

/// The same as a function of the gap.
using LogPairTerm = std::function<double(std::int64_t gap)>;
[[nodiscard]] LogPairTerm pair_term(const NoisyMax& noisy_max);

/// log q, q = min( sum of the pair terms of all classes but the plurality i*, 1 - 1/m ): an upper
/// bound on Pr[output != i*] for the histogram `counts` of m >= 1 classes. -inf for one class. A
/// function of the multiset of counts alone, to the last bit. Relative accuracy of the logarithm
/// 1e-13. Source: S18, Proposition 7, and S17, Lemma 4 (union bound); the cap because the likeliest
/// of m outcomes has probability at least 1/m. Throws `parameter_error` for an empty histogram or
/// bad noise, and for one Laplace noise and other than two classes; with two it is the probability
/// itself. Of many histograms: union_bound.hpp.
[[nodiscard]] double log_q(const NoisyMax& noisy_max, std::span<const std::int32_t> counts);
[[nodiscard]] double log_q(const GaussianNoisyMax& noise, std::span<const std::int32_t> counts);
[[nodiscard]] double log_q(const LaplaceNoisyMax& noise, std::span<const std::int32_t> counts);
[[nodiscard]] double log_q(const OneLaplaceNoise& noise, std::span<const std::int32_t> counts);

/// Throws `parameter_error` unless the mechanism answers queries of so many classes.
void require_classes(const NoisyMax& noisy_max, std::int64_t classes);

}  // namespace pate
