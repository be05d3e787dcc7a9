#include "pate/mechanisms/gaussian_noisy_max.hpp"

#include <cmath>
#include <numbers>

#include "pate/math/normal.hpp"
#include "pate/mechanisms/positive_parameter.hpp"
#include "pate/mechanisms/union_bound.hpp"

namespace pate {

void validate(const GaussianNoisyMax& mechanism, const char* name) {
  require_positive(mechanism.sigma, name);
}

double log_pair_probability(const GaussianNoisyMax& mechanism, std::int64_t gap) {
  return log_normal_cdf(-static_cast<double>(gap) / (std::numbers::sqrt2 * mechanism.sigma));
}

double log_q(const GaussianNoisyMax& mechanism, std::span<const std::int32_t> counts) {
  validate(mechanism);
  return log_union_bound(counts,
                         [&](std::int64_t gap) { return log_pair_probability(mechanism, gap); });
}

}  // namespace pate
