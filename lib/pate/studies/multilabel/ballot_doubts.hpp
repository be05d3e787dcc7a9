#pragma once

#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/studies/multilabel/label_ballots.hpp"

namespace pate {

/// Signs that ballots are not those of teachers on their own, as notices: teachers that give no
/// query any label (`silent_teachers`), and teachers whose ballots are all the same
/// (`identical_teachers`).
///
/// Both happen by chance where there are few queries, or where teachers agree on most: what is told
/// is expected less than once in a million such ensembles, were every label given independently
/// with the share of teachers that gave it. `counts` are those of the ballots.
[[nodiscard]] std::vector<Notice> ballot_doubts(const LabelBallots& ballots,
                                                const LabelCounts& counts);

}  // namespace pate
