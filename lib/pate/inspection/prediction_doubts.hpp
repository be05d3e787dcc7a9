#pragma once

#include <vector>

#include "pate/inspection/content_doubts.hpp"

namespace pate {

/// What the class ids of teachers betray; part of `content_doubts`, which has the codes. Looks at
/// the votes of all teachers on as many of the first queries as make half a million, 20 at least.
void look_at_predictions(const VotesLookedAt& looked_at, std::vector<ContentDoubt>& found);

}  // namespace pate
