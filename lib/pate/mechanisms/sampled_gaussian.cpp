#include "pate/mechanisms/sampled_gaussian.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pate/base/error.hpp"
#include "pate/mechanisms/noisy_max.hpp"

namespace pate {

const char* name(SampleOf of) {
  return of == SampleOf::teachers ? "sample_teachers" : "sample_records";
}

double SampledGaussian::mu() const {
  const double votes = of == SampleOf::teachers ? 1.0 : 2.0;
  const double squared = votes / sigma2 / sigma2 + (has_check() ? 1.0 / sigma1 / sigma1 : 0.0);
  return std::sqrt(squared) * (1.0 + 1e-15);
}

void validate(const SampledGaussian& sampled) {
  if (!(sampled.rate > 0.0 && sampled.rate < 1.0)) {
    throw parameter_error(fmt::format(
        "{} is a probability above 0 and below 1, got {}; without it every teacher votes",
        sampled.of == SampleOf::teachers ? "sample-teachers" : "sample-records", sampled.rate));
  }
  require_positive(sampled.sigma2, "sigma2");
  if (sampled.has_check() || std::isnan(sampled.sigma1) || sampled.sigma1 < 0.0) {
    require_positive(sampled.sigma1, "sigma1");
  }
}

}  // namespace pate
