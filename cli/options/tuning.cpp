#include "cli/options/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/exit_status.hpp"
#include "cli/options/mechanism.hpp"
#include "cli/options/privacy.hpp"
#include "pate/base/read_double.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/tuning/tuning_grid.hpp"

namespace pate::cli {

void add_tuning_options(CommandLine& line, TuningOptions& options) {
  TuneSettings& settings = options.settings;
  EpsilonKind& kind = settings.grid.kind;
  const Section grid = line.section(
      "Grid: 50:200:10 (start:stop:step), 50,100,150 or log:10:1000:25;\n"
      "without any of these all parameters are looked for");
  grid.add("--sigma2 SPEC", options.sigma2,
           "standard deviation of the Gaussian noise on each count, in votes");
  grid.add("--threshold SPEC", options.threshold,
           "smallest noisy top count that is answered: votes, or shares of the teachers like "
           "60%:90%:5%");
  grid.add("--sigma1 SPEC", options.sigma1,
           "standard deviation of the noise in the threshold check, in votes",
           {.recorded_before = "threshold"});
  grid.add("--laplace-scale SPEC", options.laplace_scale,
           "scale of Laplace noise on each count (LNMax)", {.recorded_before = "sigma2"});
  grid.add("--one-noise", options.one_noise,
           "two classes: the noise is one noise on one of the counts, as in PATE-GAN");

  grid.add("--ptr-laplace SPEC", options.ptr_laplace,
           "propose-test-release: epsilon of a stability test with Laplace noise");
  grid.add("--ptr-sigma SPEC", options.ptr_sigma,
           "propose-test-release: standard deviation of Gaussian noise in the stability test");
  grid.add("--ptr-delta SPEC", options.ptr_delta, "propose-test-release: delta of each query");

  add_neighbours(line, options.neighbours);

  const Section rounds = line.section("Two rounds on the same teachers, under one epsilon");
  rounds.add("--rounds 2", options.rounds,
             "run Confident on the first queries and Interactive (--student) on the rest");
  rounds.add("--first-queries N", options.first_queries, "number of queries in the first round");
  rounds.add("--second-sigma2 SPEC", options.second_sigma2,
             "noise on each count in the second round; default: that of the first");
  rounds.add("--second-threshold SPEC", options.second_threshold,
             "threshold of the second round; default: that of the first");
  rounds.add("--second-sigma1 SPEC", options.second_sigma1,
             "noise of the threshold check in the second round; default: that of the first");

  const Section goal =
      line.section("Goal and limits (exit status 1 when no point keeps the limits)");
  const Section privacy = line.section("Privacy");
  add_delta(privacy, kind.delta, options.any_delta);
  privacy.add("--bound NAME", options.bound, {Bound::tradeoff, Bound::published},
              "bound to tune by: tradeoff (default) or published", {.recorded = false});
  privacy.add("--reading NAME", options.reading, {GuaranteeKind::joint, GuaranteeKind::expected},
              "kind of guarantee to tune by: joint (default) or expected, which is an average",
              {.recorded = false});
  privacy.add("--conversion NAME", options.conversion,
              {Conversion::optimal, Conversion::improved, Conversion::classic},
              "how to compute epsilon; default: optimal, or the data-independent epsilon where it "
              "is smaller",
              {.recorded = false});
  add_orders(privacy, kind.orders);

  goal.add("--solve NAME", options.solve, {SolvedFor::sigma2, SolvedFor::queries},
           "with --max-epsilon: find the smallest sigma2 or the largest queries; other options "
           "take one value");
  goal.add("--declared-epsilon E", options.declared_epsilon,
           "find parameters with which pate label --declared-epsilon E passes with probability "
           "0.99; not on the votes that are then labelled");
  add_certificate(goal, options.certificate);
  add_epsilon_and_answers(goal, settings.goal.max_epsilon, settings.goal.min_answered);
  goal.add("--objective NAME", options.objective,
           {Objective::agreeing, Objective::correct, Objective::answered, Objective::epsilon},
           "what to maximise: answers that are the plurality (agreeing; default with "
           "--max-epsilon), the label (correct; default with --labels) or any (answered); or the "
           "smallest epsilon (default otherwise)",
           {.recorded_before = "max_epsilon"});
  goal.add("--min-right N", settings.goal.min_right,
           "smallest number of answers that are the label or, without --labels, the plurality");
  goal.add("--min-agreement P", settings.goal.min_agreement,
           "smallest share of answers that are the plurality");
  goal.add("--min-accuracy P", settings.goal.min_accuracy,
           "smallest share of answers that are the label; needs --labels");
  goal.add("--max-answers K", settings.grid.max_answers,
           "use only as many queries as are expected to give K answers");
  const Section work = line.section("Work");
  work.add("--refine", settings.continuum, "continue from the best point, off the grid");
  goal.add("--release", settings.release,
           "rank the Pareto front by the mean epsilon that pate release would publish");
  goal.add("--method NAME", options.method, {ReleaseMethod::curve, ReleaseMethod::gnss},
           "with --release: curve (default), with its default parameters, or gnss",
           {.recorded_before = "top"});
  work.add("--shard i/n", options.shard,
           "process part i of n of the grid; join the parts with pate compose",
           {.recorded = false});
  work.add("--resume FILE", options.resume, "continue an interrupted run from its report",
           {.recorded = false});
  add_threads(work, settings.grid.threads);
  const Section output = line.section("Output");
  output.add(
      "--top N", options.top,
      "list only the Pareto front and the N best points; default above 100,000 points: 1000");
  output.add("--csv FILE", options.csv, "also write the points to this file as a table",
             {.recorded = false});
}

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
  if (!limited || (options.objective == Objective::answered && !shares)) {
    throw usage_error(
        "the noise is missing: add --sigma2 SPEC or --laplace-scale SPEC (LNMax). Without ranges "
        "pate tune looks for all parameters, and needs to know for what: --max-epsilon E, for the "
        "most right answers, or --min-right N, for the smallest epsilon");
  }
}

// A test has tables of its own for every point, so that grids would take too long.
void check_declared(const TuningOptions& options) {
  const TuneSettings& settings = options.settings;
  const auto exclude = [](bool given, const char* what) {
    if (given) throw usage_error(fmt::format("--declared-epsilon excludes {}", what));
  };
  exclude(options.is_ptr(), "PTR, whose cost does not depend on the votes: use pate plan");
  exclude(!options.sigma2.empty() || !options.laplace_scale.empty() || !options.threshold.empty() ||
              !options.sigma1.empty(),
          "ranges: it looks for threshold, sigma1 and sigma2 by itself");
  exclude(settings.goal.max_epsilon.has_value(),
          "--max-epsilon: the private cost may be what the test lets pass");
  exclude(options.objective == Objective::epsilon,
          "--objective epsilon: the budget is declared, and spent whatever the run costs");
  exclude(options.solve.has_value(), "--solve");
  exclude(options.rounds.has_value(), "--rounds");
  exclude(!options.shard.empty(), "--shard");
  exclude(!options.resume.empty(), "--resume");
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
  const auto exclude = [](bool given, const char* option) {
    if (given) throw usage_error(fmt::format("--solve excludes {}", option));
  };
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
  if (!settings.goal.max_epsilon) {
    throw usage_error("--solve needs --max-epsilon E: the budget that is to be kept");
  }
}

// What is known of other neighbours than one teacher that votes otherwise.
void check_protected(const TuningOptions& options) {
  validate(options.neighbours);
  check_one_noise(options.one_noise, options.neighbours);
  if (options.is_ptr()) require_one_replaced(options.neighbours, "PTR");
  if (options.declared_epsilon) require_one_replaced(options.neighbours, "a declared budget");
  if (options.settings.release) require_one_replaced(options.neighbours, "a release");
}

// Of PTR: its axes are there, and what it is not tuned by is not.
void check_tested(const TuningOptions& options) {
  if (options.ptr_laplace.empty() == options.ptr_sigma.empty()) {
    throw usage_error("PTR needs the noise of its test: one of --ptr-laplace and --ptr-sigma");
  }
  if (options.ptr_delta.empty()) {
    throw usage_error("PTR needs the delta of a query: add --ptr-delta SPEC");
  }
  const auto exclude = [](bool given, const char* option, const char* why) {
    if (given) throw usage_error(fmt::format("PTR excludes {}: {}", option, why));
  };
  const TuneSettings& settings = options.settings;
  exclude(options.one_noise, "--one-noise", "it has another noise");
  exclude(options.rounds.has_value(), "--rounds", "its rounds are Confident and Interactive");
  exclude(options.bound == Bound::published, "--bound published", "none was published of it");
  exclude(options.reading == GuaranteeKind::expected, "--reading expected",
          "its cost is a guarantee");
  exclude(settings.grid.max_answers.has_value(), "--max-answers",
          "every query costs, answered or not");
  exclude(settings.continuum, "--refine", "make the grid finer instead");
  exclude(settings.release, "--release", "its cost for any votes may be published as it is");
}

}  // namespace

GridOptions check_grid_options(const TuningOptions& options, bool has_student) {
  GridOptions result;
  TuningGrid& grid = result.grid;
  const bool ptr = options.is_ptr();
  check_protected(options);
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

void ask_to_search(TuneSettings& settings) {
  settings.search = true;
  TuningGoal& goal = settings.goal;
  if (!goal.min_agreement && !goal.min_accuracy) goal.min_agreement = kSearchedAgreement;
}

std::array<GridOptions, 2> check_rounds(const TuningOptions& options, bool has_student) {
  if (*options.rounds != 2) {
    throw usage_error(fmt::format("--rounds must be 2, got {}", *options.rounds));
  }
  if (!has_student) throw usage_error("--rounds needs --student: the scores of the second round");
  if (!options.first_queries) {
    throw usage_error("--rounds needs --first-queries N: how many are asked in the first round");
  }
  const TuneSettings& settings = options.settings;
  const auto exclude = [](bool given, const char* option) {
    if (given) throw usage_error(fmt::format("--rounds excludes {}", option));
  };
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
  if (options.threshold.empty()) {
    throw usage_error("--rounds needs --threshold and --sigma1: add them");
  }
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

namespace {

// What pate release publishes is joint, of the trade-off bound, improved, at an order of its own,
// and compared over the whole front.
void check_release(const TuningOptions& options) {
  const EpsilonKind& kind = options.settings.grid.kind;
  if (!options.settings.release) {
    if (options.method) throw usage_error("--method goes with --release");
    return;
  }
  const auto exclude = [](bool given, const char* what, const char* why) {
    if (given) throw usage_error(fmt::format("--release excludes {}: {}", what, why));
  };
  exclude(options.bound == Bound::published, "--bound published",
          "pate release publishes the cost under the bound tradeoff");
  exclude(options.reading == GuaranteeKind::expected, "--reading expected",
          "an expectation is no guarantee");
  exclude(options.conversion && *options.conversion != Conversion::improved,
          "--conversion optimal and classic", "pate release converts by improved");
  exclude(kind.orders.has_value(), "--orders", "the order is a parameter of the release");
  exclude(options.settings.continuum, "--refine", "that goes on from the best point by epsilon");
  exclude(!options.shard.empty(), "--shard", "the front of the whole grid is needed");
  exclude(options.top && *options.top == 0, "--top 0", "so many Pareto points are looked at");
}

}  // namespace

namespace {

void check_goal(const TuningGoal& goal) {
  const auto share = [](const std::optional<double>& value, const char* option) {
    if (value && !(*value >= 0.0 && *value <= 1.0)) {
      throw usage_error(fmt::format("{} is a share, 0 to 1, got {}", option, *value));
    }
  };
  share(goal.min_agreement, "--min-agreement");
  share(goal.min_accuracy, "--min-accuracy");
  if (goal.min_right && !(*goal.min_right >= 0.0 && std::isfinite(*goal.min_right))) {
    throw usage_error(fmt::format("--min-right must be >= 0, got {}", *goal.min_right));
  }
  if (goal.labelled) return;
  if (goal.objective == Objective::correct) {
    throw usage_error("--objective correct needs --labels: add them");
  }
  if (goal.min_accuracy) throw usage_error("--min-accuracy needs --labels: add them");
}

}  // namespace

namespace {

// Points are judged by what pate analyze puts first: the smallest fixed epsilon. What is no fixed
// promise, or goes into something that is not, is converted by improved.
void settle_conversion(const TuningOptions& options, EpsilonKind& kind) {
  const bool fixed = kind.cost.reading == GuaranteeKind::joint && !options.rounds;
  const bool optimal = fixed && !options.settings.release && !options.is_ptr();
  kind.conversion =
      options.conversion.value_or(optimal ? Conversion::optimal : Conversion::improved);
  if (kind.conversion == Conversion::optimal && !optimal) {
    throw usage_error(
        "--conversion optimal is for fixed promises: it excludes --reading expected, --bound "
        "published, --rounds and PTR");
  }
  kind.as_headline = fixed;
  kind.chosen_conversion = options.conversion.has_value() || options.settings.release;
}

}  // namespace

NumberOfTries parse_tries(const std::string& text) {
  const auto colon = text.find(':');
  const std::string word = text.substr(0, colon);
  std::optional<TriesLaw> law;
  for (const Named<TriesLaw>& named : kNames<TriesLaw>) {
    if (word == named.name) law = named.value;
  }
  double expected = 0.0;
  const bool has_number = colon != std::string::npos;
  const char* const end = text.data() + text.size();
  const auto read =
      read_double(text.data() + (has_number ? colon + 1 : text.size()), end, expected);
  if (!law || !has_number || read.ec != std::errc() || read.ptr != end) {
    throw usage_error(fmt::format(
        "--account: expected geometric:K, poisson:K or logarithmic:K, K tries on average, as in "
        "--account geometric:10; got {}",
        text));
  }
  const bool is_poisson = *law == TriesLaw::poisson;
  if (!(expected <= kMostTries) || !(is_poisson ? expected >= 1.0 : expected > 1.0)) {
    throw usage_error(fmt::format("--account {}: K must be {} 1 and at most {}, got {}", word,
                                  is_poisson ? "at least" : "above", kMostTries,
                                  text.substr(colon + 1)));
  }
  return tries_expecting(*law, expected);
}

TryScore check_private_search(const TuningOptions& options, bool has_labels) {
  const auto exclude = [](bool given, const char* what) {
    if (given) throw usage_error(fmt::format("--account excludes {}", what));
  };
  const TuneSettings& settings = options.settings;
  const TuningGoal& goal = settings.goal;
  exclude(options.is_ptr(), "PTR, whose queries have deltas that the theorems do not know");
  if (options.sigma2.empty() && options.laplace_scale.empty()) {
    throw usage_error(
        "--account needs a grid that does not depend on the votes: add --sigma2 SPEC or "
        "--laplace-scale SPEC (LNMax), and --threshold SPEC and --sigma1 SPEC for Confident");
  }
  exclude(options.solve.has_value(), "--solve, which looks at the votes");
  exclude(options.declared_epsilon.has_value(), "--declared-epsilon, which looks at the votes");
  exclude(options.rounds.has_value(), "--rounds");
  exclude(!options.shard.empty(), "--shard");
  exclude(!options.resume.empty(), "--resume");
  exclude(settings.release || options.method.has_value(),
          "--release: what it costs holds for any votes, and may be published as it is");
  exclude(settings.continuum, "--refine, which looks at the votes");
  exclude(options.bound == Bound::published || options.reading || options.conversion,
          "--bound, --reading and --conversion: what it costs is for any votes");
  exclude(options.top.has_value() || !options.csv.empty(),
          "--top and --csv: of all points the best one alone is told");
  exclude(settings.grid.max_answers.has_value(), "--max-answers");
  exclude(goal.min_answered || goal.min_right || goal.min_agreement || goal.min_accuracy,
          "--min-answered, --min-right, --min-agreement and --min-accuracy: the best is released, "
          "whatever it is");
  const Objective objective =
      options.objective.value_or(has_labels ? Objective::correct : Objective::agreeing);
  if (objective == Objective::answered) return TryScore::answered;
  if (objective == Objective::correct && has_labels) return TryScore::correct;
  if (objective == Objective::correct) {
    throw usage_error(
        "--objective correct needs --labels FILE, with --account public ones: add them");
  }
  throw usage_error(
      "--account must choose by the labels that are released: whether they agree with the "
      "teachers, "
      "or what they cost, is seen from the votes. Add --labels FILE, public labels of these "
      "queries, "
      "or --objective answered");
}

TuneSettings make_tune_settings(const TuningOptions& options, bool has_labels) {
  TuneSettings settings = options.settings;
  EpsilonKind& kind = settings.grid.kind;
  check_delta(kind.delta, options.any_delta);
  check_release(options);
  check_limits({settings.goal.max_epsilon, settings.goal.min_answered});
  const std::optional<double>& most = settings.grid.max_answers;
  if (most && !(*most > 0.0)) {
    throw usage_error(fmt::format("--max-answers must be > 0, got {}", *most));
  }
  if (kind.orders) kind.orders = validated_orders(*kind.orders);
  if (options.bound == Bound::published) {
    if (options.reading == GuaranteeKind::joint) {
      throw usage_error("--bound published has no reading joint: use --reading expected");
    }
    kind.cost = {Bound::published, GuaranteeKind::expected};
  } else {
    kind.cost = {Bound::tradeoff, options.reading.value_or(GuaranteeKind::joint)};
  }
  settle_conversion(options, kind);
  settings.goal.labelled = has_labels;
  const Objective most_right = has_labels ? Objective::correct : Objective::agreeing;
  settings.goal.objective = options.objective.value_or(
      settings.goal.max_epsilon || options.declared_epsilon ? most_right : Objective::epsilon);
  settings.method = options.method.value_or(ReleaseMethod::curve);
  check_goal(settings.goal);
  if (!options.shard.empty()) settings.shard = parse_shard(options.shard, "--shard", "2/8");
  if (options.top) settings.top = static_cast<std::size_t>(*options.top);
  if (settings.continuum && settings.shard.of > 1) {
    throw usage_error("--refine needs the whole grid: it excludes --shard");
  }
  return settings;
}

}  // namespace pate::cli
