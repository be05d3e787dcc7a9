#include "pate/accounting/mechanism_counts.hpp"

#include <algorithm>

#include "pate/base/require.hpp"
#include "pate/divergence/bounds/sampled_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/mechanisms/stability_test.hpp"
#include "pate/mechanisms/supports.hpp"

namespace pate {

namespace {

constexpr std::int64_t kMaxSteps = std::int64_t{1} << 53;

double value_of(double noise) {
  return noise;
}

double value_of(const NoisyMax& noise) {
  return noise.parameter();
}

double value_of(const SparseRound& round) {
  return round.sigma;
}

double value_of(const SampledGaussian& sampled) {
  return sampled.sigma2;
}

template <class Noise>
void add_counts(std::map<Noise, std::int64_t>& counts, const std::map<Noise, std::int64_t>& more) {
  for (const auto& [noise, count] : more) {
    std::int64_t& total = counts[noise];
    require(count <= kMaxSteps - total, "steps of noise {} must be at most 2^53, got {} and {}",
            value_of(noise), total, count);
    total += count;
  }
}

// Sum over the kinds of steps of count times the cost of one.
template <class Noise, class CostOfOne>
double sum(const std::map<Noise, std::int64_t>& counts, const CostOfOne& cost_of_one) {
  double total = 0.0;
  for (const auto& [noise, count] : counts) {
    if (count > 0) total += static_cast<double>(count) * cost_of_one(noise);
  }
  return total;
}

void require_known(const MechanismCounts& steps) {
  for (const auto& step : steps.sampled_queries) require(asked_of(step.first.of), steps.neighbours);
  for (const auto& step : steps.maxima) {
    if (step.first.is_of_two_classes()) require(Asked::one_noise, steps.neighbours);
  }
  if (steps.laplace_checks.empty() && steps.sparse_rounds.empty() &&
      steps.gaussian_sparse_rounds.empty() && steps.tested_pluralities.empty()) {
    return;
  }
  require(Asked::ptr, steps.neighbours);
}

}  // namespace

void MechanismCounts::add(const MechanismCounts& other) {
  if (other.empty()) return;
  if (empty()) neighbours = other.neighbours;
  require(neighbours == other.neighbours,
          "steps for different neighbours (neighbours, teachers-per-person) have no cost together");
  for_each_kind([&](const auto kind) { add_counts(this->*kind, other.*kind); });
}

bool MechanismCounts::empty() const {
  const auto none = [](const auto& step) { return step.second <= 0; };
  bool result = true;
  for_each_kind(
      [&](const auto kind) { result = result && std::ranges::all_of(this->*kind, none); });
  return result;
}

bool MechanismCounts::has_checks() const {
  return !threshold_checks.empty() || !laplace_checks.empty() || !sparse_rounds.empty() ||
         !gaussian_sparse_rounds.empty() ||
         std::ranges::any_of(sampled_queries,
                             [](const auto& step) { return step.first.has_check(); });
}

double MechanismCounts::delta() const {
  const double total = sum(tested_pluralities, [](double of_one) { return of_one; });
  return total * (1.0 + 4e-16 * static_cast<double>(maxima.size() + tested_pluralities.size()));
}

QueryCost MechanismCounts::rdp(double order) const {
  require_known(*this);
  QueryCost cost;
  cost.selection = sum(threshold_checks, [&](double s) {
    return threshold_data_independent(neighbours.per_move(s), order);
  });
  cost.selection +=
      sum(laplace_checks, [&](double scale) { return laplace_check_cost(scale, order); });
  cost.selection +=
      sum(sparse_rounds, [&](double scale) { return pure_dp_cost(round_epsilon(scale), order); });
  cost.selection += sum(gaussian_sparse_rounds,
                        [&](const SparseRound& round) { return sparse_round_cost(round, order); });
  cost.noisy_max +=
      sum(sampled_queries, [&](const SampledGaussian& its) { return sampled_cost(its, order); });
  for (std::size_t kind = 0; kind < kNoiseKinds; ++kind) {
    cost.noisy_max += sum(maxima, [&](const NoisyMax& noisy_max) {
      if (noisy_max.noise.index() != kind) return 0.0;
      return data_independent_cost({noisy_max, neighbours}, order);
    });
  }
  return cost;
}

std::optional<double> MechanismCounts::squared_mu() const {
  if (!laplace_checks.empty() || !sparse_rounds.empty() || !gaussian_sparse_rounds.empty() ||
      !sampled_queries.empty()) {
    return std::nullopt;
  }
  double noisy_max = 0.0;
  for (const auto& [noise, count] : maxima) {
    const auto squared = NoisyStep(noise, neighbours).squared_mu();
    if (!squared) return std::nullopt;
    if (count > 0) noisy_max += static_cast<double>(count) * *squared;
  }
  const auto votes = static_cast<double>(neighbours.teachers);
  return sum(threshold_checks, [](double s) { return 1.0 / s / s; }) * votes * votes + noisy_max;
}

std::map<double, std::int64_t> MechanismCounts::pure_epsilons() const {
  require_known(*this);
  std::map<double, std::int64_t> by_epsilon;
  for (const auto& [scale, count] : laplace_checks) by_epsilon[1.0 / scale] += count;
  for (const auto& [scale, count] : sparse_rounds) {
    by_epsilon[round_epsilon(scale)] += count;
  }
  for (const auto& [noise, count] : maxima) {
    const auto epsilon = NoisyStep(noise, neighbours).pure_epsilon();
    if (epsilon) by_epsilon[*epsilon] += count;
  }
  return by_epsilon;
}

std::optional<std::vector<PureSteps>> MechanismCounts::pure_steps() const {
  const bool is_pure =
      std::ranges::none_of(maxima, [](const auto& step) { return step.first.is_gaussian(); });
  if (!threshold_checks.empty() || !gaussian_sparse_rounds.empty() || !sampled_queries.empty() ||
      !is_pure) {
    return std::nullopt;
  }
  std::vector<PureSteps> steps;
  for (const auto& [epsilon, count] : pure_epsilons()) steps.push_back({epsilon, count});
  return steps;
}

MechanismCounts steps_of(const Mechanism& mechanism, const Neighbours& neighbours,
                         std::int64_t queries, std::int64_t answers) {
  require(answers >= 0 && answers <= queries,
          "answers must be >= 0 and at most the queries, {}, got {}", queries, answers);
  MechanismCounts steps;
  validate(neighbours);
  steps.neighbours = neighbours;
  if (const StabilityTest* const test = mechanism.ptr()) {
    const std::int64_t tests =
        test->is_sparse() ? std::min(queries, test->max_refusals()) : queries;
    switch (test->noise()) {
      case TestNoise::laplace:
        steps.laplace_checks[test->scale()] = tests;
        break;
      case TestNoise::gaussian:
        steps.threshold_checks[test->scale()] = tests;
        break;
      case TestNoise::sparse:
        steps.sparse_rounds[test->scale()] = tests;
        break;
      case TestNoise::sparse_gaussian:
        require(queries <= test->max_queries(),
                "queries must be at most {}, where this run ends, got {}", test->max_queries(),
                queries);
        steps.gaussian_sparse_rounds[{test->scale(), test->max_queries()}] = tests;
        break;
    }
    steps.tested_pluralities[test->delta()] = tests;
    return steps;
  }
  const Aggregator& aggregator = mechanism.noisy();
  if (const auto& check = aggregator.selection) steps.threshold_checks[check->sigma1] = queries;
  steps.maxima[aggregator.noisy_max] = answers;
  return steps;
}

}  // namespace pate
