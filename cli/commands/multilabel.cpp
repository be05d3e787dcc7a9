#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "cli/commands/commands.hpp"
#include "cli/commands/summaries.hpp"
#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "cli/progress.hpp"
#include "pate/base/error.hpp"
#include "pate/numerics/rounded_decimal.hpp"
#include "pate/reports/multilabel_report.hpp"
#include "pate/votes/tables/open_table.hpp"
#include "pate/votes/tables/votes_digest.hpp"

namespace pate::cli {

namespace {

MultilabelSettings multilabel_settings(const MultilabelOptions& options) {
  MultilabelSettings settings;
  settings.delta = options.delta;
  settings.exact = options.exact;
  settings.threads = options.threads;
  refuse(options.sigma2.size() != 1 && options.sigma2.size() != options.mechanisms.size(),
         "--sigma2 must have one number, for all, or one for each of the {} of "
         "--multilabel, got {}",
         options.mechanisms.size(), options.sigma2.size());
  for (std::size_t i = 0; i < options.mechanisms.size(); ++i) {
    LabelMechanism mechanism = parse_label_mechanism(options.mechanisms[i]);
    mechanism.sigma = options.sigma2[options.sigma2.size() == 1 ? 0 : i];
    require_positive(mechanism.sigma, "--sigma2");
    settings.mechanisms.push_back(mechanism);
  }
  return settings;
}

// The ballots or, of a file of counts, how many teachers gave each label; and the file.
struct LabelInput {
  io::OpenedTable opened;
  std::shared_ptr<const LabelBallots> ballots;
  std::shared_ptr<const LabelCounts> counts;

  [[nodiscard]] std::int64_t teachers() const {
    return ballots ? ballots->teachers() : counts->teachers();
  }
};

LabelInput read_labels_of(const MultilabelOptions& options) {
  const bool by_query = options.layout == Layout::predictions_by_query;
  refuse(options.layout == Layout::counts && !options.teachers,
         "--layout counts needs --teachers M: counts of the labels do not say how many teachers "
         "there are");
  LabelInput input{io::open_table(options.votes), nullptr, nullptr};
  const NumericTable& table = *input.opened.table;
  const auto rows_of = [&](std::int64_t rows) {
    return options.queries.empty() ? RowSelection::all(rows) : parse_row_range(options.queries);
  };
  if (options.layout == Layout::counts) {
    input.counts =
        std::make_shared<const LabelCounts>(table, *options.teachers, rows_of(table.rows()));
    return input;
  }
  const std::vector<std::int64_t> shape = table.description().shape;
  const std::int64_t rows = shape.size() == 3 ? shape[by_query ? 0 : 1] : 0;
  input.ballots = std::make_shared<const LabelBallots>(
      table,
      by_query ? PredictionLayout::queries_by_teachers : PredictionLayout::teachers_by_queries,
      rows_of(rows));
  if (options.teachers && *options.teachers != input.ballots->teachers()) {
    throw input_error(fmt::format("{}: --teachers says {}, but the ballots are those of {}",
                                  table.name(), *options.teachers, input.ballots->teachers()));
  }
  return input;
}

reports::InputFile describe_labels(const MultilabelOptions& options, const LabelInput& input) {
  const TableDescription description = input.opened.table->description();
  reports::InputFile file{"votes",
                          options.votes,
                          description.format,
                          description.dtype,
                          description.shape,
                          input.opened.sha256(),
                          {},
                          {}};
  file.layout = option_word(options.layout);
  file.teachers_from = options.teachers ? "person" : "file";
  const std::unique_ptr<VoteSource> votes =
      input.ballots ? votes_of(input.ballots, BallotClasses::labels) : votes_of(input.counts);
  file.votes_digest = io::votes_digest(*votes, RowSelection::all(votes->queries()));
  return file;
}

const CostEntry* smallest(const MultilabelCosts& of, bool data_dependent) {
  const CostEntry* best = nullptr;
  for (const CostEntry& cost : of.costs) {
    if (cost.data_dependent != data_dependent || cost.promise != Promise::fixed) continue;
    if (best == nullptr || cost.epsilon < best->epsilon) best = &cost;
  }
  return best;
}

std::string multilabel_summary(const MultilabelAnalysis& analysis, const VotesTitle& votes) {
  std::string text =
      fmt::format("{}: {} queries, {} teachers{}, {} labels\n", votes.path, analysis.queries,
                  analysis.teachers, votes.teachers_said ? "" : " by the file", analysis.labels);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "epsilon at delta = {}\n\n", digits_upwards(analysis.settings.delta, 4));
  fmt::format_to(out, "  {:<10} {:>7} {:>10} {:>10}  {:<17} {:>9} {:>9}\n", "", "sigma2",
                 "any votes", "private", "by", "labels", "answers");
  for (const MultilabelCosts& of : analysis.mechanisms) {
    const CostEntry* const any = smallest(of, false);
    const CostEntry* const own = smallest(of, true);
    fmt::format_to(
        out, "  {:<10} {:>7g} {:>10} {:>10}  {:<17} {:>8.2f}% {:>8.2f}%\n", of.mechanism.called(),
        of.mechanism.sigma, any == nullptr ? "-" : epsilon_text(any->epsilon),
        own == nullptr ? "-" : epsilon_text(own->epsilon), own == nullptr ? "" : name(own->bound),
        100.0 * of.agreement.labels, 100.0 * of.agreement.answers);
  }
  text +=
      "\nlabels: expected share that is as the majority has them; answers: of queries\n"
      "whose answer is the mechanism's own without noise. Both are PRIVATE.\n";
  if (analysis.mechanisms.size() > 1) {
    fmt::format_to(out, "PRIVATE: cheapest on these votes: {}\n",
                   analysis.mechanisms[analysis.cheapest].mechanism.called());
  }
  return text + '\n' + notes(analysis.notices);
}

}  // namespace

void add_multilabel(CommandLine& line, MultilabelOptions& options) {
  line.section("").add("VOTES TEXT", options.votes,
                       "file of votes: .npy or .npz:member of three dimensions, of counts also "
                       ".csv, .tsv or - for standard input",
                       {.required = true, .may_be_empty = true});
  const Section votes = line.section("Votes");
  votes.add("--layout LAYOUT", options.layout,
            {Layout::predictions, Layout::predictions_by_query, Layout::counts},
            "array layout: predictions (teachers x queries x labels), predictions-by-query "
            "(queries x teachers x labels) or counts (queries x labels)");
  votes.add("--teachers M", options.teachers, "number of teachers of the ensemble; counts need it");
  votes.add("--queries N|A:B", options.queries, "use only the first N queries, or A to B-1");
  const Section mechanism = line.section("Mechanism");
  mechanism.add("--multilabel LIST", options.mechanisms,
                "how a query gets labels: binary (a vote on each), tau:T (sums of ballots with an "
                "L2 norm of at most sqrt T), powerset (one vote on sets); several are compared",
                {.required = true});
  mechanism.add("--sigma2 LIST", options.sigma2,
                "standard deviation of Gaussian noise on each count, in votes: one for all, or one "
                "for each of --multilabel",
                {.required = true});
  const Section privacy = line.section("Privacy");
  add_delta(privacy, options.delta, options.any_delta);
  privacy.add("--exact", options.exact,
              "also compute exact divergences, and what each teacher pays");
  add_threads(privacy, options.threads);
  add_output_options(line, options.output);
  add_statement(line, options.output);
}

int run_multilabel(const MultilabelOptions& options, const Streams& streams) {
  const MultilabelSettings settings = multilabel_settings(options);
  check_delta(options.delta, options.any_delta);
  check_output_options(options.output, {io::table_path(options.votes)});
  const LabelInput input = [&] {
    const Activity activity(streams, "reading votes");
    return read_labels_of(options);
  }();
  const MultilabelAnalysis analysis = [&] {
    const Activity activity(streams, "computing costs");
    return input.ballots ? analyze_multilabel(input.ballots, settings)
                         : analyze_multilabel(input.counts, settings);
  }();
  const reports::ReportContext context{version(),
                                       settings_of("multilabel", add_multilabel, options),
                                       {describe_labels(options, input)}};
  input.opened.check_unchanged();
  deliver_report(
      options.output, reports::multilabel_report_json(analysis, context),
      for_people(options.output, guarantee_of(analysis),
                 multilabel_summary(analysis, {options.votes, options.teachers.has_value()})),
      analysis.notices, streams);
  return kDone;
}

}  // namespace pate::cli
