#include "pate/labeling/answer_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/error.hpp"
#include "pate/sampling/exact_deviate.hpp"

namespace pate {

namespace {

// Fewer classes without a vote are drawn one by one.
constexpr std::int64_t kFewWithoutVote = 128;

// How the noise of a maximum is drawn: `scale` times a deviate.
ScaledNoise scaled(const GaussianNoisyMax& noise) {
  return {noise.sigma, LargestDeviate::kNormal};
}

ScaledNoise scaled(const LaplaceNoisyMax& noise) {
  return {noise.scale, LargestDeviate::kLaplace};
}

ScaledNoise scaled(const TestedPlurality& /*tested*/) {
  return {0.0, std::nullopt};
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
  if (maximum_noise_.law) largest_.emplace(*maximum_noise_.law);
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

void AnswerSampler::enter(std::size_t place, double count, ExactDeviate noise) {
  const double scale = maximum_noise_.scale;
  const double noisy = count + scale * noise.approximation(source_);
  const double error = error_bound(count, scale, noise);
  contestants_.push_back({place, count, std::move(noise), noisy, error});
}

std::size_t AnswerSampler::noisy_maximum(std::span<const std::int32_t> counts) {
  if (counts.empty()) throw parameter_error("a noisy maximum needs at least one class, got none");
  if (!largest_) {
    return static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) -
                                    counts.begin());
  }
  contestants_.clear();
  const std::int64_t without_vote = std::ranges::count(counts, 0);
  const bool as_group = without_vote >= kFewWithoutVote;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (as_group && counts[j] == 0) continue;
    enter(j, counts[j], maximum_noise_.law->draw(source_));
  }
  if (as_group) {
    enter(counts.size(), 0.0, largest_->draw(static_cast<std::uint64_t>(without_vote), source_));
  }
  double floor = -std::numeric_limits<double>::infinity();  // the maximum is not below
  for (const Contestant& one : contestants_) floor = std::max(floor, one.noisy - one.error);
  // Those that may be the maximum: nearly always one. Otherwise digits decide.
  Contestant* winner = nullptr;
  std::optional<NoisyValue> largest;
  for (Contestant& one : contestants_) {
    if (one.noisy + one.error < floor) continue;
    if (winner == nullptr) {
      winner = &one;
      continue;
    }
    const auto value = [&](Contestant& of) {
      return NoisyValue(Dyadic(of.count), Dyadic(maximum_noise_.scale), std::move(of.noise));
    };
    if (!largest) largest = value(*winner);
    NoisyValue challenger = value(one);
    if (challenger.exceeds(*largest, source_)) {
      winner = &one;
      largest = std::move(challenger);
    }
  }
  if (winner->place < counts.size()) return winner->place;
  std::uint64_t before = source_.below(static_cast<std::uint64_t>(without_vote));
  for (std::size_t j = 0;; ++j) {
    if (counts[j] == 0 && before-- == 0) return j;
  }
}

}  // namespace pate
