#include "pate/inspection/content_doubts.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/inspection/signs.hpp"

namespace pate {

namespace {

const double kRare = std::log(1e-5);

// Whether a rule holds where a person says how many teachers there are, and votes are as many.
enum class Said : std::uint8_t { the_same, doubtful, not_looked_for };

// What settles it beside --accept, as the message says it.
enum class Settles : std::uint8_t { accept, teachers, number };

struct Rule {
  std::string_view code;
  Statistic* statistic = nullptr;
  const char* sentence = nullptr;  // {0}, {1}, ... are the words of the sign
  Weight weight = Weight::doubtful;
  Said said = Said::the_same;
  Settles settles = Settles::accept;
  bool ends = false;  // rules below are not asked where this one speaks
};

using enum Weight;

// Each rule speaks where its sign is rarer among honest votes than 1e-5.
// NOLINTNEXTLINE(*-avoid-c-arrays): nobody counts its entries
const Rule kOfAll[] = {
    {"one_teacher", [](const FirstVotes& v) { return v.teachers == 1 ? Signs(1) : Signs(); },
     "there is one vote per query: these are labels rather than the votes of an ensemble"},
    {"one_class", [](const FirstVotes& v) { return v.classes == 1 ? Signs(1) : Signs(); },
     "there is one class: every answer is known beforehand and costs nothing, whatever teachers "
     "say; expected a column, or an id, for each class",
     certain},
};
// NOLINTNEXTLINE(*-avoid-c-arrays): nobody counts its entries
const Rule kOfCounts[] = {
    {"decimal_commas", zeros_between,
     "every second column is zero throughout, as where numbers like 3,0 have decimal commas: there "
     "would be {0} classes and not {1}; write the numbers whole, or with points",
     certain},
    {"totals_column", total_columns,
     "{0} is the sum of all others in every row, as a column of totals is, and wins every query: "
     "there would be {2} teachers and not {3}. What leaves it out: {1}",
     certain, Said::doubtful, Settles::teachers},
    {"label_column", [](const FirstVotes& v) { return unchanging_columns(v, true); },
     "{0} is {4} in every row, and no class by its heading: without it there would be {2} teachers "
     "and not {3}. What leaves it out: {1}",
     certain, Said::doubtful, Settles::teachers},
    {"constant_column", [](const FirstVotes& v) { return unchanging_columns(v, false); },
     "{0} is {4} in every row, as votes for a class hardly are: without it there would be {2} "
     "teachers and not {3}. What leaves it out: {1}",
     doubtful, Said::the_same, Settles::teachers},
    {"scaled_votes", common_divisor,
     "all counts are multiples of {0}, as where {1} teachers were scaled or have {0} votes each: "
     "then costs are larger than these",
     doubtful, Said::not_looked_for, Settles::number},
    {"several_votes", several_votes,
     "no class ever has more than {0} of the {1} votes, and half of the queries come near to that, "
     "as where each of {0} teachers gives {2} of them: then one teacher moves {2} votes, and costs "
     "are larger than these",
     doubtful, Said::not_looked_for, Settles::number},
    {"byte_counts", byte_counts,
     "the counts are bytes, and those above 255 have wrapped: there may be {0}, {1} or more "
     "teachers",
     doubtful, Said::not_looked_for, Settles::number},
    {"sorted_rows", rows_in_order,
     "the counts of every row are sorted, {0}: a label is the number of its column, and each would "
     "be {1}; expected one column for each class, in one order. Costs are the same",
     likely},
    {"looks_like_predictions", counts_like_ids,
     "the {0} classes never get more than {1} of {2} votes: if these are class ids and not counts, "
     "add \1layout predictions"},
    {"looks_transposed", equal_columns,
     "there are more classes ({0}) than queries ({1}), and every class has {2} votes: counts are "
     "queries x classes, is this the transpose?"},
};
// NOLINTNEXTLINE(*-avoid-c-arrays): nobody counts its entries
const Rule kOfPredictions[] = {
    {"label_column", headings_beside, "{0} is {1}, and no {2}'s votes. What leaves it out: {3}",
     certain, Said::doubtful, Settles::teachers},
    {"plus_minus_one", minus_for_zero,
     "all votes are -1 or 1, as those of two classes are: with \1abstentions -1 is no vote. What "
     "makes the classes 0 and 1 of them, to be read without it: {0}",
     certain, Said::the_same, Settles::accept, true},
    {"looks_one_hot", one_hot_blocks,
     "every {0} numbers are zeros and one 1, as one-hot predictions of {0} classes are that were "
     "made flat: store them in three dimensions, {1}, as a{2}.reshape({3}, {4}, {0}) does",
     certain, Said::the_same, Settles::accept, true},
    {"looks_like_counts", common_sum,
     "the numbers of every {0} add up to {1}, as counts of the votes of {1} teachers do and class "
     "ids do not: leave \1layout out{2}",
     certain, Said::the_same, Settles::accept, true},
    {"looks_long", pairs_once,
     "{0}s {1} and {2} never have the same pair of numbers twice, as query and teacher of a table "
     "with {3} for each vote: that has {4} and {5} of them, and no vote in these two{6}",
     certain, Said::doubtful, Settles::teachers, true},
    {"looks_transposed", other_orientation,
     "on one query {0} % of the pairs of teachers agree, but {1} % of the pairs of queries of one "
     "teacher: is it \1layout {2}, of {3} teachers? {4} says that it is not",
     likely},
    {"identical_teachers", one_voice,
     "all {0} teachers vote alike on all of {1} queries: was the array not filled, or is one "
     "teacher in the file {0} times? Then it changes all votes, and costs allow for one",
     likely},
    {"identical_teachers", copies,
     "{0} of {1} teachers vote as another does, like teachers {2} and {3}, on all of {4} queries, "
     "which is no chance: is a teacher in the file more than once? Then it changes more votes than "
     "costs allow for. Leave copies out; where they are meant, and one person's data are in all of "
     "them, \1teachers-per-person {5} counts that beside the option that accepts it",
     likely},
    {"constant_teachers", [](const FirstVotes& v) { return constant_voters(v, false); },
     "{0} of {1} teachers, like teacher {2}, vote {5} on all of {3} queries, as {6} % of the votes "
     "of the others do: are they missing? An array of zeros that was not filled has votes for "
     "class 0. Leave out those that did not vote",
     likely},
    {"silent_teachers", [](const FirstVotes& v) { return constant_voters(v, true); },
     "{0} of {1} teachers, like teacher {2}, never vote, on all of {3} queries: are there {4}? A "
     "teacher that is no part of the ensemble must not count. Leave them out",
     likely},
    {"plurality_column", always_plurality,
     "teacher {0} votes with the plurality on all of {1} queries, and the next best one on {2}: is "
     "it the plurality itself, or labels made of it, and there are {3} teachers?",
     likely},
};

std::string sentence(const Rule& rule, const Sign& sign) {
  fmt::dynamic_format_arg_store<fmt::format_context> words;
  for (const std::string& word : sign.words) words.push_back(word);
  return fmt::vformat(rule.sentence, words);
}

std::vector<std::pair<const Rule*, Signs>> signs_in(const VotesLookedAt& looked_at, bool said) {
  std::vector<std::pair<const Rule*, Signs>> found;
  const VoteSource& source = looked_at.votes;
  if (looked_at.rows.empty() || source.teachers() == 0) return found;
  const bool counts = looked_at.layout == Layout::counts;
  // Votes of which some are missing come with the number of teachers.
  const bool is_whole = !counts || (!source.leaves_out_abstentions() &&
                                    source.classes() == looked_at.table.columns());
  const FirstVotes votes = first_votes(looked_at);
  const auto ask = [&](std::span<const Rule> rules) {
    bool is_turned = false;
    for (const Rule& rule : rules) {
      if (said && rule.said == Said::not_looked_for) continue;
      // Queries on which all agree are taken for such teachers where a table lies transposed.
      if (is_turned && !said && rule.code == "constant_teachers") continue;
      Signs signs = rule.statistic(votes);
      std::erase_if(signs, [&](const Sign& sign) { return !(sign.log_chance < kRare); });
      if (signs.empty()) continue;
      is_turned = is_turned || rule.code == "looks_transposed";
      found.emplace_back(&rule, std::move(signs));
      if (rule.ends) return;
    }
  };
  ask(kOfAll);
  if (counts && is_whole) ask(kOfCounts);
  if (!counts && looked_at.table.rows() > 1 && looked_at.table.columns() > 1) ask(kOfPredictions);
  return found;
}

}  // namespace

std::vector<ContentDoubt> content_doubts(const VotesLookedAt& looked_at) {
  std::vector<ContentDoubt> doubts;
  const bool said = looked_at.teachers.has_value();
  for (const auto& [rule, signs] : signs_in(looked_at, said)) {
    for (const Sign& sign : signs) {
      std::string message = sentence(*rule, sign);
      if (rule->settles == Settles::teachers) {
        message +=
            fmt::format("; if these are votes, say how many teachers there are with \1teachers {}",
                        looked_at.votes.teachers());
      } else if (rule->settles == Settles::number) {
        message += "; \1teachers M says how many there are";
      }
      const Weight most = said && rule->said == Said::doubtful ? doubtful : sign.most;
      doubts.push_back({{std::string(rule->code), std::move(message)},
                        std::min(rule->weight, most),
                        value_named<VotesDoubt>(rule->code)});
    }
  }
  return doubts;
}

std::string why_other_teachers(const VotesLookedAt& looked_at, std::int64_t said) {
  const VoteSource& votes = looked_at.votes;
  const NumericTable& table = looked_at.table;
  const std::int64_t found = votes.teachers();
  if (found == 0) return {};
  const RowSelection all = RowSelection::all(votes.queries());
  const VotesLookedAt whole{votes, all, table, looked_at.layout, {}};
  const bool counts = looked_at.layout == Layout::counts;
  const bool by_query = looked_at.layout == Layout::predictions_by_query;
  try {
    const FirstVotes first = first_votes(whole);
    // A number that fits is sign enough, however likely the rest.
    for (const Rule& rule : counts ? std::span<const Rule>(kOfCounts) : kOfPredictions) {
      if (counts && votes.classes() != table.columns()) break;
      if (!counts && (table.rows() < 2 || table.columns() < 2)) break;
      for (const Sign& sign : rule.statistic(first)) {
        if (sign.teachers == said) return "; " + sentence(rule, sign);
      }
    }
  } catch (const input_error&) {
    return {};
  }
  if (counts && said > found) {
    return "; if the others abstained, add \1abstentions, where a command has that; if a class "
           "nobody voted for has no column, or counts were cut, these are not all votes";
  }
  if (!counts && said == votes.queries()) {
    return fmt::format("; there are {} queries: it looks like \1layout {}", said,
                       by_query ? "predictions" : "predictions-by-query");
  }
  if (!counts && found == said + 1) {
    return fmt::format("; is one {} of labels, or an index of the rows?",
                       by_query ? "column" : "row");
  }
  return {};
}

}  // namespace pate
