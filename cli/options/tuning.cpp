#include "cli/options/tuning.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/options/setting.hpp"
#include "cli/options/validators.hpp"
#include "cli/usage_error.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/rdp/orders.hpp"
#include "pate/tuning/grid_axis.hpp"

namespace pate::cli {

namespace {

void check_positive(const std::optional<double>& value, const char* option, bool or_zero) {
  if (value && !(*value > 0.0 || (or_zero && *value == 0.0))) {
    throw usage_error(fmt::format("{} must be {} 0, got {}", option, or_zero ? ">=" : ">", *value));
  }
}

Objective parse_objective(const TuningOptions& options) {
  if (options.objective == "answered") return Objective::answered;
  if (options.objective == "correct") return Objective::correct;
  if (options.objective == "epsilon") return Objective::epsilon;
  return options.max_epsilon ? Objective::answered : Objective::epsilon;
}

}  // namespace

void add_tuning_options(CLI::App& command, TuningOptions& options) {
  const auto text = [&](const char* name, std::string& value, const char* help, const char* type,
                        const char* group) {
    return command.add_option(name, value, help)->check(not_empty())->type_name(type)->group(group);
  };
  const char* grid = "Grid: 50:200:10 (start:stop:step), 50,100,150 or log:10:1000:25";
  text("--sigma2", options.sigma2, "Gaussian noise of the maximum, in votes", "SPEC", grid);
  text("--threshold", options.threshold, "threshold: votes, or shares 60%:90%:5%", "SPEC", grid);
  text("--sigma1", options.sigma1, "Gaussian noise of the threshold, in votes", "SPEC", grid);
  text("--laplace-scale", options.laplace_scale, "Laplace noise instead: LNMax", "SPEC", grid);

  const char* goal = "What is best (exit status 1 when no point keeps the limits)";
  command.add_option("--max-epsilon", options.max_epsilon, "largest epsilon allowed")
      ->type_name("E")
      ->group(goal);
  command.add_option("--min-answered", options.min_answered, "smallest number of answers")
      ->type_name("A")
      ->group(goal);
  command
      .add_option("--objective", options.objective,
                  "answered (with --max-epsilon the\ndefault), correct (needs --labels) or\n"
                  "epsilon (otherwise the default)")
      ->check(CLI::IsMember({"answered", "correct", "epsilon"}))
      ->type_name("NAME")
      ->group(goal);
  command
      .add_option("--max-answers", options.max_answers,
                  "ask no more queries than are expected\nto give K answers; count no more")
      ->type_name("K")
      ->group(goal);

  command
      .add_flag("--release", options.release,
                "judge the Pareto points by the mean epsilon\nthat pate release would publish")
      ->group(goal);

  const char* privacy = "Privacy";
  command.add_option("--delta", options.delta, "failure probability of (epsilon, delta)")
      ->required()
      ->type_name("D")
      ->group(privacy);
  command.add_option("--bound", options.bound, "tradeoff (default) or published")
      ->check(CLI::IsMember({"tradeoff", "published"}))
      ->type_name("NAME")
      ->group(privacy);
  command.add_option("--reading", options.reading, "joint (default) or expected")
      ->check(CLI::IsMember({"joint", "expected"}))
      ->type_name("NAME")
      ->group(privacy);
  command.add_option("--conversion", options.conversion, "improved (default) or classic")
      ->check(CLI::IsMember({"improved", "classic"}))
      ->type_name("NAME")
      ->group(privacy);
  command.add_option("--orders", options.orders, "only these Renyi orders: 2,4,8.5")
      ->delimiter(',')
      ->type_name("LIST")
      ->group(privacy);

  const char* work = "Work";
  command.add_flag("--refine", options.refine, "go on from the best point, off the grid")
      ->group(work);
  text("--shard", options.shard, "only part i of n of the grid", "i/n", work);
  text("--resume", options.resume, "go on from an interrupted run's report", "FILE", work);
  command.add_option("--threads", options.threads, "threads; 0, the default: all processors")
      ->check(decimal())
      ->type_name("N")
      ->group(work);
  const char* output = "Output";
  command
      .add_option("--top", options.top,
                  "list the Pareto front and the N best\npoints only (above 100,000 points: 1000)")
      ->check(decimal())
      ->type_name("N")
      ->group(output);
  text("--csv", options.csv, "write the points to this file as a table", "FILE", output);
}

void append_settings(const TuningOptions& options, Settings& settings) {
  settings.emplace_back("laplace_scale", setting(options.laplace_scale));
  settings.emplace_back("sigma2", setting(options.sigma2));
  settings.emplace_back("sigma1", setting(options.sigma1));
  settings.emplace_back("threshold", setting(options.threshold));
  settings.emplace_back("delta", options.delta);
  settings.emplace_back("orders", setting(options.orders));
  settings.emplace_back("objective", setting(options.objective));
  settings.emplace_back("max_epsilon", setting(options.max_epsilon));
  settings.emplace_back("min_answered", setting(options.min_answered));
  settings.emplace_back("max_answers", setting(options.max_answers));
  settings.emplace_back("refine", options.refine);
  settings.emplace_back("release", options.release);
  settings.emplace_back(
      "top", options.top ? SettingValue{static_cast<std::int64_t>(*options.top)} : SettingValue{});
}

GridOptions check_grid_options(const TuningOptions& options, bool has_student) {
  GridOptions result;
  TuningGrid& grid = result.grid;
  if (!options.laplace_scale.empty()) {
    if (!options.sigma2.empty() || !options.sigma1.empty() || !options.threshold.empty() ||
        has_student) {
      throw usage_error(
          "--laplace-scale (LNMax) excludes --sigma2, --threshold, --sigma1 and --student");
    }
    grid.laplace = true;
    grid.noise = parse_grid_axis(options.laplace_scale, "--laplace-scale", Shares::refused).values;
    validate(grid);
    return result;
  }
  if (options.sigma2.empty()) {
    throw usage_error("the noise is missing: add --sigma2 SPEC or --laplace-scale SPEC (LNMax)");
  }
  if (options.threshold.empty() != options.sigma1.empty()) {
    throw usage_error(options.threshold.empty() ? "--sigma1 needs --threshold: add it"
                                                : "--threshold needs --sigma1: add it");
  }
  if (has_student && options.threshold.empty()) {
    throw usage_error("--student (Interactive) needs --threshold and --sigma1: add them");
  }
  grid.noise = parse_grid_axis(options.sigma2, "--sigma2", Shares::refused).values;
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

TuningGrid make_grid(const GridOptions& options, std::int64_t teachers) {
  TuningGrid grid = options.grid;
  if (options.shares) {
    // Rounded like the values of ranges: 110 % of 100 teachers is 110.
    for (double& value : grid.threshold) {
      value = std::stod(fmt::format("{:.12g}", value / 100.0 * static_cast<double>(teachers)));
    }
  }
  return grid;
}

namespace {

// What pate release publishes is joint, of the trade-off bound, improved, at an order of its own,
// and compared over the whole front.
void check_release(const TuningOptions& options) {
  if (!options.release) return;
  const auto exclude = [](bool given, const char* what, const char* why) {
    if (given) throw usage_error(fmt::format("--release excludes {}: {}", what, why));
  };
  exclude(options.bound == "published", "--bound published",
          "pate release publishes the cost under the bound tradeoff");
  exclude(options.reading == "expected", "--reading expected", "an expectation is no guarantee");
  exclude(options.conversion == "classic", "--conversion classic",
          "pate release converts by improved");
  exclude(!options.orders.empty(), "--orders", "the order is a parameter of the release");
  exclude(options.refine, "--refine", "that goes on from the best point by epsilon");
  exclude(!options.shard.empty(), "--shard", "the front of the whole grid is needed");
  exclude(options.top && *options.top == 0, "--top 0", "so many Pareto points are looked at");
}

}  // namespace

TuneSettings make_tune_settings(const TuningOptions& options, bool has_labels) {
  validate_delta(options.delta);
  check_release(options);
  check_positive(options.max_epsilon, "--max-epsilon", true);
  check_positive(options.min_answered, "--min-answered", true);
  check_positive(options.max_answers, "--max-answers", false);
  TuneSettings settings;
  EpsilonKind& kind = settings.grid.kind;
  kind.delta = options.delta;
  kind.conversion = options.conversion == "classic" ? Conversion::classic : Conversion::improved;
  if (!options.orders.empty()) kind.orders = validated_orders(options.orders);
  if (options.bound == "published") {
    if (options.reading == "joint") {
      throw usage_error("--bound published has no reading joint: use --reading expected");
    }
    kind.cost = {Bound::published, Reading::expected};
  } else {
    kind.cost = {Bound::tradeoff,
                 options.reading == "expected" ? Reading::expected : Reading::joint};
  }
  settings.grid.max_answers = options.max_answers;
  settings.grid.threads = options.threads;
  settings.goal = {parse_objective(options), options.max_epsilon, options.min_answered};
  if (settings.goal.objective == Objective::correct && !has_labels) {
    throw usage_error("--objective correct needs --labels: add them");
  }
  if (!options.shard.empty()) settings.shard = parse_shard(options.shard, "--shard", "2/8");
  if (options.top) settings.top = static_cast<std::size_t>(*options.top);
  settings.release = options.release;
  settings.continuum = options.refine;
  if (options.refine && settings.shard.of > 1) {
    throw usage_error("--refine needs the whole grid: it excludes --shard");
  }
  return settings;
}

}  // namespace pate::cli
