#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/command_line.hpp"
#include "cli/options/votes_checks.hpp"
#include "pate/accounting/names.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"
#include "pate/votes/query_columns.hpp"
#include "pate/votes/row_selection.hpp"
#include "pate/votes/tables/open_table.hpp"
#include "pate/votes/tables/teacher_groups.hpp"
#include "pate/votes/vote_source.hpp"

template <>
inline constexpr std::array<pate::Named<pate::DecisionsAre>, 2> pate::kNames<pate::DecisionsAre>{{
    {pate::DecisionsAre::answered, "answered"},
    {pate::DecisionsAre::labels, "labels"},
}};
template <>
inline constexpr std::array<pate::Named<pate::RowsOf>, 2> pate::kNames<pate::RowsOf>{{
    {pate::RowsOf::file, "file"},
    {pate::RowsOf::selected, "selected"},
}};

namespace pate::cli {

/// What is said about a text: whether its first line is one of names, its first column an index.
enum class YesNo { yes, no };

}  // namespace pate::cli

template <>
inline constexpr std::array<pate::Named<pate::Abstentions>, 2> pate::kNames<pate::Abstentions>{{
    {pate::Abstentions::as_class, "class"},
    {pate::Abstentions::left_out, "left_out"},
}};
template <>
inline constexpr std::array<pate::Named<pate::cli::YesNo>, 2> pate::kNames<pate::cli::YesNo>{{
    {pate::cli::YesNo::yes, "yes"},
    {pate::cli::YesNo::no, "no"},
}};

namespace pate::cli {

/// The votes and the files beside them, as the command line names them.
struct VotesInputOptions {
  std::string votes;
  std::string member;  ///< of an archive: what `votes` may say, too, behind a colon
  Layout layout = Layout::counts;
  std::optional<std::int64_t> teachers;
  bool makes_something = false;  ///< labels, or a number to publish: `teachers` is required then
  bool has_limits = false;       ///< a pipeline goes on or stops by the number
  CountOrNames classes;
  std::optional<YesNo> header;
  std::optional<YesNo> index_column;
  std::optional<Abstentions> abstentions;
  bool may_leave_out_abstentions = false;  ///< what is computed of the votes holds without them
  std::string queries;
  std::string indices;
  std::optional<IndicesAre> indices_are;
  std::optional<RowsFrom> rows_from;
  std::vector<VotesDoubt> accepted;
  std::string student;
  std::string labels;
  std::string decisions;
  std::optional<RowsOf> labels_rows;
  std::optional<DecisionsAre> decisions_are;
  std::optional<RowsOf> decisions_rows;
  bool allow_empty = false;
};

/// Without the options named, and what goes with them.
void add_votes_input_options(CommandLine& line, VotesInputOptions& options,
                             std::vector<std::string_view> without = {});

/// The paths that will be read: of an archive's member that of the archive, of standard input
/// /dev/stdin.
[[nodiscard]] std::vector<std::string> input_paths(const VotesInputOptions& options);

/// The opened files.
struct VotesInput {
  std::unique_ptr<VoteSource> votes;
  RowSelection rows = RowSelection::all(0);
  std::unique_ptr<StudentScores> student;
  std::optional<std::vector<std::int32_t>> labels;
  std::optional<std::vector<std::uint8_t>> decisions;
  std::vector<std::int32_t>
      released;  ///< labels of the decisions, by row; none where they have none

  struct File {
    std::string role;
    std::string path;
    io::OpenedTable opened;
  };
  std::vector<File> files;
  Layout layout = Layout::counts;
  bool teachers_said = false;
  std::vector<Notice> notices;         ///< of how the files were read
  std::vector<ContentDoubt> contents;  ///< what is in the votes

  /// Those of the contents, and these.
  [[nodiscard]] std::vector<Notice> doubts() const;
  /// What the report says of the files, with their digests; reads them to the end.
  [[nodiscard]] std::vector<reports::InputFile> describe() const;
  /// The same in another thread; when it is asked for where there is no room for one, or where one
  /// is all that `threads` (0: all processors) allows. This must outlive it.
  [[nodiscard]] std::future<std::vector<reports::InputFile>> describe_async(unsigned threads) const;
  /// Throws `input_error` when a file has changed since it was opened.
  void check_unchanged() const;
};

/// Opens the files. Throws `usage_error` for options that do not fit together and `input_error` for
/// files that do not.
[[nodiscard]] VotesInput open_votes(const VotesInputOptions& options);

/// Adds to the input what decisions, released labels and a list of rows betray of a run. `whole`
/// says what all rows cost, where a command knows. Throws as `refuse_doubted`.
void doubt_decisions(const Run& run, const VotesInputOptions& options, VotesInput& input,
                     const std::function<std::string()>& whole = {});

/// Throws `usage_error` for labels, or a number to publish, of `--indices` of which nobody says
/// where they come from.
void require_rows_from(const VotesInputOptions& options, bool from_answers);

/// Reads who belongs together; the file becomes one of the inputs. Throws as `open_teacher_groups`.
[[nodiscard]] TeacherGroups open_groups(const std::string& path, VotesInput& input);

}  // namespace pate::cli
