#include "pate/release/as_published/release.hpp"

#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include "pate/accounting/account.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/release/as_published/vote_paths.hpp"
#include "pate/votes/tables/npy_table.hpp"
#include "pate/votes/vote_source.hpp"
#include "support/accuracy.hpp"
#include "support/npy_writer.hpp"
#include "support/oracle.hpp"
#include "support/paths.hpp"
#include "support/program.hpp"
#include "support/random.hpp"
#include "support/temp_directory.hpp"

using namespace pate;
using namespace pate_test;
using pate::test::has_shared_votes;
using pate::test::message_of;
using pate::test::sample;
using pate::test::shared_votes;

namespace {

Aggregator confident(double threshold, double sigma1, double sigma2) {
  return {ThresholdCheck{threshold, sigma1}, {GaussianNoisyMax{sigma2}}, false};
}

Aggregator gnmax(double sigma2) {
  return {{}, {GaussianNoisyMax{sigma2}}, false};
}

AsPublishedSettings at_order(double order) {
  AsPublishedSettings settings;
  settings.delta = 1e-5;
  settings.order = order;
  return settings;
}

CountVotes sample_votes() {
  return CountVotes(pate::test::open_npy(sample("digits_100_counts.npy")));
}

Run all_of(const VoteSource& votes, const Aggregator& aggregator) {
  return {votes, RowSelection::all(votes.queries()), aggregator, {}, nullptr, {}, {}};
}

// What another implementation of the published formulas (numpy and scipy) prints for real votes.
struct Printed {
  const char* votes;
  const char* student;
  Aggregator aggregator;
  std::int64_t queries;  // 0: all
  double order, beta, smooth_sensitivity, sigma_ss, cost, sd, epsilon;
  std::map<std::size_t, double> local_sensitivity;
};

const std::vector<Printed>& printed() {
  static const std::vector<Printed> cases{
      {"s18_mnist_250_counts.npy",
       nullptr,
       confident(200, 150, 40),
       640,
       14.0,
       0.03285714285714288,
       0.0617465321567459,
       6.232825076021733,
       0.5173833587650354,
       0.38485533398394817,
       2.51619995103402,
       {{0, 0.04732887402787074},
        {1, 0.05042315752574258},
        {10, 0.08196265599006955},
        {50, 0.18058324479810736},
        {249, 0.18939686525068586}}},
      {"s18_adult_250_counts.npy",
       nullptr,
       confident(300, 200, 40),
       1500,
       15.5,
       0.030967741935483864,
       0.033257160792979135,
       7.914951456582586,
       0.4073279796349568,
       0.2632288132601915,
       2.085507927476368,
       {{0, 0.015630627643197746}, {50, 0.155492880421981}, {249, 0.28819339879587863}}},
      {"s18_mnist_250_counts.npy",
       nullptr,
       confident(200, 150, 40),
       9000,
       4.5,
       0.06666666666666667,
       0.35018342704945743,
       2.4487302825605792,
       1.0741177239631579,
       0.8575047622668499,
       11.111767077934248,
       {{0, 0.3421985261817172}, {50, 1.0313219635679787}, {249, 1.0976908676299357}}},
      {"mnist_t10k_250_counts.npy",
       "mnist_t10k_250_student_scores.npy",
       confident(100, 80, 40),
       1000,
       10.0,
       0.038,
       0.028690364085550635,
       7.218109072195891,
       0.3285966414927467,
       0.2070901772905162,
       3.0869654960655,
       {{0, 0.01995643557746462}, {10, 0.040201057688956286}, {249, 0.11588220406802893}}},
      {"mnist_t10k_5v8_11_counts.npy",
       nullptr,
       confident(9, 4, 3),
       0,
       2.0,
       0.15,
       70.8785327747576,
       0.33646085210634374,
       24.605996899379434,
       23.847851533442356,
       157.60577761234356,
       {{0, 49.763227817229875}, {1, 82.3491064520523}, {10, 110.15225380747755}}},
      {"digits_100_counts.npy",
       nullptr,
       gnmax(20),
       0,
       3.5,
       0.1,
       0.025653191223993614,
       5.502945108171395,
       0.5219626640202484,
       0.141168103155061,
       12.100882850008366,
       {{0, 0.0}, {10, 0.0}, {50, 1.0939874340903621}, {99, 1.2177803255436805}}},
  };
  return cases;
}

}  // namespace

TEST_SUITE("as_published") {
  TEST_CASE("S18's procedure gives what it prints (real votes)" *
            doctest::skip(!has_shared_votes())) {
    for (const Printed& expected : printed()) {
      const std::string path = shared_votes(expected.votes);
      if (path.empty()) continue;
      const CountVotes votes(pate::test::open_npy(path));
      std::optional<StudentScores> student;
      Aggregator aggregator = expected.aggregator;
      aggregator.interactive = expected.student != nullptr;
      Run run = all_of(votes, aggregator);
      if (expected.queries > 0) run.rows = RowSelection::first(expected.queries);
      if (expected.student != nullptr) {
        student.emplace(pate::test::open_npy(shared_votes(expected.student)), votes.queries(),
                        votes.classes());
        run.student = &*student;
      }
      AsPublishedSettings settings;
      settings.delta = 1e-5;
      const AsPublishedRelease got = release_as_published(run, settings);
      CAPTURE(expected.votes);
      CHECK(got.order == expected.order);
      CHECK(relative_error(got.gnss.beta, expected.beta) < 1e-8);
      CHECK(relative_error(got.gnss.smooth_sensitivity, expected.smooth_sensitivity) < 1e-8);
      CHECK(relative_error(got.gnss.sigma_ss, expected.sigma_ss) < 1e-8);
      CHECK(relative_error(got.gnss.cost, expected.cost) < 1e-8);
      CHECK(relative_error(got.gnss.sd, expected.sd) < 1e-8);
      CHECK(relative_error(got.epsilon, expected.epsilon) < 1e-8);
      for (const auto& [d, value] : expected.local_sensitivity) {
        CHECK(relative_error(got.local_sensitivity.at(d), value) < 1e-8);
      }
      CHECK(got.conditions.c5());
      CHECK(got.conditions.c6());

      // The same order, beta and sigma_ss given instead of chosen.
      settings.order = got.order;
      settings.beta = got.gnss.beta;
      settings.sigma_ss = got.gnss.sigma_ss;
      settings.threads = 1;
      const AsPublishedRelease fixed = release_as_published(run, settings);
      CHECK(fixed.gnss.cost == got.gnss.cost);
      CHECK(relative_error(fixed.epsilon, got.epsilon) < 1e-9);
      CHECK(fixed.local_sensitivity == got.local_sensitivity);
    }
  }

  TEST_CASE("before its release S18's epsilon is the account's") {
    const CountVotes votes = sample_votes();
    const Run run = all_of(votes, confident(50, 30, 20));
    const AsPublishedRelease release = release_as_published(run, at_order(5.0));
    AccountSettings settings;
    settings.delta = 1e-5;
    settings.models.erase(Bound::tradeoff);
    settings.orders = {5.0};
    settings.conversion = EpsilonMethod::classic;
    settings.reading = GuaranteeKind::expected;
    const Account accounted = account(run, settings);
    const CostEntry& headline = accounted.costs[accounted.headline];
    CHECK(release.epsilon_before == headline.epsilon);
    CHECK(release.epsilon == release.epsilon_before + release.gnss.cost);
    CHECK(release.local_sensitivity.size() == 100);
    for (std::size_t d = 0; d < 100; ++d) {
      CHECK(release.local_sensitivity[d] ==
            release.selection_sensitivity[d] + release.noisy_max_sensitivity[d]);
    }
  }

  TEST_CASE("the sensitivity of a query is that of the curve, which needs no votes") {
    const SensitivityCurve curve = sensitivity_curve(40.0, 14.0, 10, 250);
    const PublishedCostCurve cost(40.0, 14.0, 10);
    double seen = 0.0;
    for (std::size_t i = 0; i < curve.log_q.size(); ++i) {
      const QuerySensitivity here = query_sensitivity(cost, curve.log_q[i]);
      CHECK(here.up == curve.up[i]);
      CHECK(here.down == curve.down[i]);
      CHECK(here.bound == curve.bound[i]);
      CHECK(here.loss <= curve.loss * (1.0 + 1e-9));
      seen = std::max(seen, here.loss);
    }
    CHECK(seen > 0.2 * curve.loss);
    // At the votes of S18's MNIST: 5.83 % where both changes meet.
    CHECK(curve.loss == doctest::Approx(0.058295865).epsilon(1e-7));
    CHECK_THROWS_AS((void)sensitivity_curve(20.0, 25.0, 10, 100), validity_error);
    CHECK_THROWS_AS((void)sensitivity_curve(0.0, 14.0, 10, 100), parameter_error);
    CHECK_THROWS_AS((void)sensitivity_curve(40.0, 14.0, 10, 0), parameter_error);
  }

  TEST_CASE("the curve of W19's figure 1 bounds both changes and is flat from q1 to q0") {
    const CountVotes votes = sample_votes();
    AsPublishedSettings settings = at_order(5.0);
    CHECK_FALSE(release_as_published(all_of(votes, confident(50, 30, 20)), settings).curve);
    settings.curve = true;
    const AsPublishedRelease release =
        release_as_published(all_of(votes, confident(50, 30, 20)), settings);
    const SensitivityCurve& curve = release.curve.value();
    REQUIRE(curve.log_q.size() > 200);
    int flat = 0;
    CHECK(curve.loss > 0.0);
    CHECK(curve.loss < 1.0);
    double seen = 0.0;
    for (std::size_t i = 0; i < curve.log_q.size(); ++i) {
      const double larger = std::max(curve.up[i], curve.down[i]);
      CHECK(curve.bound[i] >= larger);
      CHECK(curve.bound[i] <= larger * (1.0 + curve.loss) * (1.0 + 1e-9));
      if (larger > 0.0) seen = std::max(seen, curve.bound[i] / larger - 1.0);
      if (curve.log_q[i] < *release.log_q1 || curve.log_q[i] > *release.log_q0) {
        CHECK(curve.bound[i] == std::max(curve.up[i], curve.down[i]));
      } else {
        ++flat;
        CHECK(curve.bound[i] == *std::max_element(curve.bound.begin(), curve.bound.end()));
      }
    }
    CHECK(flat >= 2);
    CHECK(seen > 0.2 * curve.loss);
  }

  TEST_CASE("the best of S18's orders is taken where none is given") {
    const CountVotes votes = sample_votes();
    const Run run = all_of(votes, confident(50, 30, 20));
    AsPublishedSettings settings;
    settings.delta = 1e-5;
    const AsPublishedRelease best = release_as_published(run, settings);
    for (const double order : {best.order - 0.5, best.order + 0.5}) {
      CHECK(release_as_published(run, at_order(order)).epsilon_before >= best.epsilon_before);
    }
    const auto orders = as_published_orders();
    CHECK(std::is_sorted(orders.begin(), orders.end()));
    CHECK(std::count(orders.begin(), orders.end(), best.order) == 1);
    CHECK(orders.front() == 2.0);
    CHECK(relative_error(orders.back(), 500.0) < 1e-14);
    CHECK(orders.size() == 297);  // 100 is in both lists
  }

  TEST_CASE("the reading realized weighs decisions instead of probabilities") {
    const CountVotes votes = sample_votes();
    Run run = all_of(votes, confident(50, 30, 20));
    AsPublishedSettings settings = at_order(5.0);
    settings.reading = GuaranteeKind::realized;
    CHECK(message_of<parameter_error>([&] {
            (void)release_as_published(run, settings);
          }).find("decisions") != std::string::npos);

    run.decisions.emplace(static_cast<std::size_t>(votes.queries()), std::uint8_t{0});
    const AsPublishedRelease none = release_as_published(run, settings);
    for (std::size_t i = 0; i < 300; ++i) (*run.decisions)[i] = 1;
    const AsPublishedRelease some = release_as_published(run, settings);
    std::fill(run.decisions->begin(), run.decisions->end(), std::uint8_t{1});
    const AsPublishedRelease every = release_as_published(run, settings);

    Run first = all_of(votes, gnmax(20));
    first.rows = RowSelection::first(300);
    const AsPublishedRelease noisy_max = release_as_published(first, at_order(5.0));
    CHECK(relative_error(some.rdp, none.rdp + noisy_max.rdp) < 1e-12);
    for (std::size_t d = 0; d < 100; ++d) {
      CHECK(relative_error(some.local_sensitivity[d],
                           none.local_sensitivity[d] + noisy_max.local_sensitivity[d]) < 1e-12);
      CHECK(every.local_sensitivity[d] >= some.local_sensitivity[d]);
    }
    settings.reading = GuaranteeKind::joint;
    CHECK_THROWS_AS((void)release_as_published(run, settings), parameter_error);
  }

  TEST_CASE("a noisy maximum that is data-independent at the order has no sensitivity") {
    const CountVotes votes = sample_votes();
    // So much noise that even 100 of 100 votes give no better bound.
    const AsPublishedRelease release =
        release_as_published(all_of(votes, gnmax(1000)), at_order(3.0));
    CHECK(release.noisy_max_data_independent);
    CHECK(release.local_sensitivity == std::vector<double>(100, 0.0));
    CHECK(relative_error(release.rdp, 797.0 * data_independent_cost(GaussianNoisyMax{1000}, 3.0)) <
          1e-12);
    CHECK(release.gnss.sd == 0.0);
    // With a selection only that one varies.
    const AsPublishedRelease selective =
        release_as_published(all_of(votes, confident(50, 8, 1000)), at_order(3.0));
    CHECK(selective.noisy_max_data_independent);
    CHECK(selective.local_sensitivity.back() > 0.0);
    CHECK_FALSE(
        release_as_published(all_of(votes, gnmax(20)), at_order(3.5)).noisy_max_data_independent);
  }

  TEST_CASE("where C6 fails there is no release") {
    const CountVotes votes = sample_votes();
    const std::string message = message_of<validity_error>(
        [&] { (void)release_as_published(all_of(votes, gnmax(20)), at_order(25.0)); });
    CHECK(message.find("C6") != std::string::npos);
    CHECK(message.find("sigma2 = 20, order = 25, 10 classes") != std::string::npos);
  }

  TEST_CASE("what S18's procedure does not cover is refused") {
    const CountVotes votes = sample_votes();
    const Aggregator laplace{{}, {LaplaceNoisyMax{20.0}}, false};
    CHECK_THROWS_AS((void)release_as_published(all_of(votes, laplace), at_order(5.0)),
                    parameter_error);
    const Run run = all_of(votes, gnmax(20));
    AsPublishedSettings settings = at_order(5.0);
    settings.beta = 0.1;
    CHECK_THROWS_AS((void)release_as_published(run, settings), validity_error);
    settings.beta = -0.1;
    CHECK_THROWS_AS((void)release_as_published(run, settings), parameter_error);
    settings = at_order(5.0);
    settings.sigma_ss = 0.0;
    CHECK_THROWS_AS((void)release_as_published(run, settings), parameter_error);
    CHECK_THROWS_AS((void)release_as_published(run, at_order(1.0)), parameter_error);
    settings = at_order(5.0);
    settings.delta = 0.0;
    CHECK_THROWS_AS((void)release_as_published(run, settings), parameter_error);
    Run nothing = run;
    nothing.rows = RowSelection::first(0);
    CHECK_THROWS_AS((void)release_as_published(nothing, at_order(5.0)), parameter_error);
  }

  TEST_CASE("a single class costs nothing and has no sensitivity") {
    const CountVotes votes(pate::test::integer_table({3, 1}, {7, 7, 7}));
    const AsPublishedRelease release = release_as_published(all_of(votes, gnmax(3)), at_order(5.0));
    CHECK(release.rdp == 0.0);
    CHECK(release.local_sensitivity == std::vector<double>(7, 0.0));
  }

  TEST_CASE("histograms are weighted as their reading says") {
    const CountVotes votes = sample_votes();
    Run run = all_of(votes, confident(50, 30, 20));
    run.rows = RowSelection::list({5, 3, 5});
    const auto weighted = [&](const Run& of, GuaranteeKind reading) {
      return weighted_histograms(of, reading,
                                 count_distinct(of, sorted_histogram(), {.threads = 2}));
    };
    const WeightedHistograms expected = weighted(run, GuaranteeKind::expected);
    REQUIRE(expected.weights.size() == 2);
    REQUIRE(expected.classes == 10);
    double total = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::span row = std::span(expected.counts).subspan(10 * i, 10);
      CHECK(std::is_sorted(row.begin(), row.end(), std::greater<>()));
      CHECK(expected.weights[i] == std::exp(log_answered(*run.aggregator.answer_rule(), row[0])));
      total += static_cast<double>(expected.times[i]) * expected.weights[i];
    }
    CHECK(expected.times[0] + expected.times[1] == 3);
    CHECK(expected.total_weight() == doctest::Approx(total));
    run.decisions.emplace(static_cast<std::size_t>(votes.queries()), std::uint8_t{0});
    (*run.decisions)[3] = 1;
    CHECK(weighted(run, GuaranteeKind::realized).total_weight() == 1.0);
    (*run.decisions)[5] = 1;
    CHECK(weighted(run, GuaranteeKind::realized).total_weight() == 3.0);
    CHECK_THROWS_AS((void)weighted(run, GuaranteeKind::joint), parameter_error);
    const WeightedHistograms of_all = weighted(all_of(votes, gnmax(20)), GuaranteeKind::expected);
    CHECK(of_all.total_weight() == 797.0);
    CHECK(std::count(of_all.weights.begin(), of_all.weights.end(), 1.0) ==
          static_cast<std::ptrdiff_t>(of_all.weights.size()));
  }
}

TEST_SUITE("as_published") {
  TEST_CASE("the published release cost against the oracle") {
    for (const OracleRow& row : oracle("gnss_cost_as_published")) {
      const double got =
          gnss_cost(row.number("lambda"), row.number("beta"), row.number("sigma_ss"));
      CHECK_MESSAGE(relative_error(got, row.number("cost")) < 1e-12, row.text());
    }
  }

  TEST_CASE("the published release cost has the domain of Theorem 23") {
    CHECK_NOTHROW((void)gnss_cost(10.0, 0.0499, 5.0));
    CHECK_THROWS_AS((void)gnss_cost(10.0, 0.05, 5.0), validity_error);
    CHECK_THROWS_AS((void)gnss_cost(10.0, 0.051, 5.0), validity_error);
    CHECK_THROWS_AS((void)gnss_cost(1.0, 0.01, 5.0), validity_error);
    CHECK_THROWS_AS((void)gnss_cost(kNaN, 0.01, 5.0), validity_error);
    CHECK_THROWS_AS((void)gnss_cost(10.0, 0.0, 5.0), parameter_error);
    CHECK_THROWS_AS((void)gnss_cost(10.0, kNaN, 5.0), parameter_error);
    CHECK_THROWS_AS((void)gnss_cost(10.0, 0.01, 0.0), parameter_error);
    CHECK_THROWS_AS((void)gnss_cost(10.0, 0.01, kNaN), parameter_error);
  }

  TEST_CASE("smooth sensitivity is the largest discounted local sensitivity") {
    const std::vector<double> local{1.0, 1.5, 1.5, 4.0};
    CHECK(gnss_smooth_sensitivity(local, 1.0) == 1.0);
    CHECK(relative_error(gnss_smooth_sensitivity(local, 0.1), 4.0 * std::exp(-0.3)) < 1e-15);
    CHECK(relative_error(gnss_smooth_sensitivity(local, 0.4), 4.0 * std::exp(-1.2)) < 1e-15);
    CHECK(gnss_smooth_sensitivity({}, 0.1) == 0.0);
    CHECK(gnss_smooth_sensitivity(std::vector{0.0, 0.0}, 0.1) == 0.0);
  }

  TEST_CASE("parameters that are not given are the best of S18's") {
    std::vector<double> local;
    for (int d = 0; d < 250; ++d) local.push_back(0.2 / (1.0 + std::exp(-0.05 * (d - 40))));
    constexpr double order = 14.0;
    const Gnss best = choose_gnss(local, order, {}, {});
    bool found = false;
    for (int k = 0; k < 20; ++k) {
      const double beta = (0.30 + 0.01 * k) / order;
      const Gnss gnss = choose_gnss(local, order, beta, {});
      CHECK(gnss.beta == beta);
      CHECK(relative_error(gnss.sigma_ss, std::cbrt(order * std::exp(2.0 * beta) /
                                                    gnss_smooth_sensitivity(local, beta))) < 1e-15);
      CHECK(gnss.cost == gnss_cost(order, beta, gnss.sigma_ss));
      CHECK(gnss.sd == gnss.smooth_sensitivity * gnss.sigma_ss);
      CHECK(best.cost + 2.0 * best.sd <= (gnss.cost + 2.0 * gnss.sd) * (1.0 + 1e-14));
      found = found || relative_error(best.beta, beta) < 1e-14;
    }
    CHECK(found);
    // The cube root is the best sigma_ss for a beta.
    for (const double factor : {0.9, 1.1}) {
      const Gnss other = choose_gnss(local, order, best.beta, factor * best.sigma_ss);
      CHECK(other.sigma_ss == factor * best.sigma_ss);
      CHECK(other.cost + 2.0 * other.sd > best.cost + 2.0 * best.sd);
    }
  }

  TEST_CASE("without sensitivity there is no noise") {
    const std::vector<double> local(10, 0.0);
    const Gnss gnss = choose_gnss(local, 14.0, {}, {});
    CHECK(gnss.sd == 0.0);
    CHECK(gnss.smooth_sensitivity == 0.0);
    CHECK(gnss.sigma_ss == kInfinity);
    CHECK(std::isfinite(gnss.cost));
    CHECK(choose_gnss(local, 14.0, 0.02, 5.0).cost == gnss_cost(14.0, 0.02, 5.0));
  }
}
