#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
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
};
template <>
inline constexpr std::array<Named<VotesDoubt>, 11> kNames<VotesDoubt>{{
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

/// What the contents betray. The codes:
///
/// * `totals_column`: in every row one class has as many votes as all others together, on so many
///   different rows of at least three classes that it cannot be chance (below 1e-5 of one vote in
///   two, or its heading says so): certain, otherwise doubtful;
/// * `scaled_votes`: all counts are multiples of one number above 1, by chance in less than 1e-5;
/// * `several_votes`: no class ever has more than 1/g of the votes, 2 <= g <= 10, and in half of
///   the rows one has three quarters of that. Where g is more than half of the classes, one has 95
///   % of it once and 85 % in half of the rows: contested votes over g + 1 classes look alike. The
///   best g classes of teachers that hardly agree on one are not told from single votes, and those
///   of more than 10, or of all, not at all: --teachers M refuses them, whatever they look like;
/// * `byte_counts`: counts are bytes, which wrap at 256: the teachers may be 256 more;
/// * `label_column`: the heading of a column of predictions by query, the name of an array of an
///   archive with one a teacher, or the heading of a column that is the same in all rows of counts,
///   is that of labels or of an index: certain;
/// * `constant_column`: a class has the same votes, and some, in all of at least 8 different rows;
/// * `looks_transposed`: the class ids of one teacher agree more among each other than those of one
///   query, of at most 96 of each, by 0.05 and by 5 standard errors: likely; or teachers differ in
///   what they say where queries hardly do, as where most have one answer: doubtful.
/// * `decimal_commas`: of counts in a text with commas every second column, and no other one, is
///   zero throughout, and there are six at least: certain;
/// * `looks_like_counts`: class ids of every query, or of every teacher, have one sum, by chance in
///   less than 1e-5: certain;
/// * `looks_one_hot`: class ids are blocks of zeros and one 1 throughout: certain;
/// * `looks_long`: of three to five rows or columns of class ids two never have the same pair
/// twice,
///   by chance in less than 1e-5, as the numbers of queries and teachers where each vote has a row:
///   certain;
/// * `identical_teachers`: all teachers agree throughout, where teachers that err one time in 200
///   would by less than 1e-5 (else doubtful), or some that are not constant agree throughout, by
///   chance in less than 1e-5 where any two agree no more than pairs do on each query, for so many:
///   likely;
/// * `constant_teachers`: teachers that vote one class throughout, by the shares of the others in
///   less than 1e-5; likely where it is class 0, that of less than half of all other votes, and
///   there are several of them or it is the last one, and no other teacher is nearly as constant,
///   voting that class on four fifths of the queries or another one throughout;
/// * `plurality_column`: one teacher votes with the plurality throughout, by chance in less than
///   1e-3 where it does so no more than the next best: likely below 1e-5 of the first and the last;
/// * `one_teacher`: there is one vote a query, as labels are.
///
/// Where a person says how many teachers there are, and votes are as many, the first is doubtful at
/// most, and so are `label_column`, `looks_long` and `plurality_column`; `scaled_votes`,
/// `several_votes` and `byte_counts` are not looked for; `looks_transposed` is likely only where
/// there are as many queries as teachers. Reads selected votes as far as one of these can still be
/// true, and throws what reading throws.
[[nodiscard]] std::vector<ContentDoubt> content_doubts(const VotesLookedAt& looked_at);

}  // namespace pate
