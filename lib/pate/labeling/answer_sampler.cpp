#include "pate/labeling/answer_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/error.hpp"
#include "pate/sampling/exact_deviate.hpp"

namespace pate {

namespace {

// How the noise of a maximum is drawn: `scale` times a deviate.
ScaledNoise scaled(const GaussianNoisyMax& noise) {
  return {noise.sigma, exact_normal};
}

ScaledNoise scaled(const LaplaceNoisyMax& noise) {
  return {noise.scale, exact_laplace};
}

ScaledNoise scaled(const TestedPlurality& /*tested*/) {
  return {0.0, nullptr};
}

// At least the distance of  location + scale * approximation,  computed in doubles, from the value:
// the approximation is off by (whole + 1) 2^-32, and roundings are a thousand times smaller.
double error_bound(double location, double scale, const ExactDeviate& noise) {
  return 0x1p-31 * (scale * (static_cast<double>(noise.whole()) + 1.0) + std::abs(location));
}

}  // namespace

AnswerSampler::AnswerSampler(const Aggregator& aggregator, BitSource& source)
    : aggregator_(aggregator),
      source_(source),
      maximum_noise_(aggregator.noisy_max.visit([](const auto& noise) { return scaled(noise); })) {
  validate(aggregator);
}

bool AnswerSampler::answers(std::int64_t statistic) {
  if (!aggregator_.selection) return true;
  const auto& [threshold, sigma1, laplace, threshold_scale] = *aggregator_.selection;
  const auto v = static_cast<double>(statistic);
  if (aggregator_.is_sparse()) {
    if (!round_) {
      round_.emplace(Dyadic(threshold), Dyadic(threshold_scale), exact_laplace(source_));
    }
    NoisyValue value(Dyadic(v), Dyadic(sigma1), exact_laplace(source_));
    const bool answered = value.exceeds(*round_, source_);
    if (!answered) round_.reset();
    return answered;
  }
  ExactDeviate noise = laplace ? exact_laplace(source_) : exact_normal(source_);
  const double margin = v + sigma1 * noise.approximation(source_) - threshold;
  if (std::abs(margin) > error_bound(v, sigma1, noise) + 0x1p-31 * std::abs(threshold)) {
    return margin > 0.0;
  }
  NoisyValue exactly(Dyadic(v), Dyadic(sigma1), std::move(noise));
  return exactly.reaches(Dyadic(threshold), source_);
}

std::size_t AnswerSampler::noisy_maximum(std::span<const std::int32_t> counts) {
  if (counts.empty()) throw parameter_error("a noisy maximum needs at least one class, got none");
  if (aggregator_.is_tested()) {
    return static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) -
                                    counts.begin());
  }
  noise_.clear();
  noisy_.resize(counts.size());
  error_.resize(counts.size());
  const auto [scale, draw] = maximum_noise_;
  double floor = -std::numeric_limits<double>::infinity();  // the maximum is not below
  for (std::size_t j = 0; j < counts.size(); ++j) {
    noise_.push_back(draw(source_));
    const auto count = static_cast<double>(counts[j]);
    noisy_[j] = count + scale * noise_[j].approximation(source_);
    error_[j] = error_bound(count, scale, noise_[j]);
    floor = std::max(floor, noisy_[j] - error_[j]);
  }
  // Classes that may be the maximum: nearly always one. Otherwise digits decide.
  std::optional<std::size_t> winner;
  std::optional<NoisyValue> largest;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (noisy_[j] + error_[j] < floor) continue;
    if (!winner) {
      winner = j;
      continue;
    }
    const auto value = [&](std::size_t k) {
      return NoisyValue(Dyadic(static_cast<double>(counts[k])), Dyadic(maximum_noise_.scale),
                        std::move(noise_[k]));
    };
    if (!largest) largest = value(*winner);
    NoisyValue challenger = value(j);
    if (challenger.exceeds(*largest, source_)) {
      winner = j;
      largest = std::move(challenger);
    }
  }
  return *winner;
}

}  // namespace pate
