#include "pate/votes/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/random/binomial_distribution.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "pate/base/require.hpp"
#include "pate/votes/fingerprint.hpp"

namespace pate {

namespace {

using Engine = std::mt19937_64;

constexpr std::int64_t kMaxSimulated = std::numeric_limits<std::int32_t>::max();
// Some memory per class is needed for every query, and more classes are a mistake anyway.
constexpr std::int64_t kMaxClasses = 1'000'000;
constexpr double kNoCorrelation = 1e-12;
constexpr double kConfusionShape = 0.3;
constexpr std::size_t kMaxWeights = 1000;  // more classes than this are not weighed one by one

enum class Purpose : std::uint64_t { histogram, assignment };

// The seed is mixed before the number is added: query 1 of seed 0 must not be query 0 of seed 1.
Engine stream(std::uint64_t seed, std::int64_t number, Purpose purpose) {
  constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15U;
  const std::uint64_t index =
      2 * static_cast<std::uint64_t>(number) + static_cast<std::uint64_t>(purpose);
  return Engine(mix_bits(mix_bits(seed) + kGamma * index));
}

// The logarithm of a Gamma(shape) draw. As Gamma(shape + 1) U^(1/shape), because for small shapes
// the draw itself underflows.
double log_gamma_draw(Engine& engine, double shape) {
  const double above = boost::random::gamma_distribution<double>(shape + 1.0)(engine);
  const double u = 1.0 - boost::random::uniform_01<double>()(engine);  // never 0
  return std::log(above) + std::log(u) / shape;
}

double share_right(Engine& engine, double accuracy, double correlation) {
  if (correlation < kNoCorrelation || accuracy == 0.0 || accuracy == 1.0) return accuracy;
  const double total = (1.0 - correlation) / correlation;
  const double right = log_gamma_draw(engine, accuracy * total);
  const double wrong = log_gamma_draw(engine, (1.0 - accuracy) * total);
  return 1.0 / (1.0 + std::exp(wrong - right));
}

std::int64_t binomial_draw(Engine& engine, std::int64_t trials, double probability) {
  if (trials == 0 || probability <= 0.0) return 0;
  if (probability >= 1.0) return trials;
  // In 64 bits: trials + 1 and squares of counts are formed in there.
  boost::random::binomial_distribution<std::int64_t, double> draw(trials, probability);
  return std::clamp<std::int64_t>(draw(engine), 0, trials);
}

// Spreads wrong votes over all classes but the true one: class after class, a binomial share of
// what is left.
void spread_wrong_votes(Engine& engine, std::int64_t votes, SimulatedQuery& query) {
  const std::size_t classes = query.counts.size();
  std::vector<double> weights(classes, 0.0);
  boost::random::gamma_distribution<double> confusion(kConfusionShape);
  const auto label = static_cast<std::size_t>(query.label);
  for (std::size_t j = 0; j < classes; ++j) {
    if (j != label) weights[j] = confusion(engine);
  }
  // rest[j]: the weight of the classes from j on. No differences: the last one gets exactly 1.
  std::vector<double> rest = weights;
  for (std::size_t j = classes - 1; j-- > 0;) rest[j] += rest[j + 1];
  for (std::size_t j = 0; j < classes && votes > 0; ++j) {
    if (weights[j] <= 0.0) continue;
    const std::int64_t taken = binomial_draw(engine, votes, weights[j] / rest[j]);
    query.counts[j] = static_cast<std::int32_t>(taken);
    votes -= taken;
  }
}

// The same distribution without weights, by Polya's urn: a vote is for the class of an earlier one,
// any of them, or, as often as the shapes of all classes weigh against the votes so far, for any
// wrong class. Takes time by votes, not classes.
void spread_by_urn(Engine& engine, std::int64_t votes, SimulatedQuery& query) {
  using Index = boost::random::uniform_int_distribution<std::size_t>;
  const std::size_t wrong = query.counts.size() - 1;
  const double shapes = kConfusionShape * static_cast<double>(wrong);
  std::vector<std::size_t> drawn;
  drawn.reserve(static_cast<std::size_t>(votes));
  while (drawn.size() < static_cast<std::size_t>(votes)) {
    const auto earlier = static_cast<double>(drawn.size());
    const double u = boost::random::uniform_01<double>()(engine);
    if (u * (earlier + shapes) < earlier) {
      drawn.push_back(drawn[Index(0, drawn.size() - 1)(engine)]);
    } else {
      const std::size_t j = Index(0, wrong - 1)(engine);
      drawn.push_back(j < static_cast<std::size_t>(query.label) ? j : j + 1);
    }
    ++query.counts[drawn.back()];
  }
}

}  // namespace

void validate(const SimulationSettings& settings) {
  require_count(settings.teachers, kMaxSimulated, "teachers");
  require_count(settings.classes, kMaxClasses, "classes");
  require_count(settings.queries, kMaxSimulated, "queries");
  require(settings.accuracy >= 0.0 && settings.accuracy <= 1.0,
          "accuracy must be >= 0 and <= 1, got {}", settings.accuracy);
  require(settings.correlation >= 0.0 && settings.correlation < 1.0,
          "correlation must be >= 0 and < 1, got {}", settings.correlation);
}

VoteSimulator::VoteSimulator(const SimulationSettings& settings) : settings_(settings) {
  validate(settings_);
}

SimulatedQuery VoteSimulator::query(std::int64_t number) const {
  check_number(number);
  Engine engine = stream(settings_.seed, number, Purpose::histogram);
  SimulatedQuery query;
  query.counts.resize(static_cast<std::size_t>(settings_.classes));
  query.label = static_cast<std::int32_t>(
      boost::random::uniform_int_distribution<std::int64_t>(0, settings_.classes - 1)(engine));
  std::int64_t right = settings_.teachers;
  if (settings_.classes > 1) {
    const double share = share_right(engine, settings_.accuracy, settings_.correlation);
    right = binomial_draw(engine, settings_.teachers, share);
  }
  if (right < settings_.teachers) {
    (query.counts.size() > kMaxWeights ? spread_by_urn : spread_wrong_votes)(
        engine, settings_.teachers - right, query);
  }
  query.counts[static_cast<std::size_t>(query.label)] = static_cast<std::int32_t>(right);
  return query;
}

std::vector<std::int32_t> VoteSimulator::teacher_votes(std::int64_t number,
                                                       const SimulatedQuery& query) const {
  check_number(number);
  std::vector<std::int32_t> votes;
  votes.reserve(static_cast<std::size_t>(settings_.teachers));
  for (std::size_t j = 0; j < query.counts.size(); ++j) {
    votes.insert(votes.end(), static_cast<std::size_t>(query.counts[j]),
                 static_cast<std::int32_t>(j));
  }
  // std::shuffle is not the same everywhere.
  Engine engine = stream(settings_.seed, number, Purpose::assignment);
  for (std::size_t last = votes.size(); last-- > 1;) {
    std::swap(votes[last],
              votes[boost::random::uniform_int_distribution<std::size_t>(0, last)(engine)]);
  }
  return votes;
}

void VoteSimulator::check_number(std::int64_t number) const {
  if (number >= 0 && number < settings_.queries) return;
  throw std::out_of_range(fmt::format("VoteSimulator: query {} of {}", number, settings_.queries));
}

}  // namespace pate
