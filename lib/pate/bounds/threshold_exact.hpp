#pragma once

#include <cstdint>

#include "pate/mechanisms/threshold_check.hpp"

namespace pate {

/// Exact Renyi cost of one check at v: the larger direction of the divergence of the two answers'
/// distributions, over the neighbours v-1 and v+1 within 0..teachers. Rounded outwards; at most
/// order / (2 sigma1^2). Domain: 0 <= v <= teachers (`parameter_error` otherwise), order > 1.
[[nodiscard]] double threshold_exact(const ThresholdCheck& check, std::int64_t v,
                                     std::int64_t teachers, double order);

}  // namespace pate
