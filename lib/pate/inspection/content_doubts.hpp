#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/report.hpp"
#include "pate/votes/numeric_table.hpp"
#include "pate/votes/row_selection.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// The doubts about votes that may refuse them, by the code of their notice.
enum class VotesDoubt {
  totals_column,
  label_column,
  looks_transposed,
  looks_like_counts,
  looks_one_hot,
  looks_long,
  identical_teachers,
  constant_teachers,
  plurality_column,
  decimal_commas,
  improbable_decisions,
  improbable_labels,
  answered_rows,
  one_class,
  sorted_rows,
  silent_teachers,
  plus_minus_one,
  little_noise,  // of the mechanism: votes do not have it
};
template <>
inline constexpr std::array<Named<VotesDoubt>, 18> kNames<VotesDoubt>{{
    {VotesDoubt::totals_column, "totals_column"},
    {VotesDoubt::label_column, "label_column"},
    {VotesDoubt::looks_transposed, "looks_transposed"},
    {VotesDoubt::looks_like_counts, "looks_like_counts"},
    {VotesDoubt::looks_one_hot, "looks_one_hot"},
    {VotesDoubt::looks_long, "looks_long"},
    {VotesDoubt::identical_teachers, "identical_teachers"},
    {VotesDoubt::constant_teachers, "constant_teachers"},
    {VotesDoubt::plurality_column, "plurality_column"},
    {VotesDoubt::decimal_commas, "decimal_commas"},
    {VotesDoubt::improbable_decisions, "improbable_decisions"},
    {VotesDoubt::improbable_labels, "improbable_labels"},
    {VotesDoubt::answered_rows, "answered_rows"},
    {VotesDoubt::one_class, "one_class"},
    {VotesDoubt::sorted_rows, "sorted_rows"},
    {VotesDoubt::silent_teachers, "silent_teachers"},
    {VotesDoubt::plus_minus_one, "plus_minus_one"},
    {VotesDoubt::little_noise, "little_noise"},
}};

/// How much a doubt weighs: `doubtful`, votes may be so; `likely`, they are hardly so, and nothing
/// is to be made or published of them; `certain`, votes of an ensemble are not so.
enum class Weight { doubtful, likely, certain };

/// Something in the contents of a file which says that it is not what it is taken for.
struct ContentDoubt {
  Notice notice;
  Weight weight = Weight::doubtful;
  std::optional<VotesDoubt> kind = {};  ///< of those that may refuse
};

/// The votes with what is known of them beside their numbers.
struct VotesLookedAt {
  const VoteSource& votes;
  const RowSelection& rows;
  const NumericTable& table;  ///< as it was opened; of one-hot predictions their ids
  Layout layout = Layout::counts;
  std::optional<std::int64_t> teachers = {};  ///< as a person says; the same as of the votes
};

/// Returns what the first votes betray (2^18 counts, 2^19 class ids, 20 queries at least), by the
/// one table of rules in `content_doubts.cpp`: there each has its code, statistic, threshold,
/// sentence, weight and what settles it. Throws what reading throws.
[[nodiscard]] std::vector<ContentDoubt> content_doubts(const VotesLookedAt& looked_at);

/// Returns why a file may have the votes of other than `said` teachers, as the end of a message:
/// it begins with "; ", and is empty where nothing fits. The rules are those of `content_doubts`.
/// Never throws for what is in the file.
[[nodiscard]] std::string why_other_teachers(const VotesLookedAt& looked_at, std::int64_t said);

}  // namespace pate
