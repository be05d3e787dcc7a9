#include "pate/mechanisms/sampled_gaussian.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pate/base/error.hpp"
#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

double SampledGaussian::mu() const {
  const double squared = 1.0 / sigma2 / sigma2 + (has_check() ? 1.0 / sigma1 / sigma1 : 0.0);
  return std::sqrt(squared) * (1.0 + 1e-15);
}

void validate(const SampledGaussian& sampled) {
  if (!(sampled.rate > 0.0 && sampled.rate < 1.0)) {
    throw parameter_error(fmt::format(
        "sample-teachers is a probability above 0 and below 1, got {}; without it every "
        "teacher votes",
        sampled.rate));
  }
  require_positive(sampled.sigma2, "sigma2");
  if (sampled.has_check() || std::isnan(sampled.sigma1) || sampled.sigma1 < 0.0) {
    require_positive(sampled.sigma1, "sigma1");
  }
}

}  // namespace pate
