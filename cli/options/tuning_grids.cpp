#include "cli/options/tuning_grids.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/mechanism.hpp"
#include "cli/options/privacy.hpp"
#include "pate/tuning/tuning_grid.hpp"

namespace pate::cli {

namespace {

// Without ranges: something must say which noise is best, and the search needs all votes at once.
void check_search(const TuningOptions& options) {
  const TuneSettings& settings = options.settings;
  const TuningGoal& goal = settings.goal;
  const auto exclude = [](bool given, const char* option) {
    if (given) {
      throw usage_error(
          fmt::format("{} needs ranges: add --sigma2 SPEC, and --threshold SPEC and "
                      "--sigma1 SPEC for Confident",
                      option));
    }
  };
  exclude(options.one_noise, "--one-noise");
  exclude(options.rounds.has_value(), "--rounds");
  exclude(!options.shard.empty(), "--shard");
  exclude(settings.release, "--release");
  exclude(settings.continuum, "--refine");
  const bool shares = goal.min_agreement || goal.min_accuracy;
  const bool limited = goal.min_right || options.declared_epsilon ||
                       (goal.max_epsilon && options.objective != Objective::epsilon) ||
                       (goal.min_answered && shares);
  refuse(!limited || (options.objective == Objective::answered && !shares),
         "the noise is missing: add --sigma2 SPEC or --laplace-scale SPEC (LNMax). Without ranges "
         "pate tune looks for all parameters, and needs to know for what: --max-epsilon E, for the "
         "most right answers, or --min-right N, for the smallest epsilon");
}

// A test has a cost and tables of its own.
void check_declared(const TuningOptions& options) {
  const TuneSettings& settings = options.settings;
  const Exclusions exclude("--declared-epsilon");
  exclude(options.is_ptr(), "PTR, whose cost does not depend on the votes: use pate plan");
  exclude(settings.goal.max_epsilon.has_value(),
          "--max-epsilon: the private cost may be what the test lets pass");
  exclude(options.objective == Objective::epsilon,
          "--objective epsilon: the budget is declared, and spent whatever the run costs");
  exclude(options.solve.has_value(), "--solve");
  exclude(options.rounds.has_value(), "--rounds");
  exclude(!options.shard.empty(), "--shard");
  exclude(settings.release || options.method, "--release");
  exclude(settings.continuum, "--refine");
  exclude(settings.grid.max_answers.has_value(),
          "--max-answers: the whole list is declared; shorten it with --queries");
  exclude(options.bound == Bound::published || options.reading || options.conversion ||
              settings.grid.kind.orders,
          "--bound, --reading, --conversion and --orders: the test has a cost of its own");
}

void check_solve(const TuningOptions& options) {
  const TuneSettings& settings = options.settings;
  const Exclusions exclude("--solve");
  exclude(options.is_ptr(), "PTR: use pate plan");
  exclude(!options.laplace_scale.empty() && *options.solve == SolvedFor::sigma2,
          "--laplace-scale: it is for Gaussian noise");
  exclude(!options.sigma2.empty() && *options.solve == SolvedFor::sigma2,
          "--sigma2, which it looks for");
  exclude(options.one_noise && *options.solve == SolvedFor::sigma2,
          "--one-noise: what is found without it, over sqrt 2, is the sigma of one noise");
  exclude(options.rounds.has_value(), "--rounds");
  exclude(!options.shard.empty(), "--shard");
  exclude(!options.resume.empty(), "--resume");
  exclude(settings.release, "--release");
  exclude(settings.continuum, "--refine");
  exclude(settings.grid.max_answers.has_value(), "--max-answers");
  refuse(!settings.goal.max_epsilon,
         "--solve needs --max-epsilon E: the budget that is to be kept");
}

// Of PTR: its axes are there, and what it is not tuned by is not.
void check_tested(const TuningOptions& options) {
  refuse(options.ptr_laplace.empty() == options.ptr_sigma.empty(),
         "PTR needs the noise of its test: one of --ptr-laplace and --ptr-sigma");
  refuse(options.ptr_delta.empty(), "PTR needs the delta of a query: add --ptr-delta SPEC");
  const Exclusions exclude("PTR");
  const TuneSettings& settings = options.settings;
  exclude(options.one_noise, "--one-noise: it has another noise");
  exclude(options.rounds.has_value(), "--rounds: its rounds are Confident and Interactive");
  exclude(options.bound == Bound::published, "--bound published: none was published of it");
  exclude(options.reading == GuaranteeKind::expected,
          "--reading expected: its cost is a guarantee");
  exclude(settings.grid.max_answers.has_value(),
          "--max-answers: every query costs, answered or not");
  exclude(settings.continuum, "--refine: make the grid finer instead");
  exclude(settings.release, "--release: its cost for any votes may be published as it is");
}

}  // namespace

GridOptions check_grid_options(const TuningOptions& options, bool has_student) {
  GridOptions result;
  TuningGrid& grid = result.grid;
  const bool ptr = options.is_ptr();
  validate(options.neighbours);
  if (options.one_noise) require(Asked::one_noise, options.neighbours);
  if (options.is_ptr()) require(Asked::ptr, options.neighbours);
  if (options.declared_epsilon || options.settings.release) {
    require(Asked::release, options.neighbours);
  }
  if (options.settings.release && options.method == ReleaseMethod::gnss) {
    require(Asked::smooth_release, options.neighbours);
  }
  grid.neighbours = options.neighbours;
  if (options.declared_epsilon) {
    check_declared(options);
  } else if (options.certificate) {
    throw usage_error("--certificate goes with --declared-epsilon");
  }
  if (options.solve) check_solve(options);
  if (options.solve == SolvedFor::sigma2) {
    TuningOptions solved = options;
    solved.solve.reset();
    solved.sigma2 = "1";  // until it is solved for
    return check_grid_options(solved, has_student);
  }
  if (!ptr && options.laplace_scale.empty() && options.sigma2.empty() &&
      options.threshold.empty() && options.sigma1.empty()) {
    check_search(options);
    result.search = true;
    return result;
  }
  check_noise({!options.laplace_scale.empty(), !options.sigma2.empty(), !options.threshold.empty(),
               !options.sigma1.empty(), has_student, ptr},
              "--sigma2 SPEC or --laplace-scale SPEC (LNMax)");
  if (ptr) {
    check_tested(options);
    const bool laplace = !options.ptr_laplace.empty();
    grid.ptr = laplace ? TestNoise::laplace : TestNoise::gaussian;
    grid.sigma1 =
        laplace ? parse_grid_axis(options.ptr_laplace, "--ptr-laplace", Shares::refused).values
                : parse_grid_axis(options.ptr_sigma, "--ptr-sigma", Shares::refused).values;
    grid.noise = parse_grid_axis(options.ptr_delta, "--ptr-delta", Shares::refused).values;
    validate(grid);
    return result;
  }
  if (!options.laplace_scale.empty()) {
    grid.laplace = true;
    grid.one_noise = options.one_noise;
    grid.noise = parse_grid_axis(options.laplace_scale, "--laplace-scale", Shares::refused).values;
    validate(grid);
    return result;
  }
  grid.noise = parse_grid_axis(options.sigma2, "--sigma2", Shares::refused).values;
  if (options.one_noise) {
    validate(grid);  // what the person wrote
    std::ranges::transform(grid.noise, grid.noise.begin(), sigma_of_one_noise);
  }
  if (!options.threshold.empty()) {
    grid.sigma1 = parse_grid_axis(options.sigma1, "--sigma1", Shares::refused).values;
    GridAxis threshold = parse_grid_axis(options.threshold, "--threshold", Shares::allowed);
    grid.threshold = std::move(threshold.values);
    result.shares = threshold.shares;
    grid.interactive = has_student;
  }
  validate(grid);
  return result;
}

std::optional<StabilityTest> highest_test(const TuningGrid& grid) {
  std::optional<StabilityTest> highest;
  if (!grid.ptr) return highest;
  // The threshold rises with the noise and falls with delta: it is largest at ends of both axes.
  for (const std::size_t i : {std::size_t{0}, grid.noise.size() - 1}) {
    for (const std::size_t j : {std::size_t{0}, grid.sigma1.size() - 1}) {
      const Mechanism mechanism = grid.mechanism(grid.index(i, j, 0));
      const StabilityTest& test = *mechanism.ptr();
      if (!highest || test.threshold() > highest->threshold()) highest = test;
    }
  }
  return highest;
}

std::array<GridOptions, 2> check_rounds(const TuningOptions& options, bool has_student) {
  if (*options.rounds != 2) {
    throw usage_error(fmt::format("--rounds must be 2, got {}", *options.rounds));
  }
  if (!has_student) throw usage_error("--rounds needs --student: the scores of the second round");
  refuse(!options.first_queries,
         "--rounds needs --first-queries N: how many are asked in the first round");
  const TuneSettings& settings = options.settings;
  const Exclusions exclude("--rounds");
  exclude(!options.laplace_scale.empty(), "--laplace-scale");
  exclude(settings.grid.max_answers.has_value(), "--max-answers");
  exclude(settings.continuum, "--refine");
  exclude(settings.release, "--release");
  exclude(!options.shard.empty(), "--shard");
  exclude(!options.resume.empty(), "--resume");
  exclude(options.top.has_value(), "--top");
  exclude(!options.csv.empty(), "--csv");
  exclude(settings.goal.min_agreement.has_value(), "--min-agreement: use --min-right");
  exclude(settings.goal.min_accuracy.has_value(), "--min-accuracy: use --min-right");
  refuse(options.threshold.empty(), "--rounds needs --threshold and --sigma1: add them");
  TuningOptions second = options;
  if (!options.second_sigma2.empty()) second.sigma2 = options.second_sigma2;
  if (!options.second_threshold.empty()) second.threshold = options.second_threshold;
  if (!options.second_sigma1.empty()) second.sigma1 = options.second_sigma1;
  return {check_grid_options(options, false), check_grid_options(second, true)};
}

TuningGrid make_grid(const GridOptions& options, std::int64_t teachers) {
  TuningGrid grid = options.grid;
  if (options.shares) {
    // 110 % of 100 teachers is 110.
    for (double& value : grid.threshold) {
      value = to_12_digits(value / 100.0 * static_cast<double>(teachers));
    }
  }
  return grid;
}

}  // namespace pate::cli
