#pragma once

#include <vector>

#include "pate/inspection/content_doubts.hpp"

namespace pate {

/// Columns of predictions, or arrays of an archive with one a teacher, that are of no teacher by
/// what they are called; part of `content_doubts`: `label_column`.
void look_at_headings(const VotesLookedAt& looked_at, std::vector<ContentDoubt>& found);

}  // namespace pate
