#include "pate/accounting/planning/agreement_outlook.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/lambert_w.hpp>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/mechanisms/outcomes.hpp"

namespace pate {

namespace {

// A check that tells queries apart by less answers nearly at random.
constexpr double kCheckTellsLittle = 0.2;

double lead_for(const GaussianNoisyMax& noise, double share) {
  return 2.0 * noise.sigma * boost::math::erfc_inv(2.0 * (1.0 - share));
}

// (2 + g) e^-g = c is -(2 + g) e^-(2 + g) = -c e^-2, on the branch where 2 + g > 1.
double lead_for(const LaplaceNoisyMax& noise, double share) {
  const double c = 4.0 * (1.0 - share);
  return noise.scale * (-2.0 - boost::math::lambert_wm1(-c * std::exp(-2.0)));
}

double lead_for(const OneLaplaceNoise& noise, double share) {
  return -2.0 * noise.scale * std::log(2.0 * (1.0 - share));
}

void check_ensemble(const PlannedRun& run, const PlannedEnsemble& ensemble) {
  require(ensemble.votes >= 1.0 && ensemble.votes < 2147483648.0,
          "teachers must be at least 1 and fewer than 2^31, got {}", ensemble.votes);
  if (ensemble.classes)
    require(*ensemble.classes >= 2, "classes must be at least 2, got {}", *ensemble.classes);
  if (run.one_noise && ensemble.classes.value_or(2) != 2) {
    throw parameter_error(fmt::format("one noise is for two classes, got {}", *ensemble.classes));
  }
}

}  // namespace

double lead_for_share(const NoisyMax& noisy_max, double share) {
  validate(noisy_max);
  require(share > 0.5 && share < 1.0, "a share must be > 1/2 and < 1, got {}", share);
  return noisy_max.visit([&](const auto& noise) { return lead_for(noise, share); });
}

std::optional<AgreementOutlook> agreement_outlook(const PlannedRun& run,
                                                  const std::optional<PlannedEnsemble>& ensemble) {
  validate(run);
  if (ensemble) check_ensemble(run, *ensemble);
  const auto noisy_max = run.noisy_max();
  if (!noisy_max || run.sampling) return std::nullopt;
  AgreementOutlook result;
  result.least_lead = std::ceil(lead_for_share(*noisy_max, kReliableShare));
  if (!ensemble) return result;
  const std::array<std::int32_t, 2> counts{static_cast<std::int32_t>(std::ceil(ensemble->votes)),
                                           0};
  UnanimousOutlook unanimous{*ensemble, 0.0, {}};
  unanimous.named = outcome_probability(
      *noisy_max, counts, 0, static_cast<std::size_t>(ensemble->classes.value_or(2) - 2));
  if (run.sigma1) {
    unanimous.check_tells = std::erf(ensemble->votes / (2.0 * std::numbers::sqrt2 * *run.sigma1));
  }
  result.unanimous = unanimous;
  return result;
}

double percent_at_most(double share) {
  return std::ceil(1000.0 * share - 1e-9) / 10.0;
}

std::vector<Notice> agreement_notices(const AgreementOutlook& outlook) {
  std::vector<Notice> notices;
  if (!outlook.unanimous) return notices;
  const auto& [ensemble, named, check_tells] = *outlook.unanimous;
  if (!(named >= kReliableShare)) {
    notices.push_back(
        {"low_agreement",
         fmt::format("even where all {:g} votes are for one class, {:.1f} % of the answers{} name "
                     "it: the noise drowns the votes; fewer queries, a larger epsilon or more "
                     "teachers leave more of them",
                     ensemble.votes, percent_at_most(named), ensemble.classes ? "" : " at most")});
  }
  if (check_tells && !(*check_tells >= kCheckTellsLittle)) {
    notices.push_back(
        {"check_at_random",
         fmt::format("the threshold check answers almost at random: a query on which all {:g} "
                     "votes agree passes it {:.1f} percentage points more often than any other at "
                     "most, whatever the threshold; less noise in the check costs more, and fewer "
                     "queries pay for it",
                     ensemble.votes, percent_at_most(*check_tells))});
  }
  return notices;
}

}  // namespace pate
