#pragma once

namespace pate {

/// Throws `parameter_error` "NAME must be > 0 and finite, got VALUE" unless that holds; NaN fails.
/// So does noise below 1e-100 or above 1e100 votes, whose costs no double holds.
void require_positive(double value, const char* name);

}  // namespace pate
