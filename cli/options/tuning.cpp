#include "cli/options/tuning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/mechanism.hpp"
#include "cli/options/privacy.hpp"
#include "pate/base/read_double.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/mechanisms/supports.hpp"
#include "pate/release/declared/declared_test.hpp"

namespace pate::cli {

void add_tuning_options(CommandLine& line, TuningOptions& options) {
  TuneSettings& settings = options.settings;
  EpsilonKind& kind = settings.grid.kind;
  line.section("Votes").add("--teacher-weights FILE", options.teacher_weights,
                            "file with a line for each teacher of predictions: how much its vote "
                            "counts; what is found is for the heaviest");
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
  goal.add("--goal NAME", options.goal, {CostGoal::publishable, CostGoal::own},
           "what --max-epsilon limits: what can be published (publishable; default where there is "
           "such a number), or the cost for exactly these votes (private)",
           {.recorded = false});
  goal.add("--declared-epsilon E", options.declared_epsilon,
           "--max-epsilon E with --goal publishable: find parameters with which pate label "
           "--declared-epsilon E passes with probability 0.99");
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
  goal.add("--groups FILE", options.groups,
           "with --group-epsilon and predictions: file with a line for each teacher, the name of "
           "its group");
  goal.add("--group-epsilon NAME=E,...", options.group_epsilon,
           "what each group of --groups may pay, exactly, of one of its teachers: the best point "
           "of the grid at which all of them keep it");
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

void settle_goal(TuningOptions& options) {
  TuneSettings& settings = options.settings;
  const bool publishable = options.goal == CostGoal::publishable;
  if (options.declared_epsilon) {
    refuse(options.goal == CostGoal::own,
           "--declared-epsilon excludes --goal private: use --max-epsilon");
    return;
  }
  if (!settings.goal.max_epsilon || options.objective == Objective::epsilon) {
    if (!publishable) return;
    throw usage_error(
        "--goal publishable needs a budget for the most answers: add --max-epsilon E, and leave "
        "out --objective epsilon");
  }
  const bool is_private = options.bound == Bound::published || options.reading ||
                          options.conversion || settings.grid.kind.orders || options.solve ||
                          options.rounds || !options.shard.empty() || settings.continuum ||
                          settings.release || settings.grid.max_answers ||
                          !options.group_epsilon.empty() || !options.teacher_weights.empty();
  refuse(is_private && publishable,
         "--goal publishable excludes --bound, --reading, --conversion, --orders, --solve, "
         "--rounds, --shard, --refine, --release, --max-answers, --group-epsilon and "
         "--teacher-weights: these go by the cost for exactly these votes");
  if (is_private || options.goal == CostGoal::own || options.is_ptr()) return;
  const double budget = *settings.goal.max_epsilon;
  const bool can_be_declared = budget >= kLeastDeclaredEpsilon && budget <= kLargestDeclaredEpsilon;
  if (supports(Asked::release, options.neighbours) || !can_be_declared) {
    settings.grid.any_votes = true;
    return;
  }
  options.declared_epsilon = std::exchange(settings.goal.max_epsilon, std::nullopt);
}

void ask_to_search(TuneSettings& settings) {
  settings.search = true;
  TuningGoal& goal = settings.goal;
  if (!goal.min_agreement && !goal.min_accuracy) goal.min_agreement = kSearchedAgreement;
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
  const Exclusions exclude("--release");
  exclude(options.bound == Bound::published,
          "--bound published: pate release publishes the cost under the bound tradeoff");
  exclude(options.reading == GuaranteeKind::expected,
          "--reading expected: an expectation is no guarantee");
  exclude(options.conversion && *options.conversion != Conversion::improved,
          "--conversion optimal and classic: pate release converts by improved");
  exclude(kind.orders.has_value(), "--orders: the order is a parameter of the release");
  exclude(options.settings.continuum, "--refine: that goes on from the best point by epsilon");
  exclude(!options.shard.empty(), "--shard: the front of the whole grid is needed");
  exclude(options.top && *options.top == 0, "--top 0: so many Pareto points are looked at");
}

// Every point that is tried costs exact costs, of a grid that is there as a whole.
void check_groups(const TuningOptions& options) {
  if (options.groups.empty() && options.group_epsilon.empty()) return;
  const bool by_weight = !options.teacher_weights.empty();  // teachers of a weight are a group
  refuse((options.groups.empty() && !by_weight) || options.group_epsilon.empty(),
         "--groups FILE says who belongs together, --group-epsilon what each group "
         "may pay: give both");
  const Exclusions exclude("--group-epsilon");
  exclude(options.bound == Bound::published, "--bound published, which is no guarantee");
  exclude(options.reading == GuaranteeKind::expected,
          "--reading expected: an expectation is no guarantee");
  exclude(options.solve.has_value(), "--solve: give the values of sigma2 to choose from");
  exclude(options.declared_epsilon.has_value(), "--declared-epsilon");
  exclude(options.settings.release, "--release");
  exclude(options.settings.continuum, "--refine: that goes on from the best point, off the grid");
  exclude(options.rounds.has_value(), "--rounds");
  exclude(options.top.has_value(), "--top: all points of the grid are looked at");
  exclude(!options.shard.empty() || !options.resume.empty(), "--shard and --resume");
  exclude(options.is_ptr() || options.one_noise,
          "PTR and one noise: what each teacher pays is known of a noisy maximum");
  exclude(supports(Asked::groups, options.neighbours).has_value(),
          "--neighbours and --teachers-per-person: it tells what each teacher pays");
}

// What is known of votes that count by weights.
void check_weights(const TuningOptions& options) {
  if (options.teacher_weights.empty()) return;
  const Exclusions exclude("--teacher-weights");
  exclude(options.bound == Bound::published, "--bound published: it is for votes that count one");
  exclude(options.solve.has_value(), "--solve: give the values of sigma2 to choose from");
  exclude(options.declared_epsilon.has_value(),
          "--declared-epsilon: its test is of votes that count one");
  exclude(options.settings.release, "--release: releases are of votes that count one");
  exclude(options.rounds.has_value(), "--rounds: its second round has a student");
  exclude(!options.shard.empty() || !options.resume.empty(),
          "--shard and --resume: a report does not keep the weights");
  exclude(options.is_ptr() || options.one_noise, "PTR and one noise, which go by whole votes");
  exclude(supports(Asked::weights, options.neighbours).has_value(),
          "--neighbours and --teachers-per-person: it goes by one teacher that votes otherwise");
}

void check_goal(const TuningGoal& goal) {
  const auto share = [](const std::optional<double>& value, const char* option) {
    if (value && !(*value >= 0.0 && *value <= 1.0)) {
      throw usage_error(fmt::format("{} is a share, 0 to 1, got {}", option, *value));
    }
  };
  share(goal.min_agreement, "--min-agreement");
  share(goal.min_accuracy, "--min-accuracy");
  if (goal.min_right)
    require(*goal.min_right >= 0.0 && std::isfinite(*goal.min_right),
            "--min-right must be >= 0, got {}", *goal.min_right);
  if (goal.labelled) return;
  refuse(goal.objective == Objective::correct, "--objective correct needs --labels: add them");
  if (goal.min_accuracy) throw usage_error("--min-accuracy needs --labels: add them");
}

// Points are judged by what pate analyze puts first: the smallest fixed epsilon. What is no fixed
// promise, or goes into something that is not, is converted by improved.
void settle_conversion(const TuningOptions& options, EpsilonKind& kind) {
  const bool fixed = kind.cost.reading == GuaranteeKind::joint && !options.rounds;
  const bool optimal = fixed && !options.settings.release && !options.is_ptr();
  kind.conversion =
      options.conversion.value_or(optimal ? Conversion::optimal : Conversion::improved);
  refuse(kind.conversion == Conversion::optimal && !optimal,
         "--conversion optimal is for fixed promises: it excludes --reading expected, --bound "
         "published, --rounds and PTR");
  kind.as_headline = fixed;
  kind.chosen_conversion = options.conversion.has_value() || options.settings.release;
}

}  // namespace

std::vector<double> parse_group_budgets(const std::string& text,
                                        const std::vector<std::string>& names) {
  std::vector<double> budgets(names.size(), 0.0);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, comma - begin);
    begin = comma + 1;
    const std::size_t equals = part.rfind('=');
    double epsilon = 0.0;
    const char* const end = part.data() + part.size();
    const char* const first = equals == std::string::npos ? end : part.data() + equals + 1;
    const auto [last, code] = read_double(first, end, epsilon);
    refuse(code != std::errc() || last != end || !(epsilon > 0.0) || !std::isfinite(epsilon),
           "--group-epsilon: expected NAME=E with E > 0 for each group, found '{}'", part);
    const auto name = std::ranges::find(names, part.substr(0, equals));
    if (name == names.end()) {
      throw usage_error(
          fmt::format("--group-epsilon: no teacher is in the group '{}'; groups are {}",
                      part.substr(0, equals), fmt::join(names, ", ")));
    }
    double& budget = budgets[static_cast<std::size_t>(name - names.begin())];
    if (budget > 0.0) {
      throw usage_error(fmt::format("--group-epsilon: the group '{}' is there twice", *name));
    }
    budget = epsilon;
  }
  const auto missing = std::ranges::find(budgets, 0.0);
  if (missing != budgets.end()) {
    throw usage_error(fmt::format("--group-epsilon: the group '{}' has no budget",
                                  names[static_cast<std::size_t>(missing - budgets.begin())]));
  }
  return budgets;
}

TuneSettings make_tune_settings(const TuningOptions& options, bool has_labels) {
  TuneSettings settings = options.settings;
  EpsilonKind& kind = settings.grid.kind;
  check_delta(kind.delta, options.any_delta);
  check_release(options);
  check_groups(options);
  check_weights(options);
  check_limits({settings.goal.max_epsilon, settings.goal.min_answered});
  const std::optional<double>& most = settings.grid.max_answers;
  if (most) require(*most > 0.0, "--max-answers must be > 0, got {}", *most);
  if (kind.orders) kind.orders = validated_orders(*kind.orders);
  if (options.bound == Bound::published) {
    refuse(options.reading == GuaranteeKind::joint,
           "--bound published has no reading joint: use --reading expected");
    kind.cost = {Bound::published, GuaranteeKind::expected};
  } else {
    kind.cost = {Bound::tradeoff, options.reading.value_or(GuaranteeKind::joint)};
  }
  settle_conversion(options, kind);
  settings.goal.labelled = has_labels;
  const Objective most_right = has_labels ? Objective::correct : Objective::agreeing;
  settings.goal.objective = options.objective.value_or(
      settings.goal.max_epsilon || options.declared_epsilon || !options.group_epsilon.empty()
          ? most_right
          : Objective::epsilon);
  settings.method = options.method.value_or(ReleaseMethod::curve);
  check_goal(settings.goal);
  if (!options.shard.empty()) settings.shard = parse_shard(options.shard, "--shard", "2/8");
  if (options.top) settings.top = static_cast<std::size_t>(*options.top);
  refuse(settings.continuum && settings.shard.of > 1,
         "--refine needs the whole grid: it excludes --shard");
  return settings;
}

}  // namespace pate::cli
