#pragma once

namespace pate {

/// Throws `parameter_error` "NAME must be > 0 and finite, got VALUE" unless that holds; NaN fails.
void require_positive(double value, const char* name);

}  // namespace pate
