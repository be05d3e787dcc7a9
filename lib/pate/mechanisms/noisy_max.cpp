#include "pate/mechanisms/noisy_max.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <numbers>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/mechanisms/union_bound.hpp"
#include "pate/numerics/normal.hpp"

namespace pate {

namespace {

template <std::size_t... Kinds>
NoisyMax noise_of(std::size_t kind, double parameter, std::index_sequence<Kinds...>) {
  NoisyMax result;
  const auto set = [&](auto noise) { result.noise = noise; };
  ((kind == Kinds ? set(std::variant_alternative_t<Kinds, NoisyMax::Noise>{parameter}) : void()),
   ...);
  return result;
}

template <class Noise>
LogPairTerm term_of(const Noise& noise) {
  return [noise](std::int64_t gap) { return log_pair_probability(noise, gap); };
}

}  // namespace

void require_positive(double value, const char* name) {
  require(value > 0.0 && std::isfinite(value), "{} must be > 0 and finite, got {}", name, value);
  require(value >= kMinNoise && value <= kMaxNoise, "{} must be between {:g} and {:g}, got {}",
          name, kMinNoise, kMaxNoise, value);
}

NoisyMax noise_of(std::size_t kind, double parameter) {
  return noise_of(kind, parameter, std::make_index_sequence<kNoiseKinds>());
}

void validate(const GaussianNoisyMax& noise, const char* name) {
  require_positive(noise.sigma, name);
}

void validate(const LaplaceNoisyMax& noise, const char* name) {
  require_positive(noise.scale, name);
}

void validate(const OneLaplaceNoise& noise, const char* name) {
  require_positive(noise.scale, name);
}

void validate(const NoisyMax& noisy_max) {
  noisy_max.visit([](const auto& noise) { validate(noise); });
}

GaussianNoisyMax NoisyStep::gaussian_per_move() const {
  const GaussianNoisyMax& noise = noisy_max_.gaussian();
  const auto votes = static_cast<double>(neighbours_.teachers);
  return {(neighbours_.adds_or_removes() ? std::numbers::sqrt2 * noise.sigma : noise.sigma) /
          votes};
}

std::optional<double> NoisyStep::pure_epsilon() const {
  const auto of_one = noisy_max_.visit([](const auto& of) { return of.pure_epsilon(); });
  if (!of_one) return std::nullopt;
  return *of_one *
         (static_cast<double>(neighbours_.teachers) * (neighbours_.adds_or_removes() ? 0.5 : 1.0));
}

std::optional<double> NoisyStep::squared_mu() const {
  if (!is_gaussian()) return std::nullopt;
  const double sigma = gaussian_per_move().sigma;
  return 2.0 / sigma / sigma;
}

double log_pair_probability(const GaussianNoisyMax& noise, std::int64_t gap) {
  return log_normal_cdf(-static_cast<double>(gap) / (std::numbers::sqrt2 * noise.sigma));
}

double log_pair_probability(const LaplaceNoisyMax& noise, std::int64_t gap) {
  const double g = static_cast<double>(gap) / noise.scale;
  return std::log(0.25 * (2.0 + g)) - g;
}

double log_pair_probability(const OneLaplaceNoise& noise, std::int64_t gap) {
  return -0.5 * static_cast<double>(gap) / noise.scale - std::numbers::ln2;
}

LogPairTerm pair_term(const NoisyMax& noisy_max) {
  return noisy_max.visit([](const auto& noise) { return term_of(noise); });
}

double log_q(const GaussianNoisyMax& noise, std::span<const std::int32_t> counts) {
  validate(noise);
  return log_union_bound(counts, term_of(noise));
}

double log_q(const LaplaceNoisyMax& noise, std::span<const std::int32_t> counts) {
  validate(noise);
  return log_union_bound(counts, term_of(noise));
}

double log_q(const OneLaplaceNoise& noise, std::span<const std::int32_t> counts) {
  validate(noise);
  require_classes({noise}, std::ssize(counts));
  return log_union_bound(counts, term_of(noise));
}

void require_classes(const NoisyMax& noisy_max, std::int64_t classes) {
  if (!noisy_max.is_of_two_classes() || classes == 2) return;
  throw parameter_error(
      fmt::format("one Laplace noise is a mechanism for two classes, got {}", classes));
}

double log_q(const NoisyMax& noisy_max, std::span<const std::int32_t> counts) {
  return noisy_max.visit([&](const auto& noise) { return log_q(noise, counts); });
}

}  // namespace pate
