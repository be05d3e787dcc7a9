#include "pate/mechanisms/laplace_noisy_max.hpp"

#include <cmath>

#include "pate/mechanisms/positive_parameter.hpp"
#include "pate/mechanisms/union_bound.hpp"

namespace pate {

void validate(const LaplaceNoisyMax& mechanism, const char* name) {
  require_positive(mechanism.scale, name);
}

double log_pair_probability(const LaplaceNoisyMax& mechanism, std::int64_t gap) {
  const double g = static_cast<double>(gap) / mechanism.scale;
  return std::log(0.25 * (2.0 + g)) - g;
}

double log_q(const LaplaceNoisyMax& mechanism, std::span<const std::int32_t> counts) {
  validate(mechanism);
  return log_union_bound(counts,
                         [&](std::int64_t gap) { return log_pair_probability(mechanism, gap); });
}

}  // namespace pate
