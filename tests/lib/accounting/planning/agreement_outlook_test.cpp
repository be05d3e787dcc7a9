// How much of the agreement of teachers noise leaves, before there are votes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "pate/accounting/planning/agreement_outlook.hpp"
#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/temp_directory.hpp"

using namespace pate;
using namespace pate_test;
using pate::test::message_of;

namespace {

double normal_cdf(double x) {
  return std::erfc(-x / std::sqrt(2.0)) / 2.0;
}

PlannedRun gaussian_run(double sigma2) {
  PlannedRun run;
  run.sigma2 = sigma2;
  run.queries = 1;
  return run;
}

PlannedRun laplace_run(double scale, bool one_noise) {
  PlannedRun run;
  run.laplace_scale = scale;
  run.one_noise = one_noise;
  run.queries = 1;
  return run;
}

std::string codes(const AgreementOutlook& outlook) {
  std::string text;
  for (const Notice& notice : agreement_notices(outlook)) text += notice.code + " ";
  return text;
}

std::string refusal(const PlannedRun& run, const PlannedEnsemble& ensemble) {
  return message_of<parameter_error>([&] { (void)agreement_outlook(run, ensemble); });
}

}  // namespace

TEST_SUITE("planning") {
  TEST_CASE("a class with the lead found wins its share, and one vote less is not enough") {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> exponents(0.0, 4.0);
    std::uniform_real_distribution<double> shares(0.51, 0.999);
    for (int i = 0; i < 60; ++i) {
      const double noise = std::pow(10.0, exponents(random));
      const double share = shares(random);
      CAPTURE(noise);
      CAPTURE(share);
      const double gaussian = lead_for_share({GaussianNoisyMax{noise}}, share);
      CHECK(normal_cdf(gaussian / (std::sqrt(2.0) * noise)) ==
            doctest::Approx(share).epsilon(1e-12));
      const double laplace = lead_for_share({LaplaceNoisyMax{noise}}, share);
      CHECK(1.0 - (2.0 + laplace / noise) * std::exp(-laplace / noise) / 4.0 ==
            doctest::Approx(share).epsilon(1e-12));
      const double one = lead_for_share({OneLaplaceNoise{noise}}, share);
      CHECK(1.0 - std::exp(-one / (2.0 * noise)) / 2.0 == doctest::Approx(share).epsilon(1e-12));
      for (const PlannedRun& run :
           {gaussian_run(noise), laplace_run(noise, false), laplace_run(noise, true)}) {
        const double lead = agreement_outlook(run, {})->least_lead;
        REQUIRE(lead == std::floor(lead));
        const auto behind = [&](double gap) {
          return run.noisy_max()->visit([&](const auto& of) {
            return std::exp(log_pair_probability(of, static_cast<std::int64_t>(gap)));
          });
        };
        CHECK(behind(lead) <= 0.1 * (1.0 + 1e-12));
        CHECK(behind(lead - 1.0) > 0.1);
      }
    }
  }

  TEST_CASE("unanimous teachers: two classes by the closed form, fewer answers with more classes") {
    const double two =
        agreement_outlook(gaussian_run(166.8), PlannedEnsemble{100.0, {}})->unanimous->named;
    CHECK(two == doctest::Approx(normal_cdf(100.0 / (std::sqrt(2.0) * 166.8))).epsilon(1e-12));
    double before = two;
    for (const std::int64_t classes : {3, 4, 10, 1000}) {
      const double of =
          agreement_outlook(gaussian_run(166.8), PlannedEnsemble{100.0, classes})->unanimous->named;
      CHECK(of < before);
      CHECK(of > 1.0 / static_cast<double>(classes));
      before = of;
    }
    CHECK(agreement_outlook(laplace_run(20.0, true), PlannedEnsemble{100.0, 2})->unanimous->named ==
          doctest::Approx(1.0 - std::exp(-2.5) / 2.0).epsilon(1e-12));
    // Part of a vote counts as one: what is told is the most.
    CHECK(agreement_outlook(gaussian_run(50.0), PlannedEnsemble{99.2, {}})->unanimous->named ==
          agreement_outlook(gaussian_run(50.0), PlannedEnsemble{100.0, {}})->unanimous->named);
  }

  TEST_CASE(
      "what a check tells is the most that two queries' chances differ by, at any threshold") {
    for (const double sigma1 : {5.0, 40.0, 300.0}) {
      PlannedRun run = gaussian_run(10.0);
      run.sigma1 = sigma1;
      const double told =
          *agreement_outlook(run, PlannedEnsemble{100.0, 2})->unanimous->check_tells;
      double most = 0.0;
      for (double threshold = -50.0; threshold <= 150.0; threshold += 0.5) {
        most = std::max(most, normal_cdf((100.0 - threshold) / sigma1) -
                                  normal_cdf((0.0 - threshold) / sigma1));
      }
      CHECK(told == doctest::Approx(most).epsilon(1e-9));
    }
    CHECK_FALSE(
        agreement_outlook(gaussian_run(10.0), PlannedEnsemble{100.0, 2})->unanimous->check_tells);
  }

  TEST_CASE("votes that noise drowns are told, and no others") {
    PlannedRun run = gaussian_run(55.0);  // 1.8124 * 55 = 99.7
    CHECK(codes(*agreement_outlook(run, PlannedEnsemble{100.0, 2})).empty());
    CHECK(codes(*agreement_outlook(run, PlannedEnsemble{99.0, 2})) == "low_agreement ");
    CHECK(codes(*agreement_outlook(run, PlannedEnsemble{100.0, 3})) == "low_agreement ");
    CHECK(codes(*agreement_outlook(run, {})).empty());
    run.sigma1 = 190.0;  // erf(100 / (2 sqrt 2 * 190)) = .208
    CHECK(codes(*agreement_outlook(run, PlannedEnsemble{100.0, 2})).empty());
    run.sigma1 = 210.0;
    CHECK(codes(*agreement_outlook(run, PlannedEnsemble{100.0, 2})) == "check_at_random ");
    const AgreementOutlook unknown = *agreement_outlook(run, PlannedEnsemble{90.0, {}});
    REQUIRE(agreement_notices(unknown).size() == 2);
    CHECK(agreement_notices(unknown)[0].message.find("87.7 % of the answers at most") !=
          std::string::npos);
  }

  TEST_CASE("no outlook of tests and samples; ensembles that cannot be are refused") {
    PlannedRun sampled = gaussian_run(10.0);
    sampled.neighbours = {Adjacency::add_remove, 1};
    sampled.sampling = Sampling{0.5};
    CHECK_FALSE(agreement_outlook(sampled, PlannedEnsemble{100.0, 2}));
    PlannedRun tested;
    tested.queries = 1;
    tested.ptr_sigma = 5.0;
    tested.ptr_delta = 1e-8;
    CHECK_FALSE(agreement_outlook(tested, PlannedEnsemble{100.0, 2}));
    CHECK(refusal(gaussian_run(1.0), {0.5, {}}) ==
          "teachers must be at least 1 and fewer than 2^31, got 0.5");
    CHECK(refusal(gaussian_run(1.0), {kNaN, {}}).starts_with("teachers must"));
    CHECK(refusal(gaussian_run(1.0), {2147483648.0, {}}).starts_with("teachers must"));
    CHECK(refusal(gaussian_run(1.0), {5.0, 1}) == "classes must be at least 2, got 1");
    CHECK(refusal(laplace_run(1.0, true), {5.0, 3}) == "one noise is for two classes, got 3");
    CHECK(refusal(gaussian_run(kNaN), {5.0, 3}).starts_with("sigma2 must be"));
    for (const double share : {0.5, 1.0, 0.2, kNaN}) {
      CHECK_THROWS_AS((void)lead_for_share({GaussianNoisyMax{1.0}}, share), parameter_error);
    }
    CHECK_THROWS_AS((void)lead_for_share({GaussianNoisyMax{-1.0}}, 0.9), parameter_error);
  }
}
