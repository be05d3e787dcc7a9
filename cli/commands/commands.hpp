#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/command_line.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/foreign.hpp"
#include "cli/options/mechanism.hpp"
#include "cli/options/output.hpp"
#include "cli/options/privacy.hpp"
#include "cli/options/tuning.hpp"
#include "cli/options/votes_input.hpp"
#include "cli/streams.hpp"
#include "pate/accounting/planning/plan.hpp"
#include "pate/base/atomic_file.hpp"
#include "pate/events/account_record.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/release/curve/costs_within_distance.hpp"
#include "pate/release/smooth/release_plan.hpp"
#include "pate/reports/figures/figure.hpp"
#include "pate/reports/figures/report_figures.hpp"
#include "pate/reports/results_table.hpp"
#include "pate/studies/darrm/majority_run.hpp"
#include "pate/votes/simulate.hpp"

namespace pate::cli {

// The commands of the program. Of each: its options; `add_` describes the command line and does no
// I/O; `run_` runs the command and returns its exit status, errors are thrown.

/// `pate analyze VOTES`: the privacy cost of a vote dump.
struct AnalyzeOptions {
  VotesInputOptions input;
  MechanismOptions mechanism;
  PrivacyOptions privacy;
  OutputOptions output;
  std::string shard;  ///< "i/n"; empty is the whole
  bool rows_from_answers = false;
  std::optional<double> reinforce_above;
  std::string groups, teacher_weights;
  ExportOptions exports;
};
void add_analyze(CommandLine& line, AnalyzeOptions& options);
[[nodiscard]] int run_analyze(const AnalyzeOptions& options, const Streams& streams);

/// `pate compose REPORT...`: the report of a run from those of its shards, or the sum of rounds.
struct ComposeOptions {
  std::vector<std::string> reports;
  RecordSettings rounds;
  bool same_teachers = false;  ///< although their votes lie in different files
  reports::LedgerAccess access;
  bool any_delta = false;
  ForeignOptions foreign;
  ExportOptions exports;
  Limits limits;
  unsigned threads = 0;
  OutputOptions output;
};
void add_compose(CommandLine& line, ComposeOptions& options);
[[nodiscard]] int run_compose(const ComposeOptions& options, const Streams& streams);

/// `pate explain VOTES`: why one query, or the most expensive ones, cost what they cost.
struct ExplainOptions {
  VotesInputOptions input;
  MechanismOptions mechanism;
  PrivacyOptions privacy;  ///< no limits, and exact costs always
  std::vector<std::int64_t> queries;
  std::optional<std::int64_t> top;
  std::optional<double> sensitivity_order;  ///< of what W19 says of the sensitivity
  bool csv = false;
  OutputOptions output;
};
void add_explain(CommandLine& line, ExplainOptions& options);
[[nodiscard]] int run_explain(const ExplainOptions& options, const Streams& streams);

/// `pate inspect VOTES`: what is in a vote dump, and what looks wrong with it. That counts do not
/// add up to the same number of teachers says so when the columns do.
struct InspectOptions {
  VotesInputOptions input;     ///< the votes, `--indices` and `--student`
  MechanismOptions mechanism;  ///< `--threshold` and `--sigma1` only
  std::optional<std::int64_t> bins;
  unsigned threads = 0;
  OutputOptions output;
};
void add_inspect(CommandLine& line, InspectOptions& options);
[[nodiscard]] int run_inspect(const InspectOptions& options, const Streams& streams);

/// `pate label VOTES`: runs the aggregator, with noise from the operating system, and writes the
/// labels the student may see.
///
/// What becomes visible does so last: everything is computed first, then the ledger gets its entry
/// and it is on the disk, then the labels appear, whole, then the report.
struct LabelOptions {
  VotesInputOptions input;
  MechanismOptions mechanism;
  std::string labels;
  bool force = false;  ///< replace an existing file of labels
  std::optional<double> reinforce_above;
  std::optional<std::int64_t> max_answers;
  std::optional<double> max_epsilon;
  std::optional<double> order;
  std::string teacher_weights;
  double delta = 0.0;
  bool any_delta = false;
  bool rows_from_answers = false;
  std::optional<double> declared_epsilon;  ///< a budget declared beforehand: test, then run
  std::optional<Certificate> certificate;  ///< of the test; none: what suits the run
  std::optional<std::int64_t> fallback_queries;
  bool dry_run = false;
  std::string tables;
  std::string ledger;
  std::string ensemble;
  reports::LedgerAccess access;
  unsigned threads = 0;
  OutputOptions output;
};
void add_label(CommandLine& line, LabelOptions& options);
[[nodiscard]] int run_label(const LabelOptions& options, const Streams& streams);

/// The same with noise from `source`, and interrupted at `points`: for tests.
[[nodiscard]] int run_label(const LabelOptions& options, const Streams& streams, BitSource& source,
                            const io::WritePoints& points);

/// `pate label --declared-epsilon`: the private test first, and the run only where it passes.
[[nodiscard]] int run_declared_label(const LabelOptions& options, const Streams& streams,
                                     BitSource& source, const io::WritePoints& points);

/// `pate darrm [VOTES]`: the private majority of two classes by teachers that are private
/// themselves; with VOTES what it makes of them, and its answers.
struct DarrmOptions {
  VotesInputOptions input;  ///< no VOTES: --teachers and --queries say how many
  std::optional<TeacherSetting> setting;
  double epsilon = 0.0;
  std::optional<double> delta_teacher;
  std::optional<std::int64_t> affected;
  std::optional<double> m;
  std::optional<double> delta;
  std::optional<NoiseFunction> noise;
  std::string weights = "agreement";
  bool monotone = false;
  std::optional<double> total_delta;
  bool any_delta = false;
  Limits limits;  ///< of epsilon only
  std::string labels;
  bool force = false;
  std::string ledger;
  std::string ensemble;
  reports::LedgerAccess access;
  OutputOptions output;
};
void add_darrm(CommandLine& line, DarrmOptions& options);
[[nodiscard]] int run_darrm(const DarrmOptions& options, const Streams& streams);
/// The same with coins from `source`: for tests.
[[nodiscard]] int run_darrm(const DarrmOptions& options, const Streams& streams, BitSource& source);

/// `pate nzc VOTES`: what the authors of the "immutable noisy argmax" claim of it, and what holds.
struct NzcOptions {
  VotesInputOptions input;
  std::optional<double> scale, sigma;
  std::optional<double> tau, constant;
  double delta = 0.0;
  bool any_delta = false;
  OutputOptions output;
};
void add_nzc(CommandLine& line, NzcOptions& options);
[[nodiscard]] int run_nzc(const NzcOptions& options, const Streams& streams);

/// `pate multilabel VOTES`: what queries with several labels cost, by one way to vote on them or by
/// several side by side.
struct MultilabelOptions {
  std::string votes;
  Layout layout = Layout::predictions;
  std::optional<std::int64_t> teachers;
  std::string queries;
  std::vector<std::string> mechanisms;
  std::vector<double> sigma2;
  double delta = 0.0;
  bool any_delta = false;
  bool exact = false;
  unsigned threads = 0;
  OutputOptions output;
};
void add_multilabel(CommandLine& line, MultilabelOptions& options);
[[nodiscard]] int run_multilabel(const MultilabelOptions& options, const Streams& streams);

/// `pate ledger FILE`: the account that a ledger keeps of its ensemble, entry by entry, with the
/// total. Reads only, a ledger that is being written is seen as it is; with `append` what others
/// did is written down first.
struct LedgerOptions {
  std::string ledger;
  reports::LedgerAccess access;
  bool repair = false;
  ForeignOptions foreign;
  bool append = false;
  RecordSettings total;
  bool any_delta = false;
  Limits limits;  ///< of epsilon only
  OutputOptions output;
};
void add_ledger(CommandLine& line, LedgerOptions& options);
[[nodiscard]] int run_ledger(const LedgerOptions& options, const Streams& streams);

/// `pate plan`: what a run costs at most, or which noise or number of queries a target allows;
/// without votes.
struct PlanOptions {
  MechanismOptions mechanism;
  std::optional<std::int64_t> queries;
  std::optional<std::int64_t> max_answers;
  std::string teacher_weights;
  /// Weights that are looked for: groups of teachers, what each may pay, where they are written.
  std::string groups, group_epsilon, weights_output;
  PlanSettings settings;
  bool any_delta = false;
  std::optional<double> epsilon;
  std::optional<PlanParameter> solve;
  Limits limits;  ///< of epsilon only
  /// A budget declared beforehand, and what simulated votes need to be like.
  std::optional<double> declared_epsilon;
  std::optional<Certificate> certificate;
  std::optional<std::int64_t> teachers, classes;
  std::string tables;
  unsigned threads = 0;
  std::optional<double> sensitivity_order;  ///< of what W19 says of the sensitivity
  ExportOptions exports;
  OutputOptions output;
};
void add_plan(CommandLine& line, PlanOptions& options);
[[nodiscard]] int run_plan(const PlanOptions& options, const Streams& streams);

/// `pate plot REPORT...`: a picture of reports, drawn by gnuplot.
struct PlotOptions {
  std::vector<std::string> reports;
  std::optional<FigureKind> kind;
  FigureSize size = FigureSize::column;
  std::string title;
  std::vector<std::string> labels;
  std::int64_t bins = 20;
  std::string output;
  bool script = false;  ///< the script instead of the picture
  bool quiet = false;
};
void add_plot(CommandLine& line, PlotOptions& options);
[[nodiscard]] int run_plot(const PlotOptions& options, const Streams& streams);

/// `pate report REPORT...`: reports as a page for people who run no commands.
struct ReportOptions {
  std::vector<std::string> reports;
  std::string controller, purpose, model, date;  ///< of the heading
  std::string output;
  bool no_pictures = false;
  bool public_only = false;
};
void add_report(CommandLine& line, ReportOptions& options);
[[nodiscard]] int run_report(const ReportOptions& options, const Streams& streams);

/// `pate table REPORT...`: reports as a table of a paper, one row each.
struct TableOptions {
  std::vector<std::string> reports;
  std::vector<reports::ResultColumn> columns;  ///< empty: those that the help names
  std::vector<std::string> labels;
  reports::TableFormat format = reports::TableFormat::markdown;
  std::string output = "-";
  bool quiet = false;
};
void add_table(CommandLine& line, TableOptions& options);
[[nodiscard]] int run_table(const TableOptions& options, const Streams& streams);

/// `pate cite`: how to cite the program and the papers.
struct CiteOptions {
  bool bibtex = false;
};
void add_cite(CommandLine& line, CiteOptions& options);
[[nodiscard]] int run_cite(const CiteOptions& options, const Streams& streams);

/// `pate release VOTES`: an epsilon that may be published.
struct ReleaseOptions {
  VotesInputOptions input;
  MechanismOptions mechanism;
  OutputOptions output;
  std::optional<ReleaseMethod> method;  ///< none: curve; as published: none
  ReleaseSettings settings;             ///< delta, confidence and threads of them
  bool any_delta = false;
  std::optional<GuaranteeKind> reading;  ///< none: joint; as published: expected
  std::optional<double> order, s, beta, sigma_ss;
  std::optional<double> orders_for, floor;  ///< of a curve by complex orders
  std::optional<double> at_most;            ///< the claim of a test
  /// Of that test, or of a curve; none: what suits the run.
  std::optional<Certificate> certificate;
  std::string parameters_from;
  bool parameters_from_labels = false;
  bool rows_from_answers = false;  ///< refused
  bool other_teachers = false;
  bool require_releasable = false;
  bool dry_run = false;
  std::string ledger;
  std::string ensemble;
  reports::LedgerAccess access;
  bool again = false;
  bool as_published = false;
  bool sensitivity_curve = false;
  std::string tables;
  std::optional<CurveCost> cost;  ///< of a curve; none: what suits the aggregator
  std::optional<Bound> bound;     ///< none: of gnss tradeoff; as published: published
};
void add_release(CommandLine& line, ReleaseOptions& options);
[[nodiscard]] int run_release(const ReleaseOptions& options, const Streams& streams);
/// `pate release VOTES --as-published --dry-run`: what the 2018 paper's procedure would do.
[[nodiscard]] int run_as_published(const ReleaseOptions& options, const Streams& streams);

/// `pate simulate`: makes a plausible vote dump to try things on: the votes to the file of -o
/// (int64 in .npy, or text with a header in .csv and .tsv; "-" is standard output, .npy), the true
/// classes beside them when asked for, and one line about it to standard error.
///
/// Throws `usage_error` when both outputs are the same file, and when one is there already unless
/// `force`, `parameter_error` for a parameter out of its domain, a file of more than 8 GiB and a
/// name with another ending, `output_error` when a file cannot be written. The same seed gives the
/// same votes in every layout.
struct SimulateOptions {
  SimulationSettings ensemble;
  Layout layout = Layout::counts;
  std::string output;
  std::string labels_output;  ///< empty: the true classes are not written
  bool force = false;         ///< replace files that are there
  bool quiet = false;
  ProgressWhen progress = ProgressWhen::terminal;
};
void add_simulate(CommandLine& line, SimulateOptions& options);
[[nodiscard]] int run_simulate(const SimulateOptions& options, const Streams& streams);

/// `pate tune VOTES`: evaluates a grid of parameters; or tries some of them for real, with what
/// that costs.
struct TuneOptions {
  VotesInputOptions input;
  TuningOptions tuning;
  std::string account;  ///< "geometric:10"; empty: the choice is not accounted for
  std::string labels;   ///< of the best try
  bool force = false;   ///< replace an existing file of labels
  std::string ledger;
  std::string ensemble;
  reports::LedgerAccess access;
  OutputOptions output;
};
void add_tune(CommandLine& line, TuneOptions& options);
[[nodiscard]] int run_tune(const TuneOptions& options, const Streams& streams);

/// `pate tune VOTES --account LAW:K`, with noise and numbers from `source`.
[[nodiscard]] int run_private_search(const TuneOptions& options, const Streams& streams,
                                     BitSource& source);

}  // namespace pate::cli
