#include "pate/studies/darrm/optimal_gamma.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/studies/darrm/linear_program.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"

namespace pate {

namespace {

constexpr std::size_t kRowsARound = 80;
constexpr std::int64_t kMaxCutRounds = 400;
constexpr double kOptimalGap = 1e-11;  // relative
// What a tie may cost, relative: more than the solver's tolerances, less than anybody prints.
constexpr double kFloorSlack = 1e-10;

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
    require_cost(weight, "weights");
    total += weight;
  }
  if (!(total > 0.0)) throw parameter_error("weights must not all be 0");
  if (!std::isfinite(total)) throw parameter_error("weights must have a finite sum");
  return total;
}

// What a noise function may not fall below while another objective is looked at.
struct Floor {
  const std::vector<double>& shares;
  double value;
};

// What cutting planes found: the noise function, which `scale` makes private, and what it is worth.
struct Cut {
  std::vector<double> gamma;
  double scale = 0.0;
  double value = 0.0;
  double upper = 1.0;
  std::int64_t rounds = 0;
};

// Maximises the objective at the corners that `worst` looks at. `known` are the multisets whose
// rows take part, and gets those that are found.
Cut cut(const WorstCase& worst, const std::vector<double>& objective, bool monotone,
        std::set<Multiset>& known, const Floor* floor = nullptr) {
  const std::size_t size = objective.size();
  const auto in_unknowns = [&](std::vector<double> row) {
    if (monotone) to_steps(row);
    return row;
  };
  LinearProgram program(in_unknowns(objective));
  if (monotone) program.add_row(std::vector<double>(size, 1.0));
  const auto add_row_of = [&](const Multiset& multiset) {
    std::vector<double> row = worst.coefficients(multiset);
    for (double& value : row) value /= worst.bound();
    program.add_row(in_unknowns(std::move(row)));
  };
  for (const Multiset& multiset : known) add_row_of(multiset);
  if (floor != nullptr) {
    std::vector<double> row = floor->shares;
    for (double& value : row) value = -value;
    program.add_row(in_unknowns(std::move(row)), -floor->value * (1.0 - kFloorSlack));
  }
  const auto solve = [&](Cut& result, std::vector<double>& gamma) {
    const LinearProgram::Solution solution = program.solve();
    gamma = monotone ? from_steps(solution.x) : solution.x;
    result.upper = std::min(result.upper, solution.upper);
  };
  Cut result;
  std::vector<double> gamma(size, 1.0);
  if (floor != nullptr) solve(result, gamma);
  while (result.rounds < kMaxCutRounds) {
    ++result.rounds;
    auto found = worst.most_costly(gamma, kRowsARound, -std::numeric_limits<double>::infinity());
    const double scale = std::min(1.0, worst.bound() / found.front().cost);
    const bool is_high = floor == nullptr || scale * dot(floor->shares, gamma) >=
                                                 floor->value * (1.0 - 10.0 * kFloorSlack);
    if (const double value = scale * dot(objective, gamma); is_high && value > result.value) {
      result.value = value;
      result.scale = scale;
      result.gamma = gamma;
    }
    if (scale >= 1.0 || result.upper - result.value <= kOptimalGap) break;
    bool added = false;
    for (const CornerCost& one : found) {
      if (!(one.cost > worst.bound()) || !known.insert(one.teachers).second) continue;
      add_row_of(one.teachers);
      added = true;
    }
    if (!added) break;
    solve(result, gamma);
  }
  return result;
}

// The optimum at the corners that `worst` looks at: among those that are worth the same under the
// weights, the one that is worth most under equal ones. (A linear program has no opinion on sizes
// of the majority that weigh next to nothing, such as unanimous votes, and may leave them to the
// coin.)
OptimalGamma optimum(const WorstCase& worst, std::span<const double> weights, double total,
                     bool monotone) {
  std::vector<double> shares(weights.begin(), weights.end());
  for (double& weight : shares) weight /= total;  // the solver's tolerances are absolute
  std::set<Multiset> known;
  Cut best = cut(worst, shares, monotone, known);
  const double upper = best.upper;
  std::int64_t rounds = best.rounds;
  const std::vector<double> equal(shares.size(), 1.0 / static_cast<double>(shares.size()));
  const Floor floor{shares, best.value};
  const double equal_value = best.scale * dot(equal, best.gamma);
  Cut fuller = cut(worst, equal, monotone, known, &floor);
  rounds += fuller.rounds;
  if (fuller.value > equal_value) best = std::move(fuller);
  if (best.gamma.empty()) best.gamma.assign(shares.size(), 0.0);
  OptimalGamma result;
  result.released = certified(best.gamma, worst.teachers(), worst.target());
  result.objective = dot(weights, result.released.gamma);
  result.upper = std::max(std::min(upper * worst.lift(), 1.0) * total, result.objective);
  result.rounds = rounds;
  result.rows = static_cast<std::int64_t>(known.size());
  return result;
}

}  // namespace

OptimalGamma optimal_gamma(const PrivateTeachers& teachers, const AnswerTarget& target,
                           std::span<const double> weights, bool monotone) {
  const WorstCase worst(teachers, target, monotone);
  const double total = check_weights(weights, teachers);
  OptimalGamma result = optimum(worst, weights, total, monotone);
  if (worst.corners() != CornerSet::lifted) return result;
  OptimalGamma other = optimum(WorstCase(teachers, target, true), weights, total, true);
  other.upper = result.upper;  // of all noise functions
  other.rounds = result.rounds += other.rounds;
  other.rows = result.rows += other.rows;
  return other.objective > result.objective ? other : result;
}

}  // namespace pate
