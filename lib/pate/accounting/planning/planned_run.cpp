// What a planned run consists of: `PlannedRun` of plan.hpp.
#include <algorithm>

#include "pate/accounting/planning/plan.hpp"
#include "pate/base/require.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "pate/mechanisms/supports.hpp"

namespace pate {

std::int64_t PlannedRun::answers() const {
  return max_answers ? std::min(*max_answers, queries) : queries;
}

std::optional<StabilityTest> PlannedRun::tested() const {
  // PTR is for one vote that moves: `validate` says so of others.
  if (ptr_laplace) return StabilityTest::with_laplace(*ptr_laplace, ptr_delta.value_or(0));
  if (ptr_sparse) {
    return StabilityTest::sparse(*ptr_sparse, ptr_delta.value_or(0), max_refusals.value_or(0));
  }
  if (ptr_sparse_sigma) {
    return StabilityTest::sparse_gaussian(*ptr_sparse_sigma, ptr_delta.value_or(0),
                                          max_refusals.value_or(0), queries);
  }
  if (ptr_sigma) return StabilityTest::with_gaussian(*ptr_sigma, ptr_delta.value_or(0));
  return std::nullopt;
}

std::optional<SampledGaussian> PlannedRun::sampled() const {
  if (!sampling) return std::nullopt;
  return SampledGaussian{sampling->rate, sigma2.value_or(0.0), sigma1.value_or(0.0), sampling->of};
}

std::optional<NoisyMax> PlannedRun::noisy_max() const {
  if (sigma2) return NoisyMax{GaussianNoisyMax{*sigma2}};
  if (!laplace_scale) return std::nullopt;
  return one_noise ? NoisyMax{OneLaplaceNoise{*laplace_scale}}
                   : NoisyMax{LaplaceNoisyMax{*laplace_scale}};
}

namespace {

void check_sampled(const PlannedRun& run) {
  require(asked_of(run.sampling->of), Circumstances(run.neighbours)
                                          .with(Given::laplace, !run.sigma2)
                                          .with(Given::max_answers, run.max_answers.has_value()));
  validate(*run.sampled());
}

}  // namespace

void validate(const PlannedRun& run) {
  const int tests = static_cast<int>(run.ptr_laplace.has_value()) +
                    static_cast<int>(run.ptr_sigma.has_value()) +
                    static_cast<int>(run.ptr_sparse.has_value()) +
                    static_cast<int>(run.ptr_sparse_sigma.has_value());
  const bool is_sparse = run.ptr_sparse || run.ptr_sparse_sigma;
  if (tests > 0 || run.ptr_delta || run.max_refusals) {
    require(!run.sigma2 && !run.sigma1 && !run.laplace_scale && !run.max_answers && tests == 1 &&
                run.ptr_delta && is_sparse == run.max_refusals.has_value(),
            "PTR needs ptr-delta and one of ptr-laplace, ptr-sigma, ptr-sparse and "
            "ptr-sparse-sigma, the last two with max-refusals, and no other noise; max-answers "
            "changes no cost of it");
    (void)run.tested();
    require(Asked::ptr, run.neighbours);
  } else {
    require(run.sigma2.has_value() != run.laplace_scale.has_value(),
            "a plan needs the noise of the maximum: sigma2 or laplace-scale, one");
  }
  require(!run.one_noise || run.laplace_scale, "one noise goes with laplace-scale in a plan");
  validate(run.neighbours);
  if (const auto noisy_max = run.noisy_max()) validate(*noisy_max);
  require(!run.sigma1 || run.sigma2,
          "a threshold check (sigma1) goes with Gaussian noise (sigma2), not with Laplace");
  require(!run.max_answers || run.sigma1,
          "max-answers needs sigma1: without a threshold every query is answered");
  if (run.sigma2) require_positive(*run.sigma2, "sigma2");
  if (run.sigma1) require_positive(*run.sigma1, "sigma1");
  if (run.sampling) check_sampled(run);
  if (run.laplace_scale) require_positive(*run.laplace_scale, "laplace-scale");
  require(run.queries >= 1 && run.queries <= kMaxPlannedQueries,
          "queries must be at least 1 and at most {}, got {}", kMaxPlannedQueries, run.queries);
  if (run.max_answers)
    require(*run.max_answers >= 1, "max-answers must be at least 1, got {}", *run.max_answers);
}

}  // namespace pate
