#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "pate/numerics/normal.hpp"
#include "pate/release/smooth/release_plan.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/test_bits.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// An ensemble whose every run can be looked at: all votes on one query, repeated.
struct Ensemble {
  std::int32_t teachers;
  std::size_t classes;
  Aggregator aggregator;
  int queries;
};

Ensemble confident(std::int32_t teachers, std::size_t classes, double threshold, double sigma1,
                   double sigma2, int queries) {
  Ensemble ensemble{teachers, classes, {}, queries};
  ensemble.aggregator.selection = ThresholdCheck{threshold, sigma1};
  ensemble.aggregator.noisy_max = GaussianNoisyMax{sigma2};
  return ensemble;
}

// Probabilities of every list of answers (refusals among them) of the run.
std::vector<double> answers(const Ensemble& ensemble, const Histogram& counts) {
  const double sigma2 = ensemble.aggregator.noisy_max.gaussian().sigma;
  std::vector<double> one;
  double answered = 1.0;
  if (ensemble.aggregator.selection) {
    const auto& check = *ensemble.aggregator.selection;
    const std::int32_t top = *std::max_element(counts.begin(), counts.end());
    answered = normal_cdf((top - check.threshold) / check.sigma1);
    one.push_back(normal_cdf((check.threshold - top) / check.sigma1));
  }
  for (const long double p : gaussian_outcomes(counts, sigma2)) {
    one.push_back(answered * static_cast<double>(p));
  }
  std::vector<double> all{1.0};
  for (int i = 0; i < ensemble.queries; ++i) {
    std::vector<double> longer;
    for (const double p : all) {
      for (const double q : one) longer.push_back(p * q);
    }
    all = longer;
  }
  return all;
}

VoteProfile profile(const Ensemble& ensemble, const Histogram& counts) {
  const std::int64_t v =
      ensemble.aggregator.selection ? *std::max_element(counts.begin(), counts.end()) : 0;
  return profile_of(
      ensemble.aggregator,
      std::vector<ProfiledQuery>(static_cast<std::size_t>(ensemble.queries), {counts, v}));
}

// What there is to a run on some votes: how likely its answers are, and its plan.
struct Seen {
  std::vector<double> answers;
  ReleasePlan plan;

  [[nodiscard]] double mean() const { return plan.rdp + plan.k * plan.numbers.noise_sd; }
  // Pr[released RDP <= z] before clamping.
  [[nodiscard]] double cdf(double z) const {
    return normal_cdf((z - mean()) / plan.numbers.noise_sd);
  }
};

// The largest of Pr[M(D) in S] - Int_S e^E dPr[M(D') = o] over all events S: the sum of the
// positive parts over lists of answers and a fine partition of released values. Within a part e^E
// is taken at its upper end, as the rounding up to the grid does.
double worst_event(const Seen& here, const Seen& there, double* without_cost) {
  constexpr int kParts = 3000;
  const double most = here.plan.largest_rdp;
  double worst = 0.0;
  *without_cost = 0.0;
  for (int i = 0; i <= kParts + 1; ++i) {
    // Atoms at both ends, which clamping makes.
    const double low = most * (i - 1) / kParts;
    const double high = most * std::min(i, kParts) / kParts;
    const double p = (i > kParts ? 1.0 : here.cdf(high)) - (i == 0 ? 0.0 : here.cdf(low));
    const double q = (i > kParts ? 1.0 : there.cdf(high)) - (i == 0 ? 0.0 : there.cdf(low));
    const double factor = std::exp(here.plan.epsilon(std::max(high, 0.0)));
    const double cheap =
        std::exp(here.plan.epsilon(std::max(high - here.plan.numbers.release_cost, 0.0)));
    for (std::size_t a = 0; a < here.answers.size(); ++a) {
      worst += std::max(p * here.answers[a] - factor * q * there.answers[a], 0.0);
      *without_cost += std::max(p * here.answers[a] - cheap * q * there.answers[a], 0.0);
    }
  }
  return worst;
}

}  // namespace

TEST_SUITE("release") {
  TEST_CASE("no event on any two neighbours breaks what is published") {
    const std::vector<Ensemble> ensembles{
        confident(5, 2, 3.5, 2.0, 1.5, 3),
        confident(4, 3, 2.5, 1.0, 1.0, 2),
        confident(8, 2, 9.0, 3.0, 2.0, 4),
        {6, 2, {std::nullopt, {GaussianNoisyMax{1.2}}, false}, 3}};
    double tightest = 0.0;
    for (const Ensemble& ensemble : ensembles) {
      const std::vector<Histogram> histograms = all_histograms(ensemble.teachers, ensemble.classes);
      for (const double confidence : {0.5, 0.9, 0.99}) {
        for (const double delta : {1e-3, 0.05}) {
          ReleaseSettings settings;
          settings.delta = delta;
          settings.confidence = confidence;
          settings.threads = 1;
          // Fixed for all votes: found on one of them.
          settings.parameters = release_plan(profile(ensemble, histograms[1]), settings).parameters;
          std::vector<Seen> seen;
          for (const Histogram& counts : histograms) {
            seen.push_back(
                {answers(ensemble, counts), release_plan(profile(ensemble, counts), settings)});
          }
          for (std::size_t i = 0; i < seen.size(); ++i) {
            for (std::size_t j = 0; j < seen.size(); ++j) {
              if (distance(histograms[i], histograms[j]) != 1) continue;
              double without_cost = 0.0;
              const double worst = worst_event(seen[i], seen[j], &without_cost);
              const double allowed = seen[i].plan.total_delta;
              CHECK_MESSAGE(worst <= allowed, show({{"worst", worst},
                                                    {"allowed", allowed},
                                                    {"confidence", confidence},
                                                    {"delta", delta}}));
              CHECK(without_cost >= worst);
              tightest = std::max(tightest, worst / allowed);
            }
          }
        }
      }
    }
    CHECK(tightest > 1e-4);
  }

  TEST_CASE("the number drawn has the distribution the plan says") {
    const Ensemble ensemble = confident(20, 3, 12.0, 6.0, 4.0, 10);
    ReleaseSettings settings;
    settings.delta = 1e-3;
    settings.confidence = 0.8;
    settings.threads = 1;
    const Seen seen{{}, release_plan(profile(ensemble, {15, 3, 2}), settings)};
    pate::test::TestBits source(20261121);
    constexpr int kDraws = 20000;
    std::vector<double> drawn;
    for (int i = 0; i < kDraws; ++i) drawn.push_back(draw_released_rdp(seen.plan, source));
    for (const double z : drawn) {
      CHECK(std::ldexp(z, 30) == std::floor(std::ldexp(z, 30)));
      CHECK(z >= 0.0);
      CHECK(z <= seen.plan.largest_rdp + std::ldexp(1.0, -30));
    }
    // Both clamps and the normal distribution between them.
    for (const double share : {0.0, 0.2, 0.4, 0.6, 0.8, 0.99}) {
      const double z = share * seen.plan.largest_rdp;
      const double p = seen.cdf(z);
      const auto below =
          std::count_if(drawn.begin(), drawn.end(), [&](double x) { return x <= z; });
      const double sd = std::sqrt(kDraws * p * (1.0 - p)) + 1e-3;
      CHECK_MESSAGE(std::abs(static_cast<double>(below) - kDraws * p) <= 5.0 * sd,
                    show({{"share", share}, {"p", p}}));
    }
    // Where the plan says the epsilon fails: as often as the confidence says, or less.
    const auto failed =
        std::count_if(drawn.begin(), drawn.end(), [&](double x) { return x < seen.plan.rdp; });
    CHECK(static_cast<double>(failed) <= kDraws * 0.2 + 5.0 * std::sqrt(kDraws * 0.2 * 0.8));
    CHECK(failed > kDraws / 10);
  }
}
