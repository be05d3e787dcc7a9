#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/memory.hpp"
#include "cli/options/output_files.hpp"
#include "cli/progress.hpp"
#include "pate/base/atomic_file.hpp"
#include "pate/base/digests.hpp"
#include "pate/labeling/label_run.hpp"
#include "pate/release/declared/declared_run.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/reports/curve_tables.hpp"
#include "pate/reports/declared_report.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/public_notices.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/run_reports.hpp"

namespace pate::cli {

namespace {

DeclaredMechanism declared_mechanism(const LabelOptions& options, const Run& run) {
  DeclaredSettings settings;
  settings.question = joint_question(run.aggregator.noisy(), run.neighbours, run.votes.teachers(),
                                     run.votes.classes());
  settings.budget = {*options.declared_epsilon, options.delta,
                     options.fallback_queries.has_value()};
  settings.queries = run.rows.size();
  settings.fallback_queries = options.fallback_queries.value_or(0);
  settings.certificate = options.certificate;
  settings.threads = options.threads;
  if (settings.certificate.value_or(default_certificate(settings.question)) == Certificate::renyi) {
    expect_cost_table(settings.question.cost, settings.question.teachers, "test");
  }
  return DeclaredMechanism(settings);
}

// The settings of a report, with the certificate that is in force.
reports::Settings declared_settings(LabelOptions options, const DeclaredMechanism& mechanism) {
  options.certificate = mechanism.test().certificate();
  return settings_of("label", add_label, std::move(options));
}

// What everybody may know beforehand and should.
std::vector<Notice> public_advice(const reports::CurveTables& tables,
                                  const DeclaredMechanism& mechanism, const Run& run) {
  std::vector<Notice> notices;
  if (tables.has_unused()) notices.push_back(reports::tables_unused());
  const DeclaredBudget& budget = mechanism.settings().budget;
  const double any =
      epsilon_for_any_votes(run.aggregator.noisy(), run.neighbours, run.rows.size(), budget.delta);
  if (any <= budget.epsilon) {
    notices.push_back(
        {"any_votes_suffice",
         fmt::format("whatever the votes are, this run costs epsilon = {} at most: without "
                     "--declared-epsilon it needs no test",
                     any)});
  }
  return notices;
}

// The first so many queries of a run, in the place of all of them.
Run first_of(const Run& run, std::int64_t queries) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < queries; ++i) rows.push_back(run.rows[i]);
  return {run.votes,
          RowSelection::list(std::move(rows)),
          run.aggregator,
          run.neighbours,
          run.student,
          {},
          {}};
}

// Labels of a run without limits: what it costs was paid for before.
LabelledQueries labels_of(const Run& run, const LabelOptions& options, BitSource& source) {
  const RunLimits limits{run.rows.size(), {}, {}};
  constexpr double kAnyOrder = 2.0;  // of a filter that lets everything through
  PrivacyFilter filter(run.aggregator, run.neighbours, limits, options.delta, kAnyOrder);
  return label_queries(run, filter, options.reinforce_above, source, options.threads);
}

int rehearse_label(const LabelOptions& options, const Streams& streams, VotesInput& input,
                   const Run& run, const DeclaredMechanism& mechanism) {
  auto described = input.describe_async(options.threads);
  reports::DeclaredReport report{mechanism, {}};
  const reports::CurveTables tables(options.tables);
  {
    const Activity activity(streams, "computing tables");
    report.rehearsal = rehearse(mechanism, collect_votes(run, options.threads), tables);
  }
  report.notices = public_advice(tables, mechanism, run);
  report.notices.push_back(
      {"declared_private",
       "these numbers depend on the votes: an epsilon that is chosen after reading them is not "
       "declared beforehand, and voids the guarantee; choose it by rehearsing on votes of pate "
       "simulate, on public ones, or on those of teachers of other data"});
  prepend_input_warnings(input, thresholds_of(options.mechanism, run.votes.teachers()),
                         options.delta, report.notices, nullptr, &options.mechanism);
  reports::ReportContext context{version(), declared_settings(options, mechanism), described.get()};
  context.tables = tables.used();
  input.check_unchanged();
  deliver_report(options.output, reports::declared_report_json(report, context),
                 for_people(options.output, report.guarantee(),
                            declared_summary(report, options.input.votes, streams.out_colour(),
                                             options.rows_from_answers)),
                 report.notices, streams);
  return kDone;
}

}  // namespace

int run_declared_label(const LabelOptions& options, const Streams& streams, BitSource& source,
                       const io::WritePoints& points) {
  const auto format =
      options.dry_run ? reports::LabelsFormat::npy : reports::labels_format(options.labels);
  if (!options.dry_run) check_no_labels_yet(options.labels, options.force);
  VotesInput input = open_votes(options.input);
  const Run run = make_run(input, options.mechanism);
  validate(run);
  const DeclaredMechanism mechanism = declared_mechanism(options, run);
  if (options.dry_run) return rehearse_label(options, streams, input, run, mechanism);

  auto described = input.describe_async(options.threads);
  const reports::CurveTables tables(options.tables);
  std::optional<Activity> activity(std::in_place, streams, "testing and labelling");
  const std::size_t level = mechanism.level(collect_votes(run, options.threads), tables);
  reports::ReportContext context{version(), declared_settings(options, mechanism), described.get()};
  context.tables = tables.used();
  input.check_unchanged();
  const std::list<io::TakenName> taken = take_new_names();

  // The entry comes before the coin: a test is charged in full, whatever comes out.
  std::optional<reports::Ledger> ledger;
  const std::string ensemble = open_ledger(
      ledger, options.ledger, telling(options.access, options.ledger, streams), options.ensemble,
      input.votes->teachers(), input.votes->classes(), points, options.mechanism.neighbours);
  Event event = reports::declared_event(mechanism, context.inputs, ensemble,
                                        options.rows_from_answers, reports::new_event_id());
  reports::DeclaredReport report{mechanism, public_advice(tables, mechanism, run)};
  report.declared = reports::declared_entry(mechanism);
  if (ledger) {
    const std::string called = options.output.public_only ? "the ledger" : options.ledger;
    std::ranges::move(ledger_notices(*ledger, called, event), std::back_inserter(report.notices));
    const ToldEpsilon total = reports::total_with(*ledger, event);
    report.ledger = options.ledger;
    report.total = total;
    ledger->append({event, reports::ledger_settings("label", context, ""), version()});
    report.notices.push_back(
        {"ledger_total",
         fmt::format("{}: {}", called, reports::total_in_words(ledger->entries().size(), total))});
  } else {
    report.notices.push_back(no_ledger());
  }

  const bool passed = mechanism.passes(level, source);
  if (!passed && !options.fallback_queries) {
    activity.reset();
    return report_missed(
        {fmt::format("the test of --declared-epsilon {0} did not pass: there are no labels and no "
                     "report, and ({0}, {1}) of the budget is spent{2}",
                     *options.declared_epsilon, options.delta,
                     ledger ? ""
                            : fmt::format("; no ledger has it: count it with pate compose "
                                          "--approximate declared={},{}",
                                          *options.declared_epsilon, options.delta))},
        streams);
  }
  const Run asked = passed ? run : first_of(run, *options.fallback_queries);
  LabelledQueries labelled = labels_of(asked, options, source);
  activity.reset();
  // One row for every query of the selection, as where a run stops.
  const auto all = static_cast<std::size_t>(run.rows.size());
  labelled.labels.resize(all, -1);
  labelled.sources.resize(all, LabelSource::refused);
  const std::string bytes =
      reports::labels_bytes(labelled, run.rows, format, options.reinforce_above.has_value());
  report.labels.emplace(reports::DeclaredLabels{labelled, passed, options.labels, format,
                                                io::sha256_hex(std::as_bytes(std::span(bytes)))});
  event.facts.digests.labels = report.labels->sha256;
  context.record = {event};
  if (!passed) {
    report.notices.push_back(
        {"fallback",
         fmt::format("the test did not pass: the labels are those of the first {} queries, as "
                     "--fallback-queries says",
                     *options.fallback_queries)});
  }
  prepend_input_warnings(input, thresholds_of(options.mechanism, run.votes.teachers()),
                         options.delta, report.notices, nullptr, &options.mechanism);
  input.check_unchanged();
  write_labels(options.labels, bytes, options.output.public_only, ledger.has_value(), streams,
               points);
  if (options.output.public_only) {
    std::vector<std::string> files = input_paths(options.input);
    files.insert(files.end(), {options.ledger, options.labels});
    report.notices = reports::public_notices(report.notices, files);
    report.labels->path = "labels";
  }
  report_labels(options.labels, ledger.has_value(), [&] {
    deliver_report(
        options.output, reports::declared_report_json(report, context, options.output.audience()),
        for_people(
            options.output, report.guarantee(),
            declared_summary(report, options.output.public_only ? "PUBLIC" : options.input.votes,
                             streams.out_colour(), options.rows_from_answers)),
        report.notices, streams);
  });
  return kDone;
}

}  // namespace pate::cli
