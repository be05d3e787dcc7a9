#include "cli/options/votes_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/exit_status.hpp"
#include "pate/error.hpp"
#include "pate/io/digests.hpp"
#include "pate/votes/query_columns.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate::cli {

namespace {

std::shared_ptr<const NumericTable> open_file(VotesInput& input, const char* role,
                                              const std::string& path) {
  input.files.push_back({role, path, io::open_table(path)});
  return input.files.back().opened.table;
}

// Standard input can be read once.
void check_standard_input(const VotesInputOptions& options) {
  const char* reader = nullptr;
  for (const auto& [role, path] :
       {std::pair("VOTES", &options.votes), std::pair("--indices", &options.indices),
        std::pair("--student", &options.student), std::pair("--labels", &options.labels),
        std::pair("--decisions", &options.decisions)}) {
    if (*path != "-") continue;
    if (reader != nullptr) {
      throw usage_error(fmt::format(
          "- (standard input) can be read for one file only, got it for {} and {}", reader, role));
    }
    reader = role;
  }
}

std::unique_ptr<VoteSource> open_source(const VotesInputOptions& options,
                                        std::shared_ptr<const NumericTable> table) {
  if (options.layout == Layout::counts) {
    auto votes = std::make_unique<CountVotes>(std::move(table));
    if (options.classes && *options.classes != votes->classes()) {
      throw input_error(fmt::format("{}: --classes says {} classes, but the file has {} columns",
                                    votes->name(), *options.classes, votes->classes()));
    }
    return votes;
  }
  if (!options.classes) {
    throw usage_error(fmt::format(
        "--layout {} needs --classes K: a class that nobody votes for takes part in the noisy "
        "maximum too",
        option_word(options.layout)));
  }
  return std::make_unique<PredictionVotes>(std::move(table),
                                           options.layout == Layout::predictions
                                               ? PredictionLayout::teachers_by_queries
                                               : PredictionLayout::queries_by_teachers,
                                           *options.classes);
}

}  // namespace

void add_votes_input_options(CommandLine& line, VotesInputOptions& options,
                             const std::vector<std::string_view>& without) {
  line.section("").add("VOTES TEXT", options.votes,
                       "votes: .npy, .npz:member, .csv, .tsv,\n"
                       "gzip of these, or - for standard input",
                       {.required = true, .may_be_empty = true});
  const Section votes = line.section("Votes", without);
  votes.add("--layout LAYOUT", options.layout,
            {Layout::counts, Layout::predictions, Layout::predictions_by_query},
            "counts (queries x classes), predictions");
  votes.add("--classes K", options.classes, "number of classes; predictions need it");
  votes.add("--teachers M", options.teachers, "number of teachers, to check the votes");
  votes.add("--queries N|A:B", options.queries, "the first N rows, or rows A to B-1");
  votes.add("--indices FILE", options.indices, "row numbers to use, one per query");
  votes.add("--student FILE", options.student, "student scores: Interactive aggregator");
  votes.add("--labels FILE", options.labels, "true class ids, for the utility");
  votes.add("--decisions FILE", options.decisions, "which queries the run answered");
}

std::vector<std::string> input_paths(const VotesInputOptions& options) {
  std::vector<std::string> paths;
  for (const std::string* path :
       {&options.votes, &options.indices, &options.student, &options.labels, &options.decisions}) {
    if (!path->empty()) paths.push_back(io::table_path(*path));
  }
  return paths;
}

std::vector<reports::InputFile> VotesInput::describe() const {
  std::vector<reports::InputFile> result;
  for (const File& file : files) {
    const TableDescription description = file.opened.table->description();
    reports::InputFile entry{file.role,
                             file.path,
                             description.format,
                             description.dtype,
                             description.shape,
                             file.opened.sha256(),
                             {},
                             {}};
    if (file.role == "votes") {
      entry.layout = option_word(layout);
      entry.votes_digest = io::votes_digest(*votes, rows);
    }
    result.push_back(std::move(entry));
  }
  return result;
}

void VotesInput::note_ambiguous_decisions(std::vector<Notice>& notices) const {
  if (votes->classes() > 2) return;
  const bool ambiguous = std::any_of(files.begin(), files.end(), [](const File& file) {
    if (file.role != "decisions" || file.opened.table->description().dtype == "|b1") return false;
    const NumericTable& table = *file.opened.table;
    std::vector<std::int64_t> values(static_cast<std::size_t>(table.rows()));
    table.read_integers(0, table.rows(), 0, 1, values);
    return std::all_of(values.begin(), values.end(),
                       [](std::int64_t v) { return v == 0 || v == 1; });
  });
  if (!ambiguous) return;
  notices.push_back(
      {"decisions_ambiguous",
       "every entry of --decisions is 0 or 1: 0 was taken as refused, not as a released label"});
}

void VotesInput::check_unchanged() const {
  for (const File& file : files) file.opened.check_unchanged();
}

VotesInput open_votes(const VotesInputOptions& options) {
  if (!options.queries.empty() && !options.indices.empty()) {
    throw usage_error("--queries and --indices exclude each other");
  }
  check_standard_input(options);
  VotesInput input;
  input.layout = options.layout;
  std::optional<RowSelection> range;
  if (!options.queries.empty()) range = parse_row_range(options.queries);
  input.votes = open_source(options, open_file(input, "votes", options.votes));
  const VoteSource& votes = *input.votes;
  if (options.teachers && votes.queries() > 0 && *options.teachers != votes.teachers()) {
    throw input_error(fmt::format("{}: --teachers says {} teachers, but the votes have {}",
                                  votes.name(), *options.teachers, votes.teachers()));
  }
  input.rows = RowSelection::all(votes.queries());
  if (range) input.rows = *range;
  if (!options.indices.empty()) {
    const auto table = open_file(input, "indices", options.indices);
    input.rows = RowSelection::list(read_indices(*table), options.indices);
  }
  input.rows.check(votes.name(), votes.queries());
  if (!options.student.empty()) {
    input.student = std::make_unique<StudentScores>(open_file(input, "student", options.student),
                                                    votes.queries(), votes.classes());
  }
  if (!options.labels.empty()) {
    input.labels =
        read_labels(*open_file(input, "labels", options.labels), votes.queries(), votes.classes());
  }
  if (!options.decisions.empty()) {
    input.decisions = read_decisions(*open_file(input, "decisions", options.decisions),
                                     votes.queries(), input.rows);
  }
  return input;
}

}  // namespace pate::cli
