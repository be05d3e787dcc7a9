#include "pate/divergence/exact/exact_cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <sstream>

#include "pate/base/error.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/mechanisms/threshold_check.hpp"
#include "pate/numerics/log_space.hpp"
#include "pate/votes/selection_statistic.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/oracle.hpp"
#include "support/random.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr double kOrders[] = {1.05, 2.0, 5.5, 20.0, 60.0};

// Where bounds are attained, rounding decides which of two equal numbers is the larger.
constexpr double kSlack = 1.0 + 2e-11;

Aggregator gnmax(double sigma) {
  return {std::nullopt, {GaussianNoisyMax{sigma}}, false};
}
Aggregator lnmax(double scale) {
  return {std::nullopt, {LaplaceNoisyMax{scale}}, false};
}
Aggregator confident(double threshold, double sigma1, double sigma2, bool interactive = false) {
  return {ThresholdCheck{threshold, sigma1}, {GaussianNoisyMax{sigma2}}, interactive};
}

std::int64_t sum_of(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

// Exact costs are closer than others.
bool covers_closely(double reported, double reference) {
  return covers(reported, reference) &&
         (reference < kMinReported || reported <= reference * (1.0 + 1e-10));
}

BothDirections exact_of(const Aggregator& aggregator, const Counts& counts, double order) {
  const ExactMechanism mechanism(aggregator, {}, sum_of(counts));
  return ExactCost(mechanism, mechanism.group(counts, {})).largest(order);
}

std::string show_counts(const Counts& counts) {
  std::ostringstream text;
  for (const std::int32_t n : counts) text << ' ' << n;
  return text.str();
}

// A student's scores, no two alike.
std::vector<double> random_scores(Random& random, std::size_t classes) {
  std::vector<double> scores(classes);
  double sum = 0.0;
  for (double& score : scores) sum += score = random.log_uniform(0.01, 1.0);
  for (double& score : scores) score /= sum;
  return scores;
}

// Outcomes {refused}, class 1..m by quadrature in long double; nothing of it is the library's but
// the statistic.
Probabilities outcomes_of(const Aggregator& aggregator, const Counts& counts,
                          const std::vector<double>& scores) {
  Probabilities p = aggregator.is_gaussian()
                        ? gaussian_outcomes(counts, aggregator.noisy_max.parameter())
                        : laplace_outcomes(counts, aggregator.noisy_max.parameter());
  if (!aggregator.selection) return p;
  const std::int32_t v = aggregator.interactive
                             ? interactive_statistic(counts, scores, sum_of(counts))
                             : top_count(counts);
  const auto z = (v - static_cast<long double>(aggregator.selection->threshold)) /
                 static_cast<long double>(aggregator.selection->sigma1);
  const long double root = std::numbers::sqrt2_v<long double>;
  for (long double& x : p) x *= 0.5L * std::erfc(-z / root);
  p.push_back(0.5L * std::erfc(z / root));
  return p;
}

// Checks the cost of every class's vote, of `weight` votes that move together, against all its
// neighbours, one by one.
void check_by_enumeration(const Aggregator& aggregator, const Counts& counts,
                          const std::vector<double>& scores, std::int32_t weight = 1) {
  const ExactMechanism mechanism = ExactMechanism::of_weight(aggregator, sum_of(counts), weight);
  ExactCost exact(mechanism, mechanism.group(counts, scores));
  const auto groups = groups_of_classes(exact.votes(), counts, scores, sum_of(counts));
  const Probabilities here = outcomes_of(aggregator, counts, scores);
  for (const double order : kOrders) {
    std::vector<BothDirections> costs;
    exact.by_group(order, costs);
    for (std::size_t a = 0; a < counts.size(); ++a) {
      BothDirections expected;
      for (std::size_t b = 0; b < counts.size(); ++b) {
        if (a == b || counts[a] < weight) continue;
        Counts neighbour = counts;
        neighbour[a] -= weight;
        neighbour[b] += weight;
        const Probabilities there = outcomes_of(aggregator, neighbour, scores);
        expected.forward = std::max(expected.forward, renyi_divergence(here, there, order));
        expected.reverse = std::max(expected.reverse, renyi_divergence(there, here, order));
      }
      INFO(show_counts(counts), " class ", a, " order ", order);
      for (const Direction direction : {Direction::forward, Direction::reverse}) {
        const double got = costs[groups[a]].of(direction);
        // Below this the test's own quadrature has no digits left.
        if (expected.of(direction) < 1e-9) {
          CHECK(std::abs(got - expected.of(direction)) < 1e-13);
        } else {
          CHECK(relative_error(got, expected.of(direction)) < 2e-9);
        }
      }
    }
  }
}

}  // namespace

TEST_SUITE("exact") {
  TEST_CASE("votes that move together: every class's against all its neighbours") {
    Random random(4711);
    for (const std::int32_t weight : {2, 3, 7, 40}) {
      for (int i = 0; i < 6; ++i) {
        const double noise = weight * random.log_uniform(0.4, 6.0);
        const Counts counts = random_histogram(random, 6 * weight + i, 2 + i % 4);
        INFO("weight ", weight, " noise ", noise);
        check_by_enumeration(gnmax(noise), counts, {}, weight);
        check_by_enumeration(lnmax(0.6 * noise), counts, {}, weight);
        check_by_enumeration(confident((2 + i) * weight, 0.8 * noise, noise), counts, {}, weight);
      }
    }
    // Votes that all come from ties, and that make them.
    for (const Counts& counts : {Counts{6, 6, 3, 0}, Counts{9, 6, 0, 0}, Counts{3, 3, 3, 3}}) {
      check_by_enumeration(confident(7.0, 4.0, 3.0), counts, {}, 3);
    }
  }

  TEST_CASE("votes of weight w with noise w: those of weight 1, counts apart by w") {
    const Counts counts{9, 5, 4, 0};
    for (const std::int32_t weight : {2, 5, 1000}) {
      Counts heavier = counts;
      for (std::int32_t& n : heavier) n *= weight;
      for (const Aggregator& one : {gnmax(3.0), lnmax(2.0), confident(7.0, 4.0, 3.0)}) {
        Aggregator many = one;
        many.noisy_max = noise_of(one.noisy_max.noise.index(), one.noisy_max.parameter() * weight);
        if (one.selection) many.selection = ThresholdCheck{7.0 * weight, 4.0 * weight};
        const auto mechanism = ExactMechanism::of_weight(many, sum_of(heavier), weight);
        for (const double order : kOrders) {
          const BothDirections expected = exact_of(one, counts, order);
          const BothDirections got =
              ExactCost(mechanism, mechanism.group(heavier, {})).largest(order);
          CHECK(relative_error(got.forward, expected.forward) < 1e-11);
          CHECK(relative_error(got.reverse, expected.reverse) < 1e-11);
        }
      }
    }
    CHECK_THROWS_AS(
        (void)ExactMechanism::of_weight({std::nullopt, {OneLaplaceNoise{2.0}}, false}, 9, 2),
        parameter_error);
    CHECK_THROWS_AS((void)ExactMechanism::of_weight(confident(7.0, 4.0, 3.0, true), 9, 2),
                    parameter_error);
  }

  TEST_CASE("the divergence from one neighbour against the oracle") {
    for (const OracleRow& row : oracle("exact_rdp")) {
      const Counts counts = row.counts("n");
      const ExactMechanism mechanism(gnmax(row.number("sigma")), {}, sum_of(counts));
      const GroupedVotes votes = group_votes(counts);
      const auto outcomes = mechanism.outcomes(votes);
      REQUIRE(outcomes);
      const auto groups = groups_of_classes(votes, counts, {}, 0);
      const auto from = groups[static_cast<std::size_t>(row.count("from"))];
      const auto to = groups[static_cast<std::size_t>(row.count("to"))];
      const double order = row.number("lambda");
      bool found = false;
      for (std::size_t k = 0; k < outcomes->neighbours().size(); ++k) {
        const auto neighbour = outcomes->neighbours()[k];
        if (neighbour.from != from || neighbour.to != to) continue;
        found = true;
        const BothDirections excess = outcomes->excess(k, order);
        const BothDirections log_excess = outcomes->log_excess(k, order);
        for (const Direction direction : {Direction::forward, Direction::reverse}) {
          const double expected =
              row.number(direction == Direction::forward ? "forward" : "reverse");
          const double cost = std::log1p(excess.of(direction)) / (order - 1.0);
          CHECK_MESSAGE(relative_error(cost, expected) < 1e-11, row.text());
          const double again = std::log1p(std::exp(log_excess.of(direction))) / (order - 1.0);
          CHECK_MESSAGE(relative_error(again, expected) < 1e-11, row.text());
        }
      }
      CHECK(found);
    }
  }

  TEST_CASE("the exact cost against the oracle: never below, at most 1e-10 above") {
    const auto check = [](const OracleRow& row, const Aggregator& aggregator) {
      const BothDirections cost = exact_of(aggregator, row.counts("n"), row.number("lambda"));
      CHECK_MESSAGE(covers_closely(cost.forward, row.number("forward")), row.text());
      CHECK_MESSAGE(covers_closely(cost.reverse, row.number("reverse")), row.text());
    };
    for (const OracleRow& row : oracle("exact_gnmax")) check(row, gnmax(row.number("sigma")));
    for (const OracleRow& row : oracle("exact_lnmax")) {
      check(row, lnmax(1.0 / row.number("gamma")));
    }
    for (const OracleRow& row : oracle("exact_confident")) {
      check(row, confident(row.number("T"), row.number("sigma1"), row.number("sigma2")));
    }
  }

  TEST_CASE("every vote's cost is the largest over all its neighbours, one by one") {
    Random random(611);
    for (int i = 0; i < 24; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 14), random.integer(2, 5));
      const std::vector<double> scores = random_scores(random, counts.size());
      const double noise = random.log_uniform(0.6, 20.0);
      const double threshold = random.uniform(-2.0, 16.0);
      const double sigma1 = random.log_uniform(0.6, 20.0);
      check_by_enumeration(gnmax(noise), counts, {});
      check_by_enumeration(lnmax(noise), counts, {});
      check_by_enumeration(confident(threshold, sigma1, noise), counts, {});
      check_by_enumeration(confident(threshold, sigma1, noise, true), counts, scores);
    }
  }

  TEST_CASE("the worst neighbour is where the cost comes from") {
    Random random(612);
    for (int i = 0; i < 40; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 30), random.integer(2, 6));
      const Aggregator aggregator = i % 2 == 0 ? gnmax(random.log_uniform(1.0, 9.0))
                                               : confident(15.0, 6.0, random.log_uniform(1.0, 9.0));
      const ExactMechanism mechanism(aggregator, {}, sum_of(counts));
      ExactCost exact(mechanism, mechanism.group(counts, {}));
      const double order = kOrders[static_cast<std::size_t>(i) % std::size(kOrders)];
      const auto neighbour = exact.worst_neighbour_at(order);
      REQUIRE(neighbour);
      std::vector<BothDirections> costs;
      exact.by_group(order, costs);
      CHECK(costs[neighbour->from].larger() == doctest::Approx(exact.largest(order).larger()));
      CHECK(can_move(exact.votes(), neighbour->from, neighbour->to));
    }
  }

  TEST_CASE("taking equal classes together changes nothing") {
    Random random(613);
    for (int i = 0; i < 60; ++i) {
      const Counts counts = random_histogram(random, random.integer(2, 12), random.integer(3, 7));
      const double noise = random.log_uniform(0.5, 30.0);
      for (const Aggregator& aggregator :
           {gnmax(noise), lnmax(noise), confident(6.0, noise, noise)}) {
        const ExactMechanism mechanism(aggregator, {}, sum_of(counts));
        const GroupedVotes together = mechanism.group(counts, {});
        GroupedVotes apart{together.statistic, {}};
        for (const VoteGroup& group : together.groups) {
          for (std::int32_t k = 0; k < group.classes; ++k) {
            apart.groups.push_back({group.count, group.place, 1});
          }
        }
        for (const double order : kOrders) {
          const BothDirections a = ExactCost(mechanism, together).largest(order);
          const BothDirections b = ExactCost(mechanism, apart).largest(order);
          INFO(show_counts(counts), " noise ", noise, " order ", order);
          CHECK(relative_error(a.forward, b.forward) < 1e-11);
          CHECK(relative_error(a.reverse, b.reverse) < 1e-11);
        }
      }
    }
  }

  TEST_CASE("exact is at most the trade-off bound, and that at most the published one") {
    Random random(614);
    double tightest = 0.0;
    for (int i = 0; i < 150; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 250), random.integer(2, 10));
      const double sigma = random.log_uniform(0.3, 300.0);
      const double log_q = pate::log_q(GaussianNoisyMax{sigma}, counts);
      const double gamma = 1.0 / sigma;
      const double log_q_laplace = pate::log_q(LaplaceNoisyMax{sigma}, counts);
      const Aggregator both =
          confident(random.uniform(0.0, 300.0), random.log_uniform(1.0, 300.0), sigma);
      const std::int64_t v = top_count(counts);
      const AnswerTable ladder(*both.selection, {}, v, v, sum_of(counts));
      for (const double order : kOrders) {
        INFO(show_counts(counts), " sigma ", sigma, " order ", order);
        const BothDirections exact = exact_of(gnmax(sigma), counts, order);
        const BothDirections bound = tradeoff_cost(GaussianNoisyMax{sigma}, log_q, order);
        CHECK(exact.forward <= bound.forward * kSlack);
        CHECK(exact.reverse <= bound.reverse * kSlack);
        CHECK(bound.forward <= published_cost(GaussianNoisyMax{sigma}, log_q, order));
        if (bound.forward > 1e-280) tightest = std::max(tightest, exact.forward / bound.forward);

        const BothDirections laplace = exact_of(lnmax(sigma), counts, order);
        const BothDirections laplace_bound =
            tradeoff_cost(LaplaceNoisyMax{1.0 / gamma}, log_q_laplace, order);
        CHECK(laplace.forward <= laplace_bound.forward * kSlack);
        CHECK(laplace.reverse <= laplace_bound.reverse * kSlack);

        const BothDirections joint = exact_of(both, counts, order);
        const BothDirections joint_bound =
            JointCost(ladder, order, data_independent_cost(GaussianNoisyMax{sigma}, order))
                .costs(v, gaussian_tradeoff_log_excess(log_q, std::sqrt(2.0) / sigma, order));
        CHECK(joint.forward <= joint_bound.forward * kSlack);
        CHECK(joint.reverse <= joint_bound.reverse * kSlack);
      }
    }
    CHECK(tightest > 0.8);
  }

  TEST_CASE("costs rise with the order, and (order - 1) cost is convex in it") {
    const Counts counts{70, 55, 40, 40, 5, 0, 0};
    for (const Aggregator& aggregator : {gnmax(12.0), lnmax(12.0), confident(80.0, 20.0, 12.0)}) {
      double before = 0.0;
      std::array<double, 2> moments{};
      for (int k = 0; k < 30; ++k) {
        const double order = 2.0 + k;
        const double cost = exact_of(aggregator, counts, order).forward;
        CHECK(cost >= before * (1.0 - 1e-9));
        const double moment = (order - 1.0) * cost;
        if (k > 1) CHECK(moment - 2.0 * moments[1] + moments[0] >= -1e-8 * moment);
        moments = {moments[1], moment};
        before = cost;
      }
    }
  }

  TEST_CASE("what is remembered of a range of orders changes no bit") {
    Random random(641);
    std::size_t fewer = 0;
    for (int i = 0; i < 150; ++i) {
      const std::int64_t teachers = random.integer(2, 400);
      const Counts counts = random_histogram(random, teachers, random.integer(2, 14));
      const double sigma = random.log_uniform(0.01, 1.0) * static_cast<double>(teachers) + 0.7;
      Aggregator aggregator = random.integer(0, 3) == 0 ? lnmax(sigma) : gnmax(sigma);
      if (aggregator.is_gaussian() && random.integer(0, 2) > 0) {
        aggregator = confident(random.uniform(0.2, 1.2) * static_cast<double>(teachers),
                               sigma * random.log_uniform(0.05, 8.0), sigma);
      }
      const ExactMechanism mechanism(aggregator, {}, teachers);
      ExactCost forgetful(mechanism, mechanism.group(counts, {}));
      double first = 1.0 + random.log_uniform(0.05, 20.0);
      double last = 1.0 + (first - 1.0) * random.log_uniform(1.1, 20.0);
      for (int range = 0; range < 4; ++range) {
        for (int k = 0; k < 6; ++k) {
          // The ends first, then between them, as a search does; sometimes beyond.
          double order = k == 0 ? last : first;
          if (k > 1)
            order = 1.0 + (first - 1.0) *
                              std::pow((last - 1.0) / (first - 1.0), random.uniform(0.0, 1.0));
          if (k == 5 && range == 2) order = 1.0 + (last - 1.0) * 1.5;
          const BothDirections got = forgetful.largest(order);
          ExactCost alone(mechanism, mechanism.group(counts, {}));
          const BothDirections expected = alone.largest(order);
          CHECK_MESSAGE(got.forward == expected.forward, show_counts(counts), " at ", order);
          CHECK_MESSAGE(got.reverse == expected.reverse, show_counts(counts), " at ", order);
          if (alone.bytes() > 2 * forgetful.bytes()) ++fewer;
        }
        forgetful.drop_outcomes();
        if (range == 1) {
          CHECK((forgetful.outcomes() == nullptr) ==
                (ExactCost(mechanism, mechanism.group(counts, {})).outcomes() == nullptr));
        }
      }
    }
    CHECK(fewer > 100);
  }

  TEST_CASE("two classes in closed form, however far apart") {
    for (const std::int32_t gap : {0, 1, 40, 151, 249}) {
      const Counts counts{(250 + gap) / 2, 250 - (250 + gap) / 2};
      const double sigma = 4.0;
      for (const double order : {1.5, 8.0, 30.0}) {
        // Pr[class 1 wins] = erfc(lead / (2 sigma)) / 2 with a lead that a vote changes by two.
        const auto probability = [&](std::int32_t lead) {
          return 0.5L * std::erfc(static_cast<long double>(lead) / 8.0L);
        };
        const std::int32_t lead = counts[0] - counts[1];
        double expected = 0.0;
        for (const std::int32_t other : {lead - 2, lead + 2}) {
          if (other > 250) continue;
          const long double p = probability(lead);
          const long double r = probability(other);
          expected = std::max(expected, renyi_divergence({p, 1.0L - p}, {r, 1.0L - r}, order));
        }
        const double got = exact_of(gnmax(sigma), counts, order).forward;
        INFO("gap ", gap, " order ", order);
        if (expected > 1e-15) CHECK(relative_error(got, expected) < 2e-9);
        CHECK(got >= expected * (1.0 - 1e-12));
      }
    }
  }

  TEST_CASE("two classes near order 1 and with little noise, against 120 digits") {
    struct Case {
      Counts counts;
      Aggregator aggregator;
      double order, forward, reverse;
    };
    const auto gnmax = [](double sigma) {
      return Aggregator{std::nullopt, GaussianNoisyMax{sigma}};
    };
    const auto lnmax = [](double scale) {
      return Aggregator{std::nullopt, LaplaceNoisyMax{scale}};
    };
    const std::vector<Case> cases{
        {{4, 97},
         gnmax(279.25),
         1.00000011824965,
         8.0021773250775852153e-6,
         8.0061786207136489358e-6},
        {{169, 831},
         confident(831.75, 5957.25, 176.875),
         1.0000001922126913,
         5.8246429570566789644e-7,
         5.8689946593533893981e-7},
        {{962, 38},
         confident(313.625, 4.5625, 203.9375),
         1.0000004282036592,
         1.980602614899752082e-7,
         1.9965411457240154813e-7},
        {{70, 51}, gnmax(10.0), 1.25, 0.0040857326868927102225, 0.004558486955137730104},
        {{70, 51}, gnmax(10.0), 1.2499999, 0.0040857323896991907431, 0.0045584865571160933445},
        {{2, 1}, lnmax(0.05), 1.0000001425995975, 18.295251481623738975, 18.295251481623738975},
        {{2, 1}, lnmax(0.05), 2.0, 20.668656161607776653, 18.29525188508888373},
        {{2, 1}, lnmax(0.0625), 1.0259492450882532, 14.495911778539496137, 14.495911778539496137},
        {{10, 1}, lnmax(0.05), 104.25, 38.094963322889326418, 38.43045991237900435}};
    for (const Case& c : cases) {
      const BothDirections found = exact_of(c.aggregator, c.counts, c.order);
      INFO(show_counts(c.counts), " order ", c.order);
      CHECK(covers_closely(found.forward, c.forward));
      CHECK(covers_closely(found.reverse, c.reverse));
    }
  }

  TEST_CASE("no cost is above what the trade-off bound proves, nor lost in a NaN") {
    const ExactMechanism mechanism(confident(60.0, 15.0, 15.0), {}, 100);
    ExactCost exact(mechanism, mechanism.group(Counts{70, 20, 10}, {}));
    const BothDirections honest = exact.largest(8.0);
    // A bound that would prove less is believed: the exact cost is not above it.
    const BothDirections less = exact.largest(8.0, {-20.0, -20.0});
    CHECK(less.forward < honest.forward);
    CHECK(less.reverse < honest.reverse);
    const BothDirections none = exact.largest(8.0, {std::nan(""), std::nan("")});
    CHECK(none.forward == honest.forward);
    CHECK(none.reverse == honest.reverse);
  }

  TEST_CASE("costs so small that they underflow, and so large that moments overflow") {
    const Counts unanimous{5000, 0, 0};
    const BothDirections tiny = exact_of(gnmax(20.0), unanimous, 10.0);
    CHECK(tiny.forward > 0.0);
    CHECK(tiny.larger() <= 1e-300);
    const Counts split{20, 19, 3};
    for (const double order : {5000.0, 10000.0}) {
      const BothDirections large = exact_of(gnmax(1.0), split, order);
      CHECK(std::isfinite(large.larger()));
      // No more than the largest ratio of probabilities, and no less than a smaller order's.
      CHECK(large.larger() >= exact_of(gnmax(1.0), split, 500.0).larger());
      CHECK(large.larger() < 400.0);
    }
  }

  TEST_CASE("noise far below a vote is charged with the trade-off bound") {
    const Counts counts{9, 7, 0};
    const ExactMechanism mechanism(gnmax(0.01), {}, 16);
    ExactCost exact(mechanism, mechanism.group(counts, {}));
    CHECK(exact.outcomes() == nullptr);
    CHECK_FALSE(exact.worst_neighbour_at(3.0));
    const double log_q = pate::log_q(GaussianNoisyMax{0.01}, counts);
    const BothDirections bound = tradeoff_cost(GaussianNoisyMax{0.01}, log_q, 3.0);
    CHECK(exact.largest(3.0).forward == bound.forward);
    CHECK(exact.largest(3.0).reverse == bound.reverse);
    CHECK(exact_of(lnmax(1e-3), counts, 3.0).larger() > 0.0);
    // Just above, the bound still holds for what is exact.
    const Counts close{4, 3, 1};
    const double close_q = pate::log_q(GaussianNoisyMax{0.25}, close);
    for (const double order : kOrders) {
      const BothDirections at = exact_of(gnmax(0.25), close, order);
      CHECK(at.larger() > 0.0);
      CHECK(at.larger() <= tradeoff_cost(GaussianNoisyMax{0.25}, close_q, order).larger());
    }
  }

  TEST_CASE("counts a million deviations apart are charged with the trade-off bound") {
    const Counts counts{600'000, 399'990, 10};
    const GaussianNoisyMax noise{0.29};
    const ExactMechanism mechanism(gnmax(0.29), {}, 1'000'000);
    ExactCost exact(mechanism, mechanism.group(counts, {}));
    CHECK(exact.outcomes() == nullptr);
    const Counts tied{400'000, 400'000, 200'000};
    ExactCost contested(mechanism, mechanism.group(tied, {}));
    CHECK(contested.outcomes() == nullptr);
    const BothDirections bound = tradeoff_cost(noise, pate::log_q(noise, tied), 3.0);
    CHECK(contested.largest(3.0).forward == bound.forward);
    CHECK(contested.largest(3.0).reverse == bound.reverse);
    // Where they are near, they are not.
    ExactCost near(mechanism, mechanism.group(Counts{334'000, 333'000, 333'000}, {}));
    CHECK(near.outcomes() != nullptr);
  }

  TEST_CASE("one class has no neighbours and costs nothing") {
    CHECK(exact_of(gnmax(5.0), {12}, 4.0).larger() == 0.0);
    CHECK(exact_of(lnmax(5.0), {12}, 4.0).larger() == 0.0);
    CHECK(exact_of(confident(6.0, 3.0, 5.0), {12}, 4.0).larger() == 0.0);
  }

  TEST_CASE("where the selection dominates, the trade-off bound adds next to nothing") {
    // 3800 of 5000 votes, the others far away: log q is about -300.
    Counts counts(150, 8);
    counts[0] = 5000 - 149 * 8;
    for (const double order : {2.0, 16.0, 64.0}) {
      const BothDirections joint = exact_of(confident(3000.0, 1000.0, 100.0), counts, order);
      double expected = 0.0;
      for (const std::int64_t v : {counts[0] - 1, counts[0] + 1}) {
        const LogBernoulliPair pair = answer_pair({3000.0, 1000.0}, counts[0], v);
        expected = std::max({expected, log1pexp(log_bernoulli_excess(pair, order)),
                             log1pexp(log_bernoulli_excess(reversed(pair), order))});
      }
      CHECK(covers_closely(joint.larger(), expected / (order - 1.0)));
    }
  }

  // From where the selection costs far more to where it costs nothing beside the noisy maximum.
  TEST_CASE("where the trade-off bound may take the place of exact costs, they are as close") {
    Random random(652);
    int small = 0;
    for (int i = 0; i < 120; ++i) {
      const std::int32_t lead = static_cast<std::int32_t>(random.integer(30, 90));
      const Counts counts = i % 3 == 0 ? Counts{100, 0, 0} : Counts{100, 100 - lead, 3, 0};
      const double sigma2 = random.log_uniform(1.5, 12.0);
      const double sigma1 = random.log_uniform(2.0, 60.0);
      const Aggregator aggregator =
          confident(100.0 - sigma1 * random.uniform(-3.0, 20.0), sigma1, sigma2);
      const ExactMechanism mechanism(aggregator, {}, sum_of(counts));
      ExactCost exact(mechanism, mechanism.group(counts, {}));
      const GroupedVotes& votes = exact.votes();
      const auto outcomes = mechanism.outcomes(votes);
      REQUIRE(outcomes);
      const double order = kOrders[1 + static_cast<std::size_t>(i) % 4];
      BothDirections expected{-kInfinity, -kInfinity};
      for (std::size_t k = 0; k < outcomes->neighbours().size(); ++k) {
        const auto [from, to] = outcomes->neighbours()[k];
        const LogBernoulliPair pair =
            answer_pair(*aggregator.selection, votes.statistic,
                        votes.statistic + statistic_change(votes, from, to));
        const BothDirections excess = outcomes->log_excess(k, order);
        expected.forward =
            std::max(expected.forward, log_answer_line(pair, order).at(excess.forward));
        expected.reverse =
            std::max(expected.reverse, log_answer_line(reversed(pair), order).at(excess.reverse));
      }
      const BothDirections got = exact.largest(order);
      INFO(show_counts(counts), " T ", aggregator.selection->threshold, " sigma1 ", sigma1,
           " sigma2 ", sigma2, " order ", order);
      for (const Direction direction : {Direction::forward, Direction::reverse}) {
        const double cost = log1pexp(expected.of(direction)) / (order - 1.0);
        CHECK(got.of(direction) >= cost * (1.0 - 1e-12));
        if (cost > kMinReported) CHECK(got.of(direction) <= cost * (1.0 + 1e-10));
      }
      if (exact.log_q() < -30.0) ++small;
    }
    CHECK(small > 40);
  }

  TEST_CASE("the plurality is beaten no more often than is said, here and one vote away") {
    Random random(653);
    int close = 0;
    for (int i = 0; i < 80; ++i) {
      const Counts counts = random_histogram(random, random.integer(1, 60), random.integer(2, 5));
      const double noise = random.log_uniform(0.5, 20.0);
      const bool gaussian = i % 2 == 0;
      const Aggregator aggregator = gaussian ? gnmax(noise) : lnmax(noise);
      const ExactMechanism mechanism(aggregator, {}, sum_of(counts));
      const double log_bound =
          ExactCost(mechanism, mechanism.group(counts, {})).log_other_outcomes();
      CHECK(log_bound <= 0.0);
      const auto top = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
      long double largest = 0.0L;
      const auto look = [&](const Counts& at) {
        const Probabilities p =
            gaussian ? gaussian_outcomes(at, noise) : laplace_outcomes(at, noise);
        long double others = 0.0L;
        for (std::size_t j = 0; j < p.size(); ++j) others += j == top ? 0.0L : p[j];
        largest = std::max(largest, others);
      };
      look(counts);
      for_each_neighbour(counts, look);
      INFO(show_counts(counts), " noise ", noise);
      CHECK(log_bound >= static_cast<double>(std::log(largest)) - 1e-12);
      if (counts.size() == 2 && log_bound < 0.0 && largest > 1e-15L) {
        // The one other class, two votes nearer.
        CHECK(log_bound <= static_cast<double>(std::log(largest)) + 1e-6);
        ++close;
      }
    }
    CHECK(close > 3);
  }

  TEST_CASE("bad mechanisms are refused") {
    CHECK_THROWS_AS(ExactMechanism(gnmax(0.0), {}, 10), parameter_error);
    CHECK_THROWS_AS(ExactMechanism(lnmax(kNaN), {}, 10), parameter_error);
    CHECK_THROWS_AS(ExactMechanism(confident(kNaN, 1.0, 1.0), {}, 10), parameter_error);
  }
}
