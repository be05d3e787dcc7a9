#include "pate/studies/darrm/majority_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/numerics/decimal.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"

namespace pate {

namespace {

constexpr std::int64_t kMaxAnswers = 1'000'000'000;

// More than a few roundings lose.
constexpr double kFewRoundings = 1e-14;

// 1 - (1 - delta)^steps, rounded upwards.
double joined_delta(double delta, std::int64_t steps) {
  if (delta == 0.0) return 0.0;
  if (steps == 1) return delta;
  return std::min(
      1.0, -std::expm1(static_cast<double>(steps) * std::log1p(-delta)) * (1.0 + kFewRoundings));
}

double times(double epsilon, std::int64_t steps) {
  return steps == 1 ? epsilon : static_cast<double>(steps) * epsilon * (1.0 + 5e-16);
}

double weighed(std::span<const double> weights, std::span<const double> gamma) {
  return std::inner_product(weights.begin(), weights.end(), gamma.begin(), 0.0);
}

void validate(const MajoritySettings& settings) {
  const bool promises_nothing = settings.setting == TeacherSetting::non_private;
  if (promises_nothing != (settings.noise == NoiseFunction::one_vote)) {
    throw parameter_error(
        promises_nothing
            ? "teachers that are not private need the noise function one-vote: no other is private"
            : "the noise function one-vote is for the setting non-private");
  }
  if (promises_nothing) {
    validate(PrivateTeachers{settings.teachers.teachers, 1.0, 0.0, settings.teachers.affected});
  }
  require(settings.noise != NoiseFunction::double_subsampling || settings.m >= 1.0,
          "double subsampling needs m >= 1, got {}", settings.m);
  require(settings.setting != TeacherSetting::static_shards || settings.teachers.affected == 1,
          "on disjoint shards a record affects one teacher, got {}", settings.teachers.affected);
}

// The noise function that answers, into the plan.
void choose_gamma(MajorityPlan& plan) {
  const MajoritySettings& settings = plan.settings;
  const PrivateTeachers& teachers = settings.teachers;
  const auto all = teachers.teachers;
  switch (settings.noise) {
    case NoiseFunction::one_vote:
      plan.gamma = one_vote_gamma(all, target_of_one_vote(settings.target, teachers.affected));
      return;
    case NoiseFunction::optimal: {
      OptimalGamma best =
          optimal_gamma(teachers, settings.target, settings.weights, settings.monotone);
      plan.upper = best.upper;
      plan.rounds = best.rounds;
      plan.rows = best.rows;
      plan.certified = std::move(best.released);
      break;
    }
    case NoiseFunction::constant:
      plan.certified = certified(std::vector(majority_sizes(all), 1.0), teachers, settings.target);
      break;
    case NoiseFunction::double_subsampling:
      plan.subsample = double_subsample(all, settings.m);
      plan.certified = certified(subsampling_gamma(all, plan.subsample), teachers, settings.target);
      // Teachers are drawn, not the rounded values: those are off by less than 1e-13.
      plan.scale =
          1e-13 * (1.0 + std::exp(settings.target.epsilon)) / plan.certified->certificate.bound;
      require(plan.scale < 0.5, "epsilon = {} of an answer is too small to be certified",
              settings.target.epsilon);
      plan.scale = plan.certified->scale * (1.0 - plan.scale);
      for (double& value : plan.certified->gamma) value *= plan.scale / plan.certified->scale;
      plan.certified->scale = plan.scale;
      break;
  }
  plan.gamma = plan.certified->gamma;
}

void compare(MajorityPlan& plan, std::int64_t samples) {
  const MajoritySettings& settings = plan.settings;
  const auto all = settings.teachers.teachers;
  const auto add = [&](const char* name, std::vector<double> gamma) {
    plan.compared.push_back({name, std::move(gamma), {}, 0.0, {}, {}});
  };
  const std::size_t size = majority_sizes(all);
  add("released", plan.gamma);
  if (settings.setting != TeacherSetting::non_private) {
    const auto whole = std::clamp<std::int64_t>(static_cast<std::int64_t>(settings.m), 1, all);
    add("subsampling", subsampling_gamma(all, whole));
    add("double_subsampling",
        subsampling_gamma(all, double_subsample(all, std::max(1.0, settings.m))));
    const PrivateTeachers& teachers = settings.teachers;
    const AnswerTarget everyone{static_cast<double>(teachers.affected) * teachers.epsilon,
                                joined_delta(teachers.delta, teachers.affected)};
    add("published_constant", std::vector(size, published_constant(settings.target, everyone)));
    add("best_constant", std::vector(size, best_constant(teachers, settings.target)));
  }
  add("majority", std::vector(size, 1.0));
  std::vector<std::vector<double>> gammas;
  for (MajorityBaseline& one : plan.compared) {
    gammas.push_back(one.gamma);
    one.objective = weighed(settings.weights, one.gamma);
    for (const double p : kAgreementsAt) one.agreements.push_back(agreement(one.gamma, all, p));
    if (plan.certified) {
      const auto certificate =
          WorstCase(settings.teachers, settings.target, std::ranges::is_sorted(one.gamma))
              .certify(one.gamma);
      one.share = certificate.worst / certificate.bound;
    }
  }
  const std::vector<MeanError> errors = mean_errors(gammas, all, samples);
  for (std::size_t i = 0; i < errors.size(); ++i) plan.compared[i].error = errors[i];
}

// Where a private noise function that is compared agrees better than the released one by more than
// kNotedAgreement: which one, and at which probability; where the difference is largest.
}  // namespace

bool asks_fresh_teachers(TeacherSetting setting) {
  return setting == TeacherSetting::independent_fresh || setting == TeacherSetting::non_private;
}

double kov_closed_epsilon(double epsilon, std::int64_t steps, double slack) {
  const auto k = static_cast<double>(steps);
  const double mean = k * epsilon * std::tanh(epsilon / 2.0);
  const double first =
      mean +
      epsilon * std::sqrt(2.0 * k * std::log(std::numbers::e + std::sqrt(k) * epsilon / slack));
  const double second = mean + epsilon * std::sqrt(2.0 * k * std::log(1.0 / slack));
  return std::min(
      {times(epsilon, steps), first * (1.0 + kFewRoundings), second * (1.0 + kFewRoundings)});
}

double delta_left(double total, double delta, std::int64_t steps) {
  const double spent = static_cast<double>(steps) * -std::log1p(-delta);
  return -std::expm1(std::log1p(-total) + spent) - kFewRoundings * (total + spent);
}

std::vector<MajorityCost> majority_costs(const MajoritySettings& settings) {
  const std::int64_t queries = settings.queries;
  require(queries >= 1 && queries <= kMaxAnswers,
          "queries must be at least 1 and at most {}, got {}", kMaxAnswers, queries);
  if (settings.total_delta)
    require(*settings.total_delta > 0.0 && *settings.total_delta < 1.0,
            "the total delta must be > 0 and < 1, got {}", *settings.total_delta);
  const AnswerTarget& target = settings.target;
  const PrivateTeachers& teachers = settings.teachers;
  std::vector<MajorityCost> costs;
  const auto add_kov = [&](MajorityBound bound, double epsilon, double delta, std::int64_t steps,
                           bool closed) {
    if (!settings.total_delta) return;
    const double left = delta_left(*settings.total_delta, delta, steps);
    if (!(left > 0.0)) return;
    costs.push_back({bound,
                     closed ? kov_closed_epsilon(epsilon, steps, left)
                            : composed_pure_dp_epsilon(epsilon, steps, left),
                     *settings.total_delta});
  };
  if (queries == 1) costs.push_back({MajorityBound::one_query, target.epsilon, target.delta});
  if (asks_fresh_teachers(settings.setting)) {
    if (queries > 1) {
      costs.push_back({MajorityBound::simple, times(target.epsilon, queries),
                       joined_delta(target.delta, queries)});
      add_kov(MajorityBound::kov_closed, target.epsilon, target.delta, queries, true);
      add_kov(MajorityBound::kov_exact, target.epsilon, target.delta, queries, false);
    }
    return costs;
  }
  const std::int64_t affected = teachers.affected;
  const double joined = joined_delta(teachers.delta, affected);
  if (settings.noise == NoiseFunction::double_subsampling) {
    const auto witnesses = (double_subsample(teachers.teachers, settings.m) + 1) / 2;
    const std::int64_t met =
        queries > affected ? affected : std::min(queries * witnesses, affected);
    costs.push_back({MajorityBound::witnesses, times(teachers.epsilon, met), joined});
  }
  costs.push_back({MajorityBound::all_teachers, times(teachers.epsilon, affected), joined});
  if (affected > 1) {
    add_kov(MajorityBound::all_teachers_kov, teachers.epsilon, teachers.delta, affected, false);
  }
  return costs;
}

MajorityPlan plan_majority(const MajoritySettings& settings, std::int64_t samples) {
  validate(settings);
  MajorityPlan plan;
  plan.settings = settings;
  plan.costs = majority_costs(settings);
  // The smallest epsilon whose delta is no larger than what was asked for.
  const double most = settings.total_delta.value_or(1.0);
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < plan.costs.size(); ++i) {
    if (!(plan.costs[i].delta <= most)) continue;
    if (!best || plan.costs[i].epsilon < plan.costs[*best].epsilon) best = i;
  }
  if (!best) {
    throw parameter_error(fmt::format(
        "no cost of {} answers is known at a total delta of {}: their deltas alone come to "
        "{}",
        settings.queries, most, plan.costs.front().delta));
  }
  plan.headline = *best;
  choose_gamma(plan);
  compare(plan, samples);
  return plan;
}

}  // namespace pate
