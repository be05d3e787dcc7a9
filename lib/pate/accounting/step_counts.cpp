#include "pate/accounting/step_counts.hpp"

#include <fmt/format.h>

#include "pate/bounds/data_independent.hpp"
#include "pate/error.hpp"

namespace pate {

namespace {

constexpr std::int64_t kMostSteps = std::int64_t{1} << 53;

using Counts = std::map<double, std::int64_t>;

void add_counts(Counts& counts, const Counts& more) {
  for (const auto& [noise, count] : more) {
    std::int64_t& total = counts[noise];
    if (count > kMostSteps - total) {
      throw parameter_error(fmt::format("steps of noise {} must be at most 2^53, got {} and {}",
                                        noise, total, count));
    }
    total += count;
  }
}

// Sum over the kinds of steps of count times the cost of one.
template <class CostOfOne>
double sum(const Counts& counts, const CostOfOne& cost_of_one) {
  double total = 0.0;
  for (const auto& [noise, count] : counts) {
    if (count > 0) total += static_cast<double>(count) * cost_of_one(noise);
  }
  return total;
}

bool none(const Counts& counts) {
  return sum(counts, [](double) { return 1.0; }) == 0.0;
}

}  // namespace

void StepCounts::add(const StepCounts& other) {
  add_counts(threshold_checks, other.threshold_checks);
  add_counts(gaussian_maxima, other.gaussian_maxima);
  add_counts(laplace_maxima, other.laplace_maxima);
}

bool StepCounts::empty() const {
  return none(threshold_checks) && none(gaussian_maxima) && none(laplace_maxima);
}

QueryCost StepCounts::rdp(double order) const {
  QueryCost cost;
  cost.selection =
      sum(threshold_checks, [&](double s) { return threshold_data_independent(s, order); });
  cost.noisy_max = sum(gaussian_maxima,
                       [&](double s) { return gaussian_noisy_max_data_independent(s, order); }) +
                   sum(laplace_maxima, [&](double b) {
                     return laplace_noisy_max_data_independent(1.0 / b, order);
                   });
  return cost;
}

std::optional<double> StepCounts::squared_mu() const {
  if (!laplace_maxima.empty()) return std::nullopt;
  return sum(threshold_checks, [](double s) { return 1.0 / s / s; }) +
         sum(gaussian_maxima, [](double s) { return 2.0 / s / s; });
}

StepCounts steps_of(const Aggregator& aggregator, std::int64_t queries, std::int64_t answers) {
  if (answers < 0 || answers > queries) {
    throw parameter_error(
        fmt::format("answers must be >= 0 and at most the queries, {}, got {}", queries, answers));
  }
  StepCounts steps;
  if (aggregator.selection) steps.threshold_checks[aggregator.selection->sigma1] = queries;
  if (const auto* gaussian = std::get_if<GaussianNoisyMax>(&aggregator.noisy_max)) {
    steps.gaussian_maxima[gaussian->sigma] = answers;
  } else {
    steps.laplace_maxima[std::get<LaplaceNoisyMax>(aggregator.noisy_max).scale] = answers;
  }
  return steps;
}

}  // namespace pate
