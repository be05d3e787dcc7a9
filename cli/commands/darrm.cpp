#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <list>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "cli/commands/commands.hpp"
#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/output_files.hpp"
#include "cli/progress.hpp"
#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/base/read_double.hpp"
#include "pate/base/require.hpp"
#include "pate/labeling/label_run.hpp"
#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/darrm_report.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/public_notices.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/run_reports.hpp"
#include "pate/studies/darrm/majority_answers.hpp"
#include "pate/studies/darrm/majority_guarantee.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"

namespace pate::cli {

namespace {

// Draws that errors are estimated from; each takes time K^2, and with more teachers less is left to
// chance.
std::int64_t error_samples(std::int64_t teachers) {
  constexpr std::int64_t kWork = 102'010'000;  // 10,000 draws of 101
  return std::clamp<std::int64_t>(kWork / (teachers * teachers), 100, 10000);
}

constexpr std::int64_t kDarrmRowsAtOnce = 4096;
constexpr double kMaxWeight = 1e300;

// The number after "binomial:". At a half nothing is left of the published weights.
double mean_after(std::string_view words, std::size_t length) {
  const std::string_view text = words.substr(length);
  double mean = 0.0;
  const auto [end, error] = read_double(text.data(), text.data() + text.size(), mean);
  if (error != std::errc() || end != text.data() + text.size() || !(mean >= 0.5 && mean <= 1.0) ||
      (mean == 0.5 && words.starts_with("published"))) {
    throw usage_error(
        fmt::format("--weights {}: expected a mean between 0.5 and 1 after the colon", words));
  }
  return mean;
}

bool is_file_of_weights(std::string_view words) {
  return words != "agreement" && words != "uniform" && words != "total-variation" &&
         !words.starts_with("binomial:") && !words.starts_with("published:");
}

// One number for each size of a majority, from a file; it becomes an input.
std::vector<double> read_weights(const std::string& path, std::int64_t teachers,
                                 VotesInput& input) {
  input.files.push_back({"weights", path, io::open_table(path)});
  const NumericTable& table = *input.files.back().opened.table;
  const auto size = static_cast<std::int64_t>(majority_sizes(teachers));
  if (table.columns() != 1 || table.rows() != size) {
    throw input_error(fmt::format(
        "{}: expected {} weights in one column, for {} .. {} votes for the majority, found {} rows "
        "and {} columns",
        table.name(), size, least_majority(teachers), teachers, table.rows(), table.columns()));
  }
  std::vector<double> weights(static_cast<std::size_t>(size));
  table.read_reals(0, size, 0, 1, weights);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] >= 0.0 && weights[i] <= kMaxWeight) continue;
    throw input_error(fmt::format("{}: row {}: a weight must be >= 0 and <= {}, found {}",
                                  table.name(), i, kMaxWeight, weights[i]));
  }
  if (std::ranges::all_of(weights, [](double w) { return w == 0.0; })) {
    throw input_error(fmt::format("{}: all weights are 0", table.name()));
  }
  return weights;
}

std::vector<double> weights_of(const DarrmOptions& options, std::int64_t teachers,
                               VotesInput& input) {
  const std::string_view words = options.weights;
  if (words == "agreement") return agreement_weights(teachers);
  if (words == "uniform") return uniform_weights(teachers);
  if (words == "total-variation") return total_variation_weights(teachers);
  if (words.starts_with("binomial:")) return binomial_weights(teachers, mean_after(words, 9));
  if (words.starts_with("published:")) return published_weights(teachers, mean_after(words, 10));
  return read_weights(options.weights, teachers, input);
}

void check_darrm_options(const DarrmOptions& options) {
  refuse(!options.setting,
         "what the teachers are is missing, which decides what may be claimed: add --setting "
         "independent-fresh, static-whole, static-shards or non-private");
  const bool has_votes = !options.input.votes.empty();
  const auto needs_votes = [&](bool given, const char* option) {
    refuse(given && !has_votes, "{} needs VOTES", option);
  };
  needs_votes(!options.labels.empty(), "--write-labels");
  needs_votes(!options.input.member.empty(), "--member");
  needs_votes(!options.input.indices.empty(), "--indices");
  needs_votes(!options.input.labels.empty(), "--labels");
  if (!options.labels.empty()) require_rows_from(options.input, false);
  refuse(!options.ledger.empty() && options.labels.empty(),
         "--ledger needs --write-labels: it records what is released");
  refuse(!options.ledger.empty() && options.setting != TeacherSetting::non_private,
         "--ledger adds up what one teacher's votes cost; in this setting a record of the data is "
         "protected, which is another unit: keep a file of its own, or leave it out");
  check_ensemble(options.ensemble, options.ledger, options.access);
  refuse(!has_votes && !options.input.teachers,
         "the number of teachers is missing: add --teachers K, or VOTES");
  if (options.setting == TeacherSetting::non_private) {
    const auto refuse = [](bool given, const char* option) {
      if (given) {
        throw usage_error(
            fmt::format("--setting non-private excludes {}: its teachers promise nothing, "
                        "--epsilon is that of an "
                        "answer",
                        option));
      }
    };
    refuse(options.m.has_value(), "--m");
    refuse(options.delta_teacher.has_value(), "--delta-teacher");
    refuse(options.monotone, "--monotone");
    refuse(options.noise && *options.noise != NoiseFunction::one_vote, "another --noise-function");
  } else {
    refuse(!options.m,
           "what an answer may cost is missing: add --m M, as much as M teachers' votes");
    refuse(options.noise && *options.noise == NoiseFunction::one_vote,
           "--noise-function one-vote is for --setting non-private");
    refuse(options.monotone && options.noise && *options.noise != NoiseFunction::optimal,
           "--monotone is for --noise-function optimal; the others are already");
    if (options.noise == NoiseFunction::double_subsampling && !(*options.m >= 1.0)) {
      throw usage_error(
          fmt::format("--noise-function double-subsampling needs --m >= 1, got {}", *options.m));
    }
  }
  require(options.epsilon > 0.0 && options.epsilon <= kMaxAnswerEpsilon,
          "--epsilon must be > 0 and <= {}, got {}", kMaxAnswerEpsilon, options.epsilon);
  for (const auto& [delta, option] :
       {std::pair(options.delta_teacher, "--delta-teacher"), std::pair(options.delta, "--delta")}) {
    if (delta)
      require(*delta >= 0.0 && *delta < 1.0, "{} must be >= 0 and < 1, got {}", option, *delta);
  }
  if (options.total_delta) {
    check_delta(*options.total_delta, options.any_delta, "--total-delta");
  }
  std::vector<std::string> inputs = input_paths(options.input);
  if (is_file_of_weights(options.weights)) inputs.push_back(io::table_path(options.weights));
  check_output_options(options.output, inputs,
                       {{"--write-labels", options.labels}, {"--ledger", options.ledger}});
}

MajoritySettings majority_settings(const DarrmOptions& options, VotesInput& input) {
  MajoritySettings settings;
  settings.setting = *options.setting;
  const bool one_vote = settings.setting == TeacherSetting::non_private;
  const std::int64_t all = input.votes ? input.votes->teachers() : *options.input.teachers;
  if (!(all >= 1 && all <= kMaxMajorityTeachers)) {
    throw usage_error(input.votes ? fmt::format("{}: at most {} teachers, found {}",
                                                input.votes->name(), kMaxMajorityTeachers, all)
                                  : fmt::format("--teachers must be >= 1 and <= {}, got {}",
                                                kMaxMajorityTeachers, all));
  }
  settings.noise =
      options.noise.value_or(one_vote ? NoiseFunction::one_vote : NoiseFunction::optimal);
  const bool one_affected = one_vote || settings.setting == TeacherSetting::static_shards;
  settings.teachers = {all, options.epsilon, options.delta_teacher.value_or(0.0),
                       options.affected.value_or(one_affected ? 1 : all)};
  settings.teachers.delta = std::abs(settings.teachers.delta);  // of -0
  settings.m = options.m.value_or(1.0);
  refuse(!(settings.m > 0.0 && settings.m <= static_cast<double>(all)),
         "--m must be > 0 and at most the number of teachers, {}: all of them cost no more; got {}",
         all, settings.m);
  settings.target = {settings.m * options.epsilon,
                     -std::expm1(settings.m * std::log1p(-settings.teachers.delta))};
  if (options.delta) settings.target.delta = std::abs(*options.delta);
  settings.monotone = options.monotone;
  settings.total_delta = options.total_delta;
  if (input.votes) {
    settings.queries = input.rows.size();
  } else if (!options.input.queries.empty()) {
    settings.queries = parse_row_range(options.input.queries).size();
  }
  settings.weights = weights_of(options, all, input);
  return settings;
}

// The votes for class 1 of every query of the selection.
std::vector<std::int32_t> ones_of(const VotesInput& input) {
  std::vector<std::int32_t> result;
  std::vector<std::int32_t> counts;
  input.rows.for_each_range(0, input.rows.size(),
                            [&](std::int64_t row, std::int64_t /*offset*/, std::int64_t count) {
                              for (std::int64_t done = 0; done < count; done += kDarrmRowsAtOnce) {
                                const std::int64_t rows = std::min(kDarrmRowsAtOnce, count - done);
                                counts.resize(static_cast<std::size_t>(2 * rows));
                                input.votes->read(row + done, rows, counts);
                                for (std::size_t i = 1; i < counts.size(); i += 2)
                                  result.push_back(counts[i]);
                              }
                            });
  return result;
}

}  // namespace

void add_darrm(CommandLine& line, DarrmOptions& options) {
  line.section("").add("VOTES TEXT", options.input.votes,
                       "votes for two classes, where there are any:\n"
                       ".npy, .npz:member, .csv, .tsv, gzip of\n"
                       "these, or - for standard input",
                       {.may_be_empty = true});
  const Section teachers = line.section("Teachers");
  teachers.add(
      "--setting NAME", options.setting,
      {TeacherSetting::independent_fresh, TeacherSetting::static_whole,
       TeacherSetting::static_shards, TeacherSetting::non_private},
      "how private the teachers are: independent-fresh (trained on the whole data, new coins for "
      "every query), static-whole (trained once on the whole data), static-shards (trained once on "
      "disjoint shards) or non-private (shards, no privacy of their own)");
  teachers.add(
      "--epsilon EPS", options.epsilon,
      "epsilon of one teacher's vote; static: of all its votes; non-private: of one answer",
      {.required = true});
  teachers.add("--delta-teacher D", options.delta_teacher,
               "delta that goes with --epsilon; default: 0");
  teachers.add("--affected S", options.affected,
               "number of teachers that one record can affect; default: all, with shards 1, and 1 "
               "for non-private");
  const Section answer = line.section("Answer");
  answer.add("--m M", options.m, "privacy of one answer, as a multiple of --epsilon");
  answer.add("--delta D", options.delta, "delta of one answer; default: 1-(1-delta-teacher)^M");
  answer.add("--noise-function NAME", options.noise,
             {NoiseFunction::optimal, NoiseFunction::double_subsampling, NoiseFunction::constant,
              NoiseFunction::one_vote},
             "optimal (default), double-subsampling, constant, or one-vote (non-private only)");
  answer.add("--weights W", options.weights,
             "weights of the objective: agreement (default), uniform, binomial:MU, published:MU, "
             "total-variation, or a file");
  answer.add("--monotone", options.monotone, "require noise that never grows with the majority");
  add_votes_input_options(line, options.input,
                          {"VOTES", "--abstentions", "--student", "--decisions", "--allow-empty"});
  const Section run = line.section("Run");
  run.add("--total-delta D", options.total_delta,
          "delta of all answers together, for the optimal (KOV) composition");
  add_any_delta(run, options.any_delta);
  run.add("--max-epsilon E", options.limits.max_epsilon,
          "exit with status 1 above this epsilon, and draw no answers");
  run.add("--write-labels FILE", options.labels,
          "draw the answers and write them to this .npy, .csv or .tsv file");
  run.add("--force", options.force, "replace an existing file of labels", {.recorded = false});
  run.add("--ledger FILE", options.ledger, "record the run in this ledger (non-private only)");
  add_ensemble(run, options.ensemble, options.access);
  add_output_options(line, options.output);
  add_statement(line, options.output);
  add_public_only(line, options.output);
}

int run_darrm(const DarrmOptions& options, const Streams& streams) {
  SystemBits source;
  return run_darrm(options, streams, source);
}

int run_darrm(const DarrmOptions& options, const Streams& streams, BitSource& source) {
  check_darrm_options(options);
  check_limits(options.limits);
  std::optional<reports::LabelsFormat> format;
  if (!options.labels.empty()) format = reports::labels_format(options.labels);
  if (format) check_no_labels_yet(options.labels, options.force);
  VotesInput input;
  if (!options.input.votes.empty()) {
    input = open_votes(options.input);
    if (input.votes->classes() != 2) {
      throw input_error(fmt::format("{}: expected votes for two classes, found {} classes",
                                    input.votes->name(), input.votes->classes()));
    }
  }
  const MajoritySettings settings = majority_settings(options, input);
  // Rows with another sum are told before the optimisation, not after it.
  std::vector<std::int32_t> ones;
  if (input.votes) ones = ones_of(input);
  std::optional<Activity> activity(std::in_place, streams, "looking for the noise function");
  const MajorityPlan plan = plan_majority(settings, error_samples(settings.teachers.teachers));
  activity.reset();
  const MajorityCost& headline = plan.costs[plan.headline];
  if (headline.delta > 0.0)
    check_delta(headline.delta, options.any_delta, "the delta of the answers");
  reports::DarrmReport report{plan};
  report.notices = input.votes ? input.doubts() : std::vector<Notice>();
  std::ranges::move(majority_notices(plan), std::back_inserter(report.notices));
  if (input.votes) {
    std::vector<std::int64_t> by_ones(static_cast<std::size_t>(settings.teachers.teachers) + 1);
    for (const std::int32_t l : ones) ++by_ones[static_cast<std::size_t>(l)];
    report.votes = expected_agreement(plan, std::move(by_ones));
    if (input.labels) {
      std::vector<std::int32_t> labels;
      for (std::int64_t i = 0; i < input.rows.size(); ++i) {
        labels.push_back((*input.labels)[static_cast<std::size_t>(input.rows[i])]);
      }
      add_accuracy(plan, ones, labels, *report.votes);
    }
    report.notices.push_back(
        {"private_part",
         "what the report says of the votes, agreement and queries_by_ones, is private"});
  }
  reports::ReportContext context{version(), settings_of("darrm", add_darrm, options),
                                 input.describe()};
  input.check_unchanged();
  std::vector<std::string> missed;
  if (const auto most = options.limits.max_epsilon) {
    const bool holds = headline.epsilon <= *most;
    context.verdicts.push_back({"--max-epsilon", most, holds});
    if (!holds) {  // a number that does not depend on the votes
      missed.push_back(fmt::format("epsilon = {} is above --max-epsilon {}{}", headline.epsilon,
                                   *most, format ? ", so no answer was drawn" : ""));
      format.reset();
    }
  }
  std::string bytes;
  std::list<io::TakenName> taken;
  if (format) {
    LabelledQueries labelled;
    for (const std::int32_t l : ones) labelled.labels.push_back(draw_answer(plan, l, source));
    bytes = reports::labels_bytes(labelled, input.rows, *format, false);
    report.labels = {options.labels, *format, io::sha256_hex(std::as_bytes(std::span(bytes)))};
    taken = take_new_names();
  }
  const std::string called = options.output.public_only ? "the ledger" : options.ledger;
  std::optional<reports::Ledger> ledger;
  const std::string ensemble =
      format ? open_ledger(ledger, options.ledger, telling(options.access, options.ledger, streams),
                           options.ensemble, input.votes->teachers(), input.votes->classes(), {},
                           settings.neighbours())
             : std::string();
  if (settings.setting == TeacherSetting::non_private ||
      settings.setting == TeacherSetting::independent_fresh) {
    context.record = {reports::darrm_event(report, context.inputs, ensemble,
                                           format ? reports::new_event_id() : std::string())};
  }
  if (ledger) {
    report.ledger = options.ledger;
    const Event& event = context.record.front();
    std::ranges::move(ledger_notices(*ledger, called, event), std::back_inserter(report.notices));
    // Fails before the ledger grows.
    const ToldEpsilon total = reports::total_with(*ledger, event);
    report.total = total;
    ledger->append(
        {event, reports::ledger_settings("darrm", context, report.labels->sha256), version()});
    report.notices.push_back(
        {"ledger_total",
         fmt::format("{}: {}", called, reports::total_in_words(ledger->entries().size(), total))});
  } else if (format && settings.setting == TeacherSetting::non_private) {
    report.notices.push_back(no_ledger());
  }
  if (format) {
    write_labels(options.labels, bytes, options.output.public_only, ledger.has_value(), streams);
  }
  if (options.output.public_only) {
    std::vector<std::string> files = input_paths(options.input);
    files.insert(files.end(), {options.ledger, options.labels});
    report.notices = reports::public_notices(report.notices, files);
    report.votes.reset();
    if (report.labels) report.labels->path = "labels";
  }
  const std::string& votes = options.input.votes;
  const auto put_out = [&] {
    deliver_report(options.output,
                   reports::darrm_report_json(report, context, options.output.audience()),
                   for_people(options.output, guarantee_of(plan),
                              darrm_summary(report,
                                            options.output.public_only && !votes.empty()
                                                ? VotesTitle{"PUBLIC", true}
                                                : title_of(options.input),
                                            streams.out_colour())),
                   report.notices, streams, !input.votes);
  };
  if (format) {
    report_labels(options.labels, ledger.has_value(), put_out);
  } else {
    put_out();
  }
  return report_missed(missed, streams);
}

}  // namespace pate::cli
