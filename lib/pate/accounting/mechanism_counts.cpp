#include "pate/accounting/mechanism_counts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pate/base/error.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/mechanisms/stability_test.hpp"

namespace pate {

namespace {

constexpr std::int64_t kMaxSteps = std::int64_t{1} << 53;

double value_of(double noise) {
  return noise;
}

double value_of(const NoisyMax& noise) {
  return noise.parameter();
}

template <class Noise>
void add_counts(std::map<Noise, std::int64_t>& counts, const std::map<Noise, std::int64_t>& more) {
  for (const auto& [noise, count] : more) {
    std::int64_t& total = counts[noise];
    if (count > kMaxSteps - total) {
      throw parameter_error(fmt::format("steps of noise {} must be at most 2^53, got {} and {}",
                                        value_of(noise), total, count));
    }
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

}  // namespace

void MechanismCounts::add(const MechanismCounts& other) {
  if (other.empty()) return;
  if (empty()) neighbours = other.neighbours;
  if (neighbours != other.neighbours) {
    throw parameter_error(
        "steps for different neighbours (neighbours, teachers-per-person) have no cost together");
  }
  add_counts(threshold_checks, other.threshold_checks);
  add_counts(laplace_checks, other.laplace_checks);
  add_counts(sparse_rounds, other.sparse_rounds);
  add_counts(maxima, other.maxima);
}

bool MechanismCounts::empty() const {
  const auto none = [](const auto& step) { return step.second <= 0; };
  return std::ranges::all_of(threshold_checks, none) && std::ranges::all_of(laplace_checks, none) &&
         std::ranges::all_of(sparse_rounds, none) && std::ranges::all_of(maxima, none);
}

bool MechanismCounts::has_checks() const {
  return !threshold_checks.empty() || !laplace_checks.empty() || !sparse_rounds.empty();
}

double MechanismCounts::delta() const {
  const double total = sum(maxima, [](const NoisyMax& of) { return of.delta(); });
  return total * (1.0 + 4e-16 * static_cast<double>(maxima.size()));
}

QueryCost MechanismCounts::rdp(double order) const {
  QueryCost cost;
  cost.selection = sum(threshold_checks, [&](double s) {
    return threshold_data_independent({0.0, s, false, 0.0, neighbours}, order);
  });
  cost.selection += sum(laplace_checks, [&](double scale) {
    return threshold_data_independent({0.0, scale, true}, order);
  });
  cost.selection += sum(sparse_rounds, [&](double scale) {
    return threshold_data_independent({0.0, scale, true, 0.5 * scale}, order);
  });
  for (std::size_t kind = 0; kind < kNoiseKinds; ++kind) {
    cost.noisy_max += sum(maxima, [&](const NoisyMax& noisy_max) {
      return noisy_max.noise.index() == kind ? data_independent_cost(noisy_max, order) : 0.0;
    });
  }
  return cost;
}

std::optional<double> MechanismCounts::squared_mu() const {
  if (!laplace_checks.empty() || !sparse_rounds.empty()) return std::nullopt;
  double noisy_max = 0.0;
  for (const auto& [noise, count] : maxima) {
    const auto squared = noise.squared_mu();
    if (!squared) return std::nullopt;
    if (count > 0) noisy_max += static_cast<double>(count) * *squared;
  }
  const auto votes = static_cast<double>(neighbours.teachers);
  return sum(threshold_checks, [](double s) { return 1.0 / s / s; }) * votes * votes + noisy_max;
}

std::map<double, std::int64_t> MechanismCounts::pure_epsilons() const {
  std::map<double, std::int64_t> by_epsilon;
  for (const auto& [scale, count] : laplace_checks) by_epsilon[1.0 / scale] += count;
  for (const auto& [scale, count] : sparse_rounds) {
    by_epsilon[round_epsilon({0.0, scale, true, 0.5 * scale})] += count;
  }
  for (const auto& [noise, count] : maxima) {
    const auto epsilon = noise.pure_epsilon();
    if (epsilon && !noise.is_ptr()) by_epsilon[*epsilon] += count;
  }
  return by_epsilon;
}

std::optional<std::vector<PureSteps>> MechanismCounts::pure_steps() const {
  const bool is_pure = std::ranges::all_of(
      maxima, [](const auto& step) { return step.first.pure_epsilon().has_value(); });
  if (!threshold_checks.empty() || !is_pure) return std::nullopt;
  std::vector<PureSteps> steps;
  for (const auto& [epsilon, count] : pure_epsilons()) steps.push_back({epsilon, count});
  return steps;
}

MechanismCounts steps_of(const Aggregator& aggregator, std::int64_t queries, std::int64_t answers) {
  if (answers < 0 || answers > queries) {
    throw parameter_error(
        fmt::format("answers must be >= 0 and at most the queries, {}, got {}", queries, answers));
  }
  MechanismCounts steps;
  steps.neighbours = aggregator.neighbours();
  if (aggregator.is_sparse_vector()) {
    const std::int64_t rounds = std::min(queries, *aggregator.max_refusals);
    steps.sparse_rounds[aggregator.selection->sigma1] = rounds;
    steps.maxima[aggregator.noisy_max] = rounds;
    return steps;
  }
  if (const auto& check = aggregator.selection) {
    (check->laplace ? steps.laplace_checks : steps.threshold_checks)[check->sigma1] = queries;
  }
  steps.maxima[aggregator.noisy_max] = aggregator.noisy_max.is_ptr() ? queries : answers;
  return steps;
}

}  // namespace pate
