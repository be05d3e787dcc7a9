#include "cli/options/votes_input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/exit_status.hpp"
#include "cli/options/exclusions.hpp"
#include "pate/base/digests.hpp"
#include "pate/base/error.hpp"
#include "pate/base/parallel/parallel_for.hpp"
#include "pate/inspection/beside_votes.hpp"
#include "pate/inspection/improbable.hpp"
#include "pate/votes/headings.hpp"
#include "pate/votes/helped_table.hpp"
#include "pate/votes/query_columns.hpp"
#include "pate/votes/tables/votes_digest.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate::cli {

namespace {

std::shared_ptr<const NumericTable> open_file(VotesInput& input, const char* role,
                                              const std::string& path,
                                              const FirstLine& first_line = {}) {
  input.files.push_back({role, path, io::open_table(path, first_line)});
  const auto& table = input.files.back().opened.table;
  const ColumnHeader header = table->header();
  // By what the file is for and not by its path: these notices may be published.
  if (header.counted) {
    input.notices.push_back(
        {"header_left_out",
         fmt::format("{}: the first line, 0 to {}, cannot be votes and was taken for the names of "
                     "columns that pandas writes; --header no takes it for votes",
                     role, table->columns() - 1)});
  }
  if (std::string_view(role) == "votes" && !header.names.empty() && !header.counted) {
    input.notices.push_back(
        {"header_names",
         "votes: the first line was taken for the names of columns and left out; --header no takes "
         "it for votes"});
  }
  if (header.left_out_index) {
    input.notices.push_back(
        {"index_left_out",
         fmt::format("{}: the first column was taken for an index of the rows, by its heading or "
                     "--index-column yes, and left out{}",
                     role,
                     header.index_counts ? ""
                                         : "; it is not 0, 1, 2, ...: rows are numbered as they "
                                           "lie in the file")});
  }
  if (header.comments > 0) {
    input.notices.push_back(
        {"comments_left_out",
         fmt::format("{}: {} that begin{} with # {} left out, as comments", role,
                     header.comments == 1 ? "1 line" : fmt::format("{} lines", header.comments),
                     header.comments == 1 ? "s" : "", header.comments == 1 ? "was" : "were")});
  }
  return table;
}

constexpr std::int64_t kAbstained = -1;

FirstLine first_line_of(const VotesInputOptions& options) {
  using Counting = FirstLine::Counting;
  FirstLine result;
  result.counting = options.layout == Layout::counts ? Counting::counts : Counting::class_ids;
  result.classes = options.classes.number().value_or(0);
  if (options.header) result.is_header = *options.header == YesNo::yes;
  if (options.index_column) result.index_column = *options.index_column == YesNo::yes;
  if (options.layout != Layout::counts) {
    if (options.abstentions) result.missing = kAbstained;
    result.class_names = options.classes.names;
  }
  result.stack_members = options.layout == Layout::predictions;
  return result;
}

// How labels and decisions are read, which may be names of classes; of decisions what is missing
// was refused.
FirstLine reading_of_labels(const VotesInputOptions& options, bool decisions) {
  FirstLine result;
  result.class_names = options.classes.names;
  result.takes_class_names = true;
  if (decisions) result.missing = kAbstained;
  return result;
}

// Counts have a column for each class, in the order of the names.
void check_class_names(const VotesInputOptions& options, const NumericTable& table) {
  const std::vector<std::string>& names = options.classes.names;
  const std::vector<std::string> headings = table.header().names;
  if (options.layout != Layout::counts || headings.empty()) return;
  if (names.empty()) return check_class_headings(table, options.classes.number());
  if (names == headings) return;
  throw input_error(fmt::format("{}: --classes says {}, but the columns are called {}",
                                table.name(), fmt::join(names, ","), fmt::join(headings, ",")));
}

// Standard input can be read once.
void check_standard_input(const VotesInputOptions& options) {
  const char* reader = nullptr;
  for (const auto& [role, path] :
       {std::pair("VOTES", &options.votes), std::pair("--indices", &options.indices),
        std::pair("--student", &options.student), std::pair("--labels", &options.labels),
        std::pair("--decisions", &options.decisions)}) {
    if (*path != "-") continue;
    refuse(reader != nullptr,
           "- (standard input) can be read for one file only, got it for {} and {}", reader, role);
    reader = role;
  }
}

std::unique_ptr<VoteSource> open_source(const VotesInputOptions& options,
                                        std::shared_ptr<const NumericTable>& table) {
  table = std::make_shared<const HelpedTable>(
      table, VotesWanted{options.layout != Layout::counts, options.teachers,
                         options.layout == Layout::predictions_by_query});
  check_class_names(options, *table);
  std::optional<std::int64_t> classes = options.classes.number();
  const auto check_classes = [&](std::int64_t found, const char* what) {
    if (!classes || *classes == found) return;
    throw input_error(fmt::format("{}: --classes says {} classes, but {} {}", table->name(),
                                  *classes, what, found));
  };
  refuse_long_table(*table);
  if (options.layout == Layout::counts) {
    refuse_ones_only(*table, options.teachers);
    auto votes =
        std::make_unique<CountVotes>(table, options.abstentions ? options.teachers : std::nullopt,
                                     options.abstentions.value_or(Abstentions::as_class));
    check_classes(table->columns(), "the columns of the file are");
    return votes;
  }
  if (table->dimensions() == 3) {
    auto ids = std::make_shared<const OneHotPredictions>(
        table, options.layout == Layout::predictions_by_query);
    if (classes && *classes != ids->classes()) {
      throw input_error(
          fmt::format("{}: --classes says {} classes, but those of the one-hot predictions are {}",
                      table->name(), *classes, ids->classes()));
    }
    classes = ids->classes();
    table = std::move(ids);
  }
  if (!classes) {
    throw usage_error(fmt::format(
        "--layout {} needs --classes K: a class that nobody votes for takes part in the noisy "
        "maximum too",
        option_word(options.layout)));
  }
  return std::make_unique<PredictionVotes>(table,
                                           options.layout == Layout::predictions
                                               ? PredictionLayout::teachers_by_queries
                                               : PredictionLayout::queries_by_teachers,
                                           *classes, options.abstentions);
}

// VOTES with --member as it is opened: ARCHIVE.npz:MEMBER.
std::string votes_path(const VotesInputOptions& options) {
  if (options.member.empty()) return options.votes;
  const std::string file = io::table_path(options.votes);
  if (!file.ends_with(".npz")) {
    throw usage_error(
        fmt::format("--member needs an .npz archive, got {}", io::printable(options.votes)));
  }
  std::string path = fmt::format("{}:{}", file, options.member);
  if (file != options.votes && path != options.votes) {
    throw usage_error(fmt::format("VOTES names the member {}, --member {}",
                                  io::printable(options.votes.substr(file.size() + 1)),
                                  io::printable(options.member)));
  }
  return path;
}

// What abstentions do to everything else.
Notice abstentions_notice(const VoteSource& votes) {
  if (votes.leaves_out_abstentions()) {
    return {"abstentions_left_out",
            fmt::format("teachers that abstain are left out of a query: it has at most the votes "
                        "of the {} teachers, and who votes otherwise can move a vote, take it back "
                        "or add one. Costs hold for each of these, with --neighbours add-remove "
                        "for the last two; shares of the teachers are of all {}",
                        votes.teachers(), votes.teachers())};
  }
  return {"abstentions_class",
          fmt::format(
              "teachers that abstain vote for a class of its own, {} (none), beside the {} "
              "others: all {} teachers take part in every query, with one vote each, and where {} "
              "is the answer there is no label, at the same cost",
              votes.classes() - 1, votes.classes() - 1, votes.teachers(), votes.classes() - 1)};
}

// Options that say how a file is read, without the file.
void check_readings(const VotesInputOptions& options) {
  const auto needs = [](bool given, const std::string& file, const char* option,
                        const char* needed) {
    refuse(given && file.empty(), "{} needs {}", option, needed);
  };
  refuse(options.layout == Layout::counts && options.abstentions && !options.teachers,
         "--abstentions needs --teachers M with --layout counts: those of M teachers whose votes "
         "are missing in a row abstained");
  refuse(options.makes_something && !options.teachers,
         "--teachers M is required: how many teachers there are decides what one of them can "
         "change, and is a fact of the experiment, not of the file");
  needs(options.indices_are.has_value(), options.indices, "--indices-are", "--indices");
  needs(options.rows_from.has_value(), options.indices, "--rows-from", "--indices");
  needs(options.labels_rows.has_value(), options.labels, "--labels-rows", "--labels");
  needs(options.decisions_are.has_value(), options.decisions, "--decisions-are", "--decisions");
  needs(options.decisions_rows.has_value(), options.decisions, "--decisions-rows", "--decisions");
}

// The row numbers, unless they look like something else that is given for them.
std::vector<std::int64_t> rows_of(const VotesInputOptions& options, const NumericTable& table,
                                  const VoteSource& votes) {
  std::vector<std::int64_t> rows = read_indices(table);
  if (options.indices_are) return rows;
  const std::string other = what_rows_look_like(rows, table, votes);
  if (other.empty()) return rows;
  throw input_error(fmt::format(
      "{}: expected row numbers of the votes, found what looks like {}: each query would be "
      "charged "
      "as one of the first {} rows. Leave --indices out for all rows; if they are row numbers, say "
      "so with --indices-are rows",
      table.name(), other, votes.classes()));
}

// Nothing to account for is more often a job that failed than a run without queries.
void check_not_empty(const VotesInputOptions& options, const VoteSource& votes,
                     const RowSelection& rows) {
  if (options.allow_empty || !rows.empty()) return;
  constexpr const char* kAllowed = "add --allow-empty if there are to be none";
  if (votes.queries() == 0) {
    throw input_error(fmt::format("{}: expected the votes of at least one query, found none; {}",
                                  votes.name(), kAllowed));
  }
  throw input_error(fmt::format("{}: expected at least one row number, found none; {}",
                                options.indices, kAllowed));
}

}  // namespace

std::vector<std::string> input_paths(const VotesInputOptions& options) {
  std::vector<std::string> paths;
  for (const std::string* path :
       {&options.votes, &options.indices, &options.student, &options.labels, &options.decisions}) {
    if (!path->empty()) paths.push_back(io::table_path(*path));
  }
  return paths;
}

std::vector<Notice> VotesInput::doubts() const {
  std::vector<Notice> result;
  for (const ContentDoubt& doubt : contents) result.push_back(doubt.notice);
  result.insert(result.end(), notices.begin(), notices.end());
  return result;
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
      entry.teachers_from = teachers_said ? "person" : "file";
      entry.votes_digest = io::votes_digest(*votes, rows);
    }
    result.push_back(std::move(entry));
  }
  return result;
}

std::future<std::vector<reports::InputFile>> VotesInput::describe_async(unsigned threads) const {
  io::load_digests();
  const auto task = [this] { return describe(); };
  if (threads != 1 && threads_with_room(1) > 0) {
    try {
      return std::async(std::launch::async, task);
    } catch (const std::system_error&) {
      // Then not beside, but when it is asked for.
    }
  }
  return std::async(std::launch::deferred, task);
}

void VotesInput::check_unchanged() const {
  for (const File& file : files) file.opened.check_unchanged();
}

VotesInput open_votes(const VotesInputOptions& options) {
  refuse(!options.queries.empty() && !options.indices.empty(),
         "--queries and --indices exclude each other");
  check_readings(options);
  check_standard_input(options);
  VotesInput input;
  input.layout = options.layout;
  std::optional<RowSelection> range;
  if (!options.queries.empty()) range = parse_row_range(options.queries);
  auto table = open_file(input, "votes", votes_path(options), first_line_of(options));
  input.votes = open_source(options, table);
  input.teachers_said = options.teachers.has_value();
  const VoteSource& votes = *input.votes;
  if (input.files.front().opened.table->dimensions() == 3) {
    input.notices.push_back(
        {"one_hot",
         fmt::format("votes: one-hot predictions of {} teachers, {} queries and {} classes, {}",
                     votes.teachers(), votes.queries(),
                     input.files.front().opened.table->description().shape.back(),
                     options.layout == Layout::predictions ? "along the axes in this order"
                                                           : "along the axes 1, 0 and 2")});
  }
  if (options.abstentions) input.notices.push_back(abstentions_notice(votes));
  const VotesLookedAt looked_at{votes, input.rows, *table, options.layout, options.teachers};
  if (options.teachers) check_teachers(looked_at, *options.teachers);
  input.rows = RowSelection::all(votes.queries());
  if (range) input.rows = *range;
  if (!options.indices.empty()) {
    const auto numbers = open_file(input, "indices", options.indices);
    input.rows = RowSelection::list(rows_of(options, *numbers, votes), options.indices);
  }
  input.rows.check(votes.name(), votes.queries());
  check_not_empty(options, votes, input.rows);
  input.contents = content_doubts(looked_at);
  refuse_doubted(votes.name(), input.contents, options.accepted,
                 options.makes_something || options.has_limits);
  const bool has_none = options.abstentions == Abstentions::as_class;
  const std::int64_t labelled = votes.classes() - (has_none ? 1 : 0);
  if (!options.student.empty()) {
    const auto scores = open_file(input, "student", options.student);
    if (has_none && scores->columns() == labelled) {
      throw input_error(
          fmt::format("{}: expected {} columns, found {}: with --abstentions class the last is the "
                      "score of the "
                      "class none, zeros where the student never abstains",
                      scores->name(), votes.classes(), labelled));
    }
    if (options.layout == Layout::counts) check_class_names(*table, *scores);
    input.student = std::make_unique<StudentScores>(scores, votes.queries(), votes.classes());
    if (auto doubt = student_doubt(votes, input.rows, *input.student, scores->name())) {
      input.notices.push_back(*std::move(doubt));
    }
  }
  const VotesShape beside{votes.queries(), votes.classes(), input.rows};
  if (!options.labels.empty()) {
    input.labels =
        read_labels(*open_file(input, "labels", options.labels, reading_of_labels(options, false)),
                    {votes.queries(), labelled, input.rows}, options.labels_rows);
    if (auto notice = labels_at_chance(votes, input.rows, *input.labels, "labels",
                                       io::printable(options.labels))) {
      input.notices.push_back(*std::move(notice));
    }
  }
  if (!options.decisions.empty()) {
    Decisions read = read_decisions(
        *open_file(input, "decisions", options.decisions, reading_of_labels(options, true)), beside,
        options.decisions_are, options.decisions_rows);
    input.decisions = std::move(read.answered);
    input.released = std::move(read.labels);
  }
  return input;
}

void doubt_decisions(const Run& run, const VotesInputOptions& options, VotesInput& input,
                     const std::function<std::string()>& whole) {
  const auto add = [&](std::optional<ContentDoubt> doubt) {
    if (!doubt) return;
    refuse_doubted(run.votes.name(), {&*doubt, 1}, options.accepted,
                   options.makes_something || options.has_limits);
    input.contents.push_back(*std::move(doubt));
  };
  const std::string path = io::printable(options.decisions);
  auto decisions = decisions_doubt(run, path);
  // A list of the rows that were answered is no list that was asked.
  if (decisions && !options.indices.empty() && !options.rows_from) {
    decisions->weight = Weight::certain;
    decisions->notice.message +=
        "; if --indices lists the rows that were answered, leave it out: a refusal costs, too";
  }
  add(std::move(decisions));
  if (!input.released.empty()) add(labels_doubt(run, input.released, path));
  if (options.indices.empty() || options.rows_from || options.makes_something) return;
  // Where nothing is refused, or decisions say what was, no list hides refusals.
  if (run.decisions || !run.aggregator.refuses()) return;
  const auto file = std::ranges::find(input.files, "indices", &VotesInput::File::role);
  add(rows_doubt(run, io::printable(options.indices), whole ? whole() : "",
                 answered_line(*file->opened.table, run.votes.queries())));
}

void require_rows_from(const VotesInputOptions& options, bool from_answers) {
  if (options.indices.empty() || options.rows_from || from_answers) return;
  throw usage_error(
      "--indices needs --rows-from random, public or earlier: where the list comes from. Rows that "
      "were chosen by these votes tell of them, and rows that were refused cost, too");
}

TeacherGroups open_groups(const std::string& path, VotesInput& input) {
  io::OpenedGroups opened = io::open_teacher_groups(path, input.votes->teachers());
  input.files.push_back({"groups", path, std::move(opened.opened)});
  return std::move(opened.groups);
}

}  // namespace pate::cli
