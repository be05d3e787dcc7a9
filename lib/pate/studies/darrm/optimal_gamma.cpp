#include "pate/studies/darrm/optimal_gamma.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "pate/base/error.hpp"
#include "pate/studies/darrm/linear_program.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"

namespace pate {

namespace {

constexpr std::size_t kRowsARound = 80;
constexpr std::int64_t kMaxCutRounds = 400;
constexpr double kOptimalGap = 1e-11;  // relative

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Coefficients of gamma as coefficients of its steps, and steps as gamma.
void to_steps(std::vector<double>& row) {
  for (std::size_t i = row.size() - 1; i > 0; --i) row[i - 1] += row[i];
}

std::vector<double> from_steps(const std::vector<double>& steps) {
  std::vector<double> result;
  double sum = 0.0;
  for (const double step : steps) result.push_back(sum = std::min(1.0, sum + step));
  return result;
}

double check_weights(std::span<const double> weights, const PrivateTeachers& teachers) {
  const std::size_t size = majority_sizes(teachers.teachers);
  if (weights.size() != size) {
    throw parameter_error(
        fmt::format("{} teachers need {} weights, one for each of {} .. {} votes for "
                    "the majority, got {}",
                    teachers.teachers, size, least_majority(teachers.teachers), teachers.teachers,
                    weights.size()));
  }
  double total = 0.0;
  for (const double weight : weights) {
    if (!(weight >= 0.0) || !std::isfinite(weight)) {
      throw parameter_error(fmt::format("weights must be >= 0 and finite, got {}", weight));
    }
    total += weight;
  }
  if (!(total > 0.0)) throw parameter_error("weights must not all be 0");
  if (!std::isfinite(total)) throw parameter_error("weights must have a finite sum");
  return total;
}

// The optimum at the corners that `worst` looks at.
OptimalGamma cut(const WorstCase& worst, std::span<const double> weights, double total,
                 bool monotone) {
  const std::size_t size = weights.size();
  std::vector<double> objective(weights.begin(), weights.end());
  for (double& weight : objective) weight /= total;  // the solver's tolerances are absolute
  const std::vector<double> shares = objective;
  if (monotone) to_steps(objective);
  LinearProgram program(objective);
  if (monotone) program.add_row(std::vector<double>(size, 1.0));

  OptimalGamma result;
  std::vector<double> gamma(size, 1.0);
  std::vector<double> best(size, 0.0);
  double lower = 0.0;
  double upper = 1.0;
  std::set<Multiset> known;
  while (result.rounds < kMaxCutRounds) {
    ++result.rounds;
    auto found = worst.dearest(gamma, kRowsARound, -std::numeric_limits<double>::infinity());
    const double scale = std::min(1.0, worst.bound() / found.front().cost);
    if (const double value = scale * dot(shares, gamma); value > lower) {
      lower = value;
      best = gamma;
    }
    if (scale >= 1.0 || upper - lower <= kOptimalGap) break;
    bool added = false;
    for (const CornerCost& one : found) {
      if (!(one.cost > worst.bound()) || !known.insert(one.teachers).second) continue;
      std::vector<double> row = worst.coefficients(one.teachers);
      for (double& value : row) value /= worst.bound();
      if (monotone) to_steps(row);
      program.add_row(row);
      added = true;
    }
    if (!added) break;
    const LinearProgram::Solution solution = program.solve();
    gamma = monotone ? from_steps(solution.x) : solution.x;
    upper = std::min(upper, solution.upper);
  }
  result.released = certified(best, worst.teachers(), worst.target());
  result.objective = dot(weights, result.released.gamma);
  result.upper = std::max(std::min(upper * worst.lift(), 1.0) * total, result.objective);
  result.rows = static_cast<std::int64_t>(known.size());
  return result;
}

}  // namespace

OptimalGamma optimal_gamma(const PrivateTeachers& teachers, const AnswerTarget& target,
                           std::span<const double> weights, bool monotone) {
  const WorstCase worst(teachers, target, monotone);
  const double total = check_weights(weights, teachers);
  OptimalGamma result = cut(worst, weights, total, monotone);
  if (worst.corners() != CornerSet::lifted) return result;
  OptimalGamma other = cut(WorstCase(teachers, target, true), weights, total, true);
  other.upper = result.upper;  // of all noise functions
  other.rounds = result.rounds += other.rounds;
  other.rows = result.rows += other.rows;
  return other.objective > result.objective ? other : result;
}

}  // namespace pate
