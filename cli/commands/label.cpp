#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/memory.hpp"
#include "cli/options/output_files.hpp"
#include "cli/options/weights.hpp"
#include "cli/progress.hpp"
#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/accounting/weighted_run.hpp"
#include "pate/base/atomic_file.hpp"
#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/labeling/label_account.hpp"
#include "pate/labeling/label_run.hpp"
#include "pate/labeling/sampled_labels.hpp"
#include "pate/labeling/weighted_labels.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/reports/label_report.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/run_reports.hpp"

namespace pate::cli {

namespace {

usage_error labels_required() {
  return usage_error("--write-labels is required", "run 'pate label --help' for the options");
}

// What goes with a budget that is declared beforehand, and what does not.
void check_declared(const LabelOptions& options) {
  if (!options.declared_epsilon) {
    refuse(options.fallback_queries || options.dry_run || options.certificate ||
               !options.tables.empty(),
           "{} goes with --declared-epsilon",
           options.fallback_queries ? "--fallback-queries"
           : options.dry_run        ? "--dry-run"
           : options.certificate    ? "--certificate"
                                    : "--tables");
    if (options.labels.empty()) throw labels_required();
    return;
  }
  const Exclusions excludes("--declared-epsilon");
  excludes(options.max_epsilon.has_value(), "--max-epsilon: it is the budget of the whole list");
  excludes(options.max_answers.has_value(), "--max-answers: declare fewer queries with --queries");
  excludes(options.order.has_value(), "--order: its test has one of its own");
  require(Asked::release, options.mechanism.circumstances());
  if (options.fallback_queries)
    require(*options.fallback_queries >= 1, "--fallback-queries must be >= 1, got {}",
            *options.fallback_queries);
  refuse(options.dry_run && options.output.public_only,
         "--dry-run draws nothing, so --public-only would print nothing");
  refuse(options.dry_run && !options.labels.empty(),
         "--dry-run makes no labels: leave out --write-labels");
  if (!options.dry_run && options.labels.empty()) {
    throw labels_required();
  }
}

// What goes with samples, all of a list at what any votes cost, and with weights.
void require_supported(const LabelOptions& options) {
  const Exclusions excludes(options.mechanism.sample_records ? "--sample-records"
                                                             : "--sample-teachers");
  const bool sampled = options.mechanism.sampling().has_value();
  excludes(sampled && options.order, "--order: it costs what pate plan says of as many queries");
  excludes(sampled && options.reinforce_above, "--reinforce-above");
  const auto circumstances = options.mechanism.circumstances(!options.input.student.empty())
                                 .with(Given::declared, options.declared_epsilon.has_value())
                                 .with(Given::max_answers, options.max_answers.has_value())
                                 .with(Given::counts, options.input.layout == Layout::counts);
  check_sampled(options.mechanism, circumstances);
  if (!options.teacher_weights.empty()) {
    check_weighable(options.mechanism.threshold, circumstances);
  }
}

// How a run was made and what it cost.
struct Labelling {
  LabelledQueries labelled;
  Account account;
  std::vector<WeightCost> weights;
};

// Votes that a sample of records gave are answered once: of two answers only the noise is apart.
void require_samples_once(const RowSelection& rows, std::span<const Notice> of_ledger) {
  std::set<std::int64_t> seen;
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    if (seen.insert(rows[i]).second) continue;
    throw input_error(
        fmt::format("row {} is asked twice, and --sample-records counts a sample of "
                    "its own for every query: draw new votes for the second one",
                    rows[i]));
  }
  if (std::ranges::find(of_ledger, "labelled_before", &Notice::code) == of_ledger.end()) return;
  throw input_error(
      "the ledger says that these votes were answered before, and --sample-records counts a sample "
      "of its own for every query: draw new votes");
}

// Where queries follow answers a promise by these votes is none.
void tell_origin(const LabelOptions& options, Labelling& result) {
  if (!options.rows_from_answers) return;
  follow_answers(result.account);
  for (WeightCost& cost : result.weights) cost.tradeoff.reset();
}

Labelling draw_labels(const LabelOptions& options, const Run& run, const RunLimits& limits,
                      PrivacyFilter& filter, const WeightedRun* weighted, BitSource& source) {
  Labelling result;
  if (const auto sampling = options.mechanism.sampling()) {
    // Known before anything is drawn.
    const auto asked =
        options.max_epsilon
            ? std::optional(affordable_samples(run, *sampling, *options.max_epsilon, options.delta))
            : std::nullopt;
    result.labelled = label_sampled(run, *sampling, source, asked);
    result.account = sampled_label_account(run, *sampling, result.labelled, options.delta);
    return result;
  }
  const Run& drawn = weighted != nullptr ? weighted->in_units() : run;
  result.labelled = label_queries(drawn, filter, options.reinforce_above, source, options.threads);
  if (weighted == nullptr) {
    result.account =
        label_account(run, result.labelled, filter, limits, options.delta, options.threads);
    return result;
  }
  WeightedAccount paid = weighted_label_account(*weighted, result.labelled, filter, limits,
                                                options.delta, options.threads);
  result.account = std::move(paid.account);
  result.weights = std::move(paid.weights);
  result.account.notices.push_back(
      weights_notice(result.weights.back().weight, result.account.aggregator.refuses()));
  return result;
}

void check_options(const LabelOptions& options) {
  require_supported(options);
  check_declared(options);
  require_rows_from(options.input, options.rows_from_answers);
  const bool has_student = !options.input.student.empty();
  check_mechanism_options(options.mechanism, has_student);
  // With weights a vote may be a small part of 1.
  if (options.teacher_weights.empty()) refuse_share_as_votes(options.mechanism);
  if (!options.dry_run) refuse_little_noise(options.mechanism, options.input.accepted);
  check_delta(options.delta, options.any_delta);
  if (options.max_answers)
    require(*options.max_answers >= 1, "--max-answers must be >= 1, got {}", *options.max_answers);
  check_limits({.max_epsilon = options.max_epsilon});
  if (options.order) require(*options.order > 1.0, "--order must be > 1, got {}", *options.order);
  if (options.reinforce_above) {
    refuse(!has_student, "--reinforce-above needs --student: it takes the student's own labels");
    require(*options.reinforce_above >= 0.0 && *options.reinforce_above <= 1.0,
            "--reinforce-above must be in [0, 1], got {}", *options.reinforce_above);
  }
  check_ensemble(options.ensemble, options.ledger, options.access);
  std::vector<std::string> inputs = input_paths(options.input);
  if (!options.teacher_weights.empty()) inputs.push_back(options.teacher_weights);
  check_output_options(options.output, inputs,
                       {{"--write-labels", options.labels}, {"--ledger", options.ledger}});
}

}  // namespace

void add_label(CommandLine& line, LabelOptions& options) {
  options.input.may_leave_out_abstentions = true;
  options.input.makes_something = true;
  add_votes_input_options(line, options.input, {"--labels", "--decisions"});
  line.section("Votes").add("--teacher-weights FILE", options.teacher_weights,
                            "file with a line for each teacher of predictions: how much its vote "
                            "counts; what teachers of each weight pay is reported");
  add_mechanism_options(line, options.mechanism);
  add_sample_options(line.section("Mechanism"), options.mechanism, true);
  add_neighbours(line, options.mechanism.neighbours);
  const Section run = line.section("Run");
  run.add("--write-labels FILE", options.labels,
          "write the labels to this .npy, .csv or .tsv file; -1 means refused");
  run.add("--force", options.force, "replace an existing file of labels", {.recorded = false});
  run.add("--reinforce-above GAMMA", options.reinforce_above,
          "give refused queries the student's label if its score is above GAMMA");
  run.add("--max-answers K", options.max_answers, "stop after K answers");
  run.add("--max-epsilon E", options.max_epsilon,
          "stop before a query that could raise the data-independent epsilon of this run above E; "
          "of all runs together: pate ledger --max-epsilon");
  add_rows_from_answers(run, options.rows_from_answers);
  const Section declared = line.section("A budget declared beforehand");
  declared.add("--declared-epsilon E", options.declared_epsilon,
               "test privately whether the run keeps (E, delta), and make it only where it does; "
               "both together cost (E, delta), passed or not");
  add_certificate(declared, options.certificate);
  declared.add("--fallback-queries N", options.fallback_queries,
               "after a failed test answer the first N queries, with half of E");
  declared.add("--dry-run", options.dry_run,
               "test nothing and draw nothing: report, privately, how likely the test passes");
  declared.add("--tables DIR", options.tables,
               "cache directory for the tables of the test, which hold nothing private",
               {.recorded = false});
  const Section privacy = line.section("Privacy");
  add_delta(privacy, options.delta, options.any_delta);
  privacy.add("--order L", options.order,
              "Renyi order alpha of the privacy filter; default: chosen from the settings",
              {.recorded_before = "delta"});
  add_threads(privacy, options.threads);
  run.add("--ledger FILE", options.ledger,
          "record the run in this ledger before its labels appear");
  add_ensemble(run, options.ensemble, options.access);
  add_output_options(line, options.output);
  add_all(line, options.output);
  add_metrics(line, options.output);
  add_statement(line, options.output);
  add_public_only(line, options.output);
}

int run_label(const LabelOptions& options, const Streams& streams) {
  SystemBits source;
  return run_label(options, streams, source, {});
}

int run_label(const LabelOptions& options, const Streams& streams, BitSource& source,
              const io::WritePoints& points) {
  check_options(options);
  if (options.declared_epsilon) return run_declared_label(options, streams, source, points);
  const reports::LabelsFormat format = reports::labels_format(options.labels);
  check_no_labels_yet(options.labels, options.force);
  VotesInput input = open_votes(options.input);
  const std::optional<TeacherWeights> weights = open_weights(options.teacher_weights, input);
  const Run run = make_run(input, options.mechanism);
  if (options.mechanism.sample_records) require_samples_once(run.rows, {});
  std::optional<WeightedRun> weighted;
  if (weights) weighted.emplace(run, weighable(run.votes), *weights);
  const CostedMechanism paid = weighted ? weighted->paid_by(weights->heaviest())
                                        : CostedMechanism{run.aggregator, run.neighbours};
  const RunLimits limits{run.rows.size(), options.max_answers, options.max_epsilon};
  PrivacyFilter filter(paid.mechanism, paid.neighbours, limits, options.delta,
                       options.order
                           ? *options.order
                           : filter_order(paid.mechanism, paid.neighbours, limits, options.delta));
  // A label, who it is from, and both in the file.
  constexpr std::int64_t kBytes = 2 * (sizeof(std::int32_t) + sizeof(LabelSource));
  expect_memory(static_cast<double>(run.rows.size()) * kBytes, "keeping the labels");
  auto described = input.describe_async(options.threads);
  std::optional<Activity> activity(std::in_place, streams, "labelling queries");
  Labelling drawn =
      draw_labels(options, run, limits, filter, weighted ? &*weighted : nullptr, source);
  tell_origin(options, drawn);
  auto& [labelled, account, of_weights] = drawn;
  activity.reset();
  const std::vector<double> thresholds = thresholds_of(options.mechanism, run.votes.teachers());
  if (weights) add_weight_slips(*weights, thresholds, account.notices);
  prepend_input_warnings(input, weights ? std::vector<double>{} : thresholds, options.delta,
                         account.notices, run.aggregator.ptr(), &options.mechanism);
  const std::string bytes =
      reports::labels_bytes(labelled, run.rows, format, options.reinforce_above.has_value());
  reports::ReportContext context{version(), settings_of("label", add_label, options),
                                 described.get()};
  input.check_unchanged();

  reports::LabelReport report{account,
                              labelled,
                              filter,
                              limits,
                              options.labels,
                              format,
                              io::sha256_hex(std::as_bytes(std::span(bytes))),
                              {},
                              {},
                              of_weights};
  const std::list<io::TakenName> taken = take_new_names();
  std::optional<reports::Ledger> ledger;
  const std::string ensemble = open_ledger(
      ledger, options.ledger, telling(options.access, options.ledger, streams), options.ensemble,
      input.votes->teachers(), input.votes->classes(), points, options.mechanism.counted());
  Event event = reports::label_event(report, context.inputs, ensemble, reports::new_event_id());
  context.record = {event};
  if (ledger) {
    report.ledger = options.ledger;
    const std::string called = options.output.public_only ? "the ledger" : options.ledger;
    std::vector<Notice> notices = ledger_notices(*ledger, called, event);
    if (options.mechanism.sample_records) require_samples_once(run.rows, notices);
    std::ranges::move(notices, std::back_inserter(account.notices));
    // Fails before the ledger grows.
    const ToldEpsilon total = reports::total_with(*ledger, event);
    report.total = total;
    ledger->append({event, reports::ledger_settings("label", context, report.sha256), version()});
    account.notices.push_back(
        {"ledger_total",
         fmt::format("{}: {}", called, reports::total_in_words(ledger->entries().size(), total))});
  } else {
    account.notices.push_back(no_ledger());
  }
  write_labels(options.labels, bytes, options.output.public_only, ledger.has_value(), streams,
               points);
  if (options.output.public_only) {
    std::vector<std::string> files = input_paths(options.input);
    files.insert(files.end(), {options.ledger, options.labels, options.teacher_weights});
    account = reports::public_part(account, files);
    for (WeightCost& cost : of_weights) cost = cost.public_part();
    report.path = "labels";
  }
  report_labels(options.labels, ledger.has_value(), [&, &costs = account] {
    deliver_report(
        options.output, reports::label_report_json(report, context, options.output.audience()),
        for_people(
            options.output, guarantee_of(costs),
            label_summary(report, options.output.public_only ? "PUBLIC" : options.input.votes,
                          options.output.all, streams.out_colour())),
        costs.notices, streams);
  });
  return kDone;
}

}  // namespace pate::cli
