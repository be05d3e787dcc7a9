#pragma once

#include <cstdint>
#include <string>

#include "pate/accounting/names.hpp"
#include "pate/votes/numeric_table.hpp"
#include "pate/votes/vote_source.hpp"

namespace pate {

/// Why a file may have the votes of other than `said` teachers, as the end of a message: it begins
/// with "; ", and is empty where nothing fits. `table` is the file as it was opened, of one-hot
/// predictions their ids. Reads the whole file; never throws for what is in it.
///
/// Of counts: a column of totals, another column that is no class, bytes that wrapped, several
/// votes a teacher or scaled ones, classes x queries, class ids, abstentions. Of predictions: the
/// other orientation, a column of labels or an index.
[[nodiscard]] std::string why_other_teachers(const VoteSource& votes, const NumericTable& table,
                                             Layout layout, std::int64_t said);

}  // namespace pate
