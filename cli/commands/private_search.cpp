#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "cli/commands/commands.hpp"
#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/options/output_files.hpp"
#include "cli/options/private_search.hpp"
#include "cli/options/tuning_grids.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "pate/base/atomic_file.hpp"
#include "pate/base/digests.hpp"
#include "pate/numerics/decimal.hpp"
#include "pate/reports/ledger.hpp"
#include "pate/reports/ledger_account.hpp"
#include "pate/reports/private_search_report.hpp"
#include "pate/reports/record_json.hpp"
#include "pate/reports/run_reports.hpp"
#include "pate/tuning/public_epsilons.hpp"

namespace pate::cli {

namespace {

// The law and the number of tries that were asked for, as "geometric:10".
double asked_tries(const std::string& account) {
  return std::stod(account.substr(account.find(':') + 1));
}

double one_try_epsilon(const TuningGrid& grid, std::int64_t queries, double delta) {
  EpsilonKind kind;
  kind.delta = delta;
  kind.as_headline = true;
  return PublicEpsilons(kind, grid.neighbours).of(grid.aggregator(grid.index(0, 0, 0)), queries);
}

// What must be known to use what was found, whatever that was.
std::vector<Notice> search_notices(const reports::PrivateSearchReport& report) {
  std::vector<Notice> notices;
  if (report.drawn) {
    notices.push_back(
        {"tries_are_secret",
         "how many tries there were, and what else they found, must not be told: the cost is that "
         "of the best one alone; how long this took tells it, too"});
  }
  if (report.drawn && !report.best) {
    notices.push_back({"no_tries",
                       "the number of tries that was drawn is 0: nothing is released, and the cost "
                       "counts all the same; it is what makes the other outcomes so cheap"});
  }
  if (report.score == TryScore::correct) {
    notices.push_back({"labels_are_public",
                       "the labels by which tries are compared must be public: what is protected "
                       "is what the teachers vote"});
  }
  return notices;
}

std::string search_summary(const reports::PrivateSearchReport& report, const VotesTitle& votes,
                           bool colour) {
  const CostEntry& headline = report.account.costs[report.account.headline];
  std::string text = votes_line(votes, report.queries, report.teachers, report.classes,
                                origin_text(/*follow_answers=*/false));
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{} number of tries, {} on average, of {} points; the best has most {}\n",
                 name(report.tries.law), report.asked_tries, report.grid.size(),
                 report.score == TryScore::correct ? "right labels" : "answers");
  fmt::format_to(out, "\n{}  for all tries together, whatever the votes are\n",
                 bold(fmt::format("epsilon = {} at delta = {}", epsilon_text(headline.epsilon),
                                  decimal(headline.delta)),
                      colour));
  fmt::format_to(out, "epsilon = {} for one of them alone\n", epsilon_text(report.one_try_epsilon));
  if (report.best) {
    const Aggregator aggregator = report.grid.aggregator(report.best->index);
    text += '\n';
    if (aggregator.selection) {
      fmt::format_to(out, "threshold {}, sigma1 {}, ", aggregator.selection->threshold,
                     aggregator.selection->sigma1);
    }
    fmt::format_to(out, "{} {}: {} answers", aggregator.noisy_max.names().parameter,
                   aggregator.noisy_max.parameter(), report.best->labelled.answered);
    if (report.score == TryScore::correct) {
      fmt::format_to(out, ", {} of them right", report.best->score);
    }
    fmt::format_to(out, "\nlabels: {}\n", report.path);
  }
  return text + (report.notices.empty() ? "" : "\n") + notes(report.notices);
}

}  // namespace

int run_private_search(const TuneOptions& options, const Streams& streams, BitSource& source) {
  const bool has_student = !options.input.student.empty();
  const NumberOfTries tries = parse_tries(options.account);
  const TryScore score = check_private_search(options.tuning, !options.input.labels.empty());
  const GridOptions grid_options = check_grid_options(options.tuning, has_student);
  require(Asked::tries, options.tuning.neighbours);
  const EpsilonKind& kind = options.tuning.settings.grid.kind;
  check_delta(kind.delta, options.tuning.any_delta);
  const Limits limits{.max_epsilon = options.tuning.settings.goal.max_epsilon};
  check_limits(limits);
  if (options.output.format) throw usage_error("--account has no table: leave out --format");
  refuse(options.labels.empty(),
         "--account needs --write-labels FILE: the labels of the best try are drawn "
         "once, and are what the cost is for");
  require_rows_from(options.input, false);
  check_ensemble(options.ensemble, options.ledger, options.access);
  check_output_options(options.output, input_paths(options.input),
                       {{"--write-labels", options.labels}, {"--ledger", options.ledger}});
  reports::PrivateSearchReport report;
  report.format = reports::labels_format(options.labels);
  report.path = options.labels;
  check_no_labels_yet(options.labels, options.force);

  TuneOptions asked = options;
  asked.input.makes_something = true;
  VotesInput input = open_votes(asked.input);
  report.grid = make_grid(grid_options, input.votes->teachers());
  report.tries = tries;
  report.asked_tries = asked_tries(options.account);
  report.score = score;
  report.teachers = input.votes->teachers();
  report.classes = input.votes->classes();
  report.queries = input.rows.size();
  report.one_try_epsilon = one_try_epsilon(report.grid, report.queries, kind.delta);
  const unsigned threads = options.tuning.settings.grid.threads;
  RecordSettings settings;
  settings.delta = kind.delta;
  settings.orders = kind.orders;
  settings.threads = threads;
  reports::ReportContext context{version(), settings_of("tune", add_tune, options),
                                 input.describe()};
  const auto event_of = [&](const std::string& ensemble, const std::string& id) {
    return reports::private_search_event(report, kind.delta, context.inputs, ensemble, id);
  };
  context.record = {event_of({}, {})};
  report.account = account_record(context.record, settings);
  const CostEntry& headline = report.account.costs[report.account.headline];
  std::vector<std::string> missed;
  if (limits.max_epsilon) {
    const bool holds = headline.epsilon <= *limits.max_epsilon;
    context.verdicts.push_back({"--max-epsilon", limits.max_epsilon, holds});
    if (!holds) {
      missed.push_back(fmt::format("epsilon = {} is above --max-epsilon {}, so nothing was tried",
                                   headline.epsilon, *limits.max_epsilon));
    }
  }
  report.drawn = missed.empty();

  std::string bytes;
  std::list<io::TakenName> taken;
  if (report.drawn) {
    const TuningVotes votes{*input.votes, input.rows, input.student.get(), std::move(input.labels)};
    {
      // Not how many tries there are, nor how many are done: that is nobody's to know.
      const Activity activity(streams, "trying points");
      report.best = best_of_tries(votes, report.grid, tries, score, source, threads);
    }
    if (report.best) {
      bytes = reports::labels_bytes(report.best->labelled, votes.rows, report.format, false);
      report.sha256 = io::sha256_hex(std::as_bytes(std::span(bytes)));
    }
    input.check_unchanged();
    taken = take_new_names();
  }
  std::optional<reports::Ledger> ledger;
  const std::string ensemble =
      report.drawn
          ? open_ledger(ledger, options.ledger, telling(options.access, options.ledger, streams),
                        options.ensemble, report.teachers, report.classes)
          : std::string();
  if (report.drawn) context.record = {event_of(ensemble, reports::new_event_id())};
  prepend_input_warnings(input, report.grid.threshold, kind.delta, report.notices);
  std::ranges::move(search_notices(report), std::back_inserter(report.notices));
  if (ledger) {
    report.ledger = options.ledger;
    const std::string called = options.output.public_only ? "the ledger" : options.ledger;
    const Event& event = context.record.front();
    std::ranges::move(ledger_notices(*ledger, called, event), std::back_inserter(report.notices));
    // Fails before the ledger grows.
    const ToldEpsilon total = reports::total_with(*ledger, event);
    report.total = total;
    ledger->append({event, reports::ledger_settings("tune", context, report.sha256), version()});
    report.notices.push_back(
        {"ledger_total",
         fmt::format("{}: {}", called, reports::total_in_words(ledger->entries().size(), total))});
  } else if (report.drawn) {
    report.notices.push_back(no_ledger());
  }
  const bool is_public = options.output.public_only;
  if (report.best) write_labels(options.labels, bytes, is_public, ledger.has_value(), streams);
  VotesTitle title = title_of(options.input);
  if (is_public) {
    std::vector<std::string> files = input_paths(options.input);
    files.insert(files.end(), {options.ledger, options.labels});
    report.notices = reports::public_notices(report.notices, files);
    report.path = "labels";
    title.path = "PUBLIC";
  }
  const auto put_out = [&] {
    deliver_report(options.output,
                   reports::private_search_report_json(report, context, options.output.audience()),
                   for_people(options.output, guarantee_of(report.account, reports::kSearchOutputs),
                              search_summary(report, title, streams.out_colour())),
                   report.notices, streams);
  };
  if (report.best) {
    report_labels(options.labels, ledger.has_value(), put_out);
  } else {
    put_out();
  }
  return report_missed(missed, streams);
}

}  // namespace pate::cli
