#include "pate/labeling/answer_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/mechanisms/sampling/exact_deviate.hpp"

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

ScaledNoise scaled(const OneLaplaceNoise& noise) {
  return {2.0 * noise.scale, LargestDeviate::kLaplace, true};
}

std::size_t plurality(std::span<const std::int32_t> counts) {
  return static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
}

// At least the distance of  location + scale * approximation,  computed in doubles, from the value:
// the approximation is off by (whole + 1) 2^-32, and roundings are a thousand times smaller.
double error_bound(double location, double scale, const ExactDeviate& noise) {
  return 0x1p-31 * (scale * (static_cast<double>(noise.whole()) + 1.0) + std::abs(location));
}

}  // namespace

AnswerSampler::AnswerSampler(const Mechanism& mechanism, BitSource& source)
    : mechanism_(mechanism), rule_(mechanism.answer_rule()), source_(source) {
  if (const Aggregator* const aggregator = mechanism.aggregator()) {
    maximum_noise_ = aggregator->noisy_max.visit([](const auto& noise) { return scaled(noise); });
    largest_.emplace(maximum_noise_->law);
  }
}

bool AnswerSampler::answers(std::int64_t statistic) {
  if (!rule_) return true;
  return std::visit([&](const auto& rule) { return passes(rule, statistic); }, *rule_);
}

bool AnswerSampler::passes(const ThresholdCheck& check, std::int64_t statistic) {
  return reaches(statistic, check.sigma1, exact_normal(source_), check.threshold);
}

bool AnswerSampler::passes(const StabilityTest& test, std::int64_t statistic) {
  if (!test.is_sparse()) {
    return reaches(statistic, test.scale(),
                   test.is_gaussian() ? exact_normal(source_) : exact_laplace(source_),
                   test.threshold());
  }
  const auto noise = [&] {
    return test.has_gaussian_noise() ? exact_normal(source_) : exact_laplace(source_);
  };
  if (!round_) {
    round_.emplace(Dyadic(test.threshold()), Dyadic(test.threshold_scale()), noise());
  }
  NoisyValue value(Dyadic(static_cast<double>(statistic)), Dyadic(test.scale()), noise());
  const bool answered = value.exceeds(*round_, source_);
  if (!answered) round_.reset();
  return answered;
}

bool AnswerSampler::reaches(std::int64_t statistic, double scale, ExactDeviate noise,
                            double threshold) {
  const auto v = static_cast<double>(statistic);
  const double margin = v + scale * noise.approximation(source_) - threshold;
  if (std::abs(margin) > error_bound(v, scale, noise) + 0x1p-31 * std::abs(threshold)) {
    return margin > 0.0;
  }
  NoisyValue exactly(Dyadic(v), Dyadic(scale), std::move(noise));
  return exactly.reaches(Dyadic(threshold), source_);
}

void AnswerSampler::enter(std::int64_t id, double count, ExactDeviate noise) {
  const double scale = maximum_noise_->scale;
  const double noisy = count + scale * noise.approximation(source_);
  const double error = error_bound(count, scale, noise);
  contestants_.push_back({id, count, std::move(noise), noisy, error});
}

std::int64_t AnswerSampler::winner() {
  double floor = -std::numeric_limits<double>::infinity();  // the maximum is not below
  for (const Contestant& one : contestants_) floor = std::max(floor, one.noisy - one.error);
  // Those that may be the maximum: nearly always one. Otherwise digits decide.
  const auto may_win = [&](const Contestant& one) { return !(one.noisy + one.error < floor); };
  const auto value = [&](Contestant& of) {
    return NoisyValue(Dyadic(of.count), Dyadic(maximum_noise_->scale), std::move(of.noise));
  };
  auto winner = std::ranges::find_if(contestants_, may_win);
  std::optional<NoisyValue> largest;
  for (auto one = std::next(winner); one != contestants_.end(); ++one) {
    if (!may_win(*one)) continue;
    if (!largest) largest = value(*winner);
    NoisyValue challenger = value(*one);
    if (challenger.exceeds(*largest, source_)) {
      winner = one;
      largest = std::move(challenger);
    }
  }
  return winner->id;
}

std::size_t AnswerSampler::draw_all(std::span<const std::int32_t> counts) {
  contestants_.clear();
  for (std::size_t j = 0; j < counts.size(); ++j) {
    enter(static_cast<std::int64_t>(j), counts[j], maximum_noise_->law.draw(source_));
  }
  return static_cast<std::size_t>(winner());
}

std::size_t AnswerSampler::draw_voted(std::span<const std::int32_t> ids,
                                      std::span<const std::int32_t> counts,
                                      std::int64_t without_vote) {
  contestants_.clear();
  for (std::size_t k = 0; k < ids.size(); ++k) {
    enter(ids[k], counts[k], maximum_noise_->law.draw(source_));
  }
  const auto others = static_cast<std::uint64_t>(without_vote);
  enter(kWithoutVote, 0.0, largest_->draw(others, source_));
  const std::int64_t won = winner();
  if (won != kWithoutVote) return static_cast<std::size_t>(won);
  // Each of them alike: as many of them come before the answer as are drawn.
  std::uint64_t id = source_.below(others);
  for (const std::int32_t voted : ids) {
    if (static_cast<std::uint64_t>(voted) > id) break;
    ++id;
  }
  return static_cast<std::size_t>(id);
}

std::size_t AnswerSampler::draw_difference(std::span<const std::int32_t> counts) {
  const double lead = static_cast<double>(counts[0]) - counts[1];
  ExactDeviate noise = maximum_noise_->law.draw(source_);
  const double noisy = lead + maximum_noise_->scale * noise.approximation(source_);
  if (std::abs(noisy) > error_bound(lead, maximum_noise_->scale, noise)) return noisy > 0.0 ? 0 : 1;
  NoisyValue exactly(Dyadic(lead), Dyadic(maximum_noise_->scale), std::move(noise));
  return exactly.reaches(Dyadic(0.0), source_) ? 0 : 1;
}

std::size_t AnswerSampler::noisy_maximum(std::span<const std::int32_t> counts) {
  if (counts.empty()) throw parameter_error("a noisy maximum needs at least one class, got none");
  if (!maximum_noise_) return plurality(counts);
  require_classes(mechanism_.noisy().noisy_max, std::ssize(counts));
  if (maximum_noise_->is_one) return draw_difference(counts);
  const std::int64_t without_vote = std::ranges::count(counts, 0);
  if (without_vote < kFewWithoutVote) return draw_all(counts);
  ids_.clear();
  counts_.clear();
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (counts[j] == 0) continue;
    ids_.push_back(static_cast<std::int32_t>(j));
    counts_.push_back(counts[j]);
  }
  return draw_voted(ids_, counts_, without_vote);
}

std::size_t AnswerSampler::noisy_maximum(std::span<const std::int32_t> ids,
                                         std::span<const std::int32_t> counts,
                                         std::int64_t classes) {
  const std::int64_t without_vote = classes - std::ssize(counts);
  if (largest_ && without_vote >= kFewWithoutVote) return draw_voted(ids, counts, without_vote);
  std::vector<std::int32_t> all(static_cast<std::size_t>(classes));
  for (std::size_t k = 0; k < ids.size(); ++k) all[static_cast<std::size_t>(ids[k])] = counts[k];
  return noisy_maximum(all);
}

}  // namespace pate
