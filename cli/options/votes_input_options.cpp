#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/options/votes_input.hpp"

namespace pate::cli {

void add_votes_input_options(CommandLine& line, VotesInputOptions& options,
                             std::vector<std::string_view> without) {
  const auto has = [&](std::string_view option) {
    return std::ranges::find(without, option) == without.end();
  };
  if (!has("--labels")) without.emplace_back("--labels-rows");
  if (!has("--indices")) without.insert(without.end(), {"--indices-are", "--rows-from"});
  if (!has("--decisions")) {
    without.insert(without.end(), {"--decisions-are", "--decisions-rows"});
  }
  if (has("VOTES")) {
    line.section("").add(
        "VOTES TEXT", options.votes,
        "file of votes: .npy, .npz:member, .csv, .tsv, gzip of these, or - for standard input",
        {.required = true, .may_be_empty = true});
  }
  const Section votes = line.section("Votes", without);
  votes.add("--layout LAYOUT", options.layout,
            {Layout::counts, Layout::predictions, Layout::predictions_by_query},
            "array layout: counts (queries x classes), predictions (teachers x queries) or "
            "predictions-by-query");
  votes.add("--member NAME|all", options.member,
            "array of an .npz archive; all: its arrays one after another");
  votes.add("--classes K|NAMES", options.classes,
            "number of classes, or their names in a text file: cat,dog; needed for predictions");
  votes.add("--teachers M", options.teachers,
            options.makes_something
                ? "number of teachers of the ensemble (required)"
                : "number of teachers of the ensemble; default: what the votes add up to");
  constexpr const char* kAbstentions =
      "handling of abstentions (-1, zeros of one-hot, votes missing in counts): class counts "
      "them as an extra class";
  if (options.may_leave_out_abstentions) {
    votes.add("--abstentions WHAT", options.abstentions,
              {Abstentions::as_class, Abstentions::left_out},
              fmt::format("{}, left-out ignores them", kAbstentions));
  } else {
    votes.add("--abstentions WHAT", options.abstentions, {Abstentions::as_class}, kAbstentions);
  }
  votes.add("--header YES|NO", options.header, {YesNo::yes, YesNo::no},
            "whether the first line of a text file holds column names; default: detect");
  votes.add("--index-column YES|NO", options.index_column, {YesNo::yes, YesNo::no},
            "whether the first column of a text file is an index to leave out; default: detect");
  votes.add("--queries N|A:B", options.queries, "use only the first N rows, or rows A to B-1");
  votes.add("--indices FILE", options.indices, "file of row numbers to use, one per query");
  votes.add("--indices-are WHAT", options.indices_are, {IndicesAre::rows},
            "rows: confirm that --indices holds row numbers although they look like labels");
  votes.add("--rows-from WHERE", options.rows_from,
            {RowsFrom::random, RowsFrom::public_list, RowsFrom::earlier},
            "origin of the list of --indices, which these votes must not decide: random, public, "
            "or a file that is earlier than the votes");
  votes.add(
      "--accept DOUBTS", options.accepted,
      {VotesDoubt::totals_column, VotesDoubt::label_column, VotesDoubt::looks_transposed,
       VotesDoubt::looks_like_counts, VotesDoubt::looks_one_hot, VotesDoubt::looks_long,
       VotesDoubt::identical_teachers, VotesDoubt::constant_teachers, VotesDoubt::plurality_column,
       VotesDoubt::decimal_commas, VotesDoubt::improbable_decisions, VotesDoubt::improbable_labels,
       VotesDoubt::answered_rows, VotesDoubt::one_class, VotesDoubt::sorted_rows,
       VotesDoubt::silent_teachers, VotesDoubt::plus_minus_one, VotesDoubt::little_noise},
      "input warnings that must not refuse the votes, by the names that the refusal gives");
  votes.add("--student FILE", options.student,
            "file of the student's scores, for the Interactive aggregator");
  votes.add("--labels FILE", options.labels, "file of true class ids, for the accuracy");
  votes.add("--labels-rows WHOSE", options.labels_rows, {RowsOf::file, RowsOf::selected},
            "whether --labels has one label per row of the votes (file) or per selected query "
            "(selected)");
  votes.add("--decisions FILE", options.decisions, "file that says which queries the run answered");
  votes.add("--decisions-are WHAT", options.decisions_are,
            {DecisionsAre::answered, DecisionsAre::labels},
            "content of --decisions: answered (1, else 0) or labels (class ids, -1 for refused)");
  votes.add("--decisions-rows WHOSE", options.decisions_rows, {RowsOf::file, RowsOf::selected},
            "whether --decisions has one entry per row of the votes (file) or per selected query "
            "(selected)");
  votes.add("--allow-empty", options.allow_empty, "accept an input without queries");
}

}  // namespace pate::cli
