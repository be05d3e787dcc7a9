// The bounds for several teachers that vote otherwise, and for teachers that are added or removed,
// against the mechanisms themselves: all votes of small ensembles, all their neighbours, both
// directions.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <sstream>

#include "pate/accounting/mechanism_counts.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/bounds/joint_cost.hpp"
#include "pate/divergence/bounds/query_cost.hpp"
#include "pate/divergence/bounds/step_cost.hpp"
#include "pate/mechanisms/aggregator.hpp"
#include "pate/mechanisms/noisy_max.hpp"
#include "support/accuracy.hpp"
#include "support/neighbour_votes.hpp"
#include "support/oracle.hpp"

using namespace pate;
using namespace pate_test;

namespace {

constexpr Neighbours kRelations[] = {
    {Adjacency::replace, 1},    {Adjacency::replace, 2},    {Adjacency::replace, 3},
    {Adjacency::add_remove, 1}, {Adjacency::add_remove, 2},
};
constexpr double kOrders[] = {1.2, 4.0, 24.0};
// Divergences below this are lost in the rounding of the quadrature.
constexpr double kSmallest = 1e-13;

std::string show_pair(const Neighbours& neighbours, const Counts& counts, const Counts& other,
                      double noise, double order) {
  std::ostringstream text;
  text << in_words(neighbours) << show({{"noise", noise}, {"order", order}});
  for (const std::int32_t n : counts) text << ' ' << n;
  text << " /";
  for (const std::int32_t n : other) text << ' ' << n;
  return text.str();
}

// Outcomes of one mechanism by histogram, each computed once.
class Outcomes {
 public:
  explicit Outcomes(std::function<Probabilities(const Counts&)> make) : make_(std::move(make)) {}
  const Probabilities& of(const Counts& counts) {
    const auto [found, is_new] = known_.try_emplace(counts);
    if (is_new) found->second = make_(counts);
    return found->second;
  }

 private:
  std::function<Probabilities(const Counts&)> make_;
  std::map<Counts, Probabilities> known_;
};

Neighbours relation_of(const OracleRow& row) {
  return {row.text().find("add_remove") != std::string::npos ? Adjacency::add_remove
                                                             : Adjacency::replace,
          row.count("moved")};
}

// {refused} and the classes.
Probabilities checked(Probabilities answers, const ThresholdCheck& check, const Counts& counts) {
  const long double z =
      (static_cast<long double>(check.threshold) - *std::ranges::max_element(counts)) /
      (std::numbers::sqrt2_v<long double> * static_cast<long double>(check.sigma1));
  for (long double& x : answers) x *= 0.5L * std::erfc(z);
  answers.push_back(0.5L * std::erfc(-z));
  return answers;
}

}  // namespace

TEST_SUITE("bounds") {
  TEST_CASE("costs for other neighbours against the oracle") {
    for (const OracleRow& row : oracle("neighbours_gaussian")) {
      const double order = row.number("lambda");
      Aggregator aggregator;
      aggregator.noisy_max = GaussianNoisyMax{row.number("sigma")};
      aggregator.selection = ThresholdCheck{row.number("T"), row.number("sigma1")};
      const Neighbours neighbours = relation_of(row);
      const NoisyStep step = aggregator.step(neighbours);
      const double q = row.number("log_q");
      const QueryCost any = data_independent_cost(aggregator, neighbours, order);
      CHECK_MESSAGE(covers(any.noisy_max, row.number("any_votes")), row.text());
      CHECK_MESSAGE(covers(any.selection, row.number("check_any_votes")), row.text());
      CHECK(relative_error(squared_gaussian_sensitivity(aggregator, neighbours) * order / 2.0,
                           row.number("any_votes") + row.number("check_any_votes")) < 1e-14);
      const BothDirections cost = tradeoff_cost(step, q, order);
      CHECK_MESSAGE(covers(cost.forward, row.number("forward")), row.text(),
                    show({{"got", cost.forward}}));
      CHECK_MESSAGE(covers(cost.reverse, row.number("reverse")), row.text(),
                    show({{"got", cost.reverse}}));
      const std::int64_t v = row.count("v");
      const JointCost joint(
          AnswerTable(*aggregator.selection, neighbours, v, v, row.count("teachers")), order,
          any.noisy_max);
      const double got = joint.cost(v, tradeoff_log_excess(step, q, order));
      CHECK_MESSAGE(covers(got, row.number("joint")), row.text(), show({{"got", got}}));
    }
    for (const OracleRow& row : oracle("neighbours_laplace")) {
      const double order = row.number("lambda");
      const NoisyStep step({LaplaceNoisyMax{row.number("scale")}}, relation_of(row));
      CHECK(relative_error(*step.pure_epsilon(), row.number("pure")) < 1e-15);
      CHECK_MESSAGE(covers(data_independent_cost(step, order), row.number("any_votes")),
                    row.text());
      const BothDirections cost = tradeoff_cost(step, row.number("log_q"), order);
      CHECK_MESSAGE(covers(cost.forward, row.number("forward")), row.text());
      CHECK_MESSAGE(covers(cost.reverse, row.number("reverse")), row.text());
    }
  }

  TEST_CASE("no neighbour of a noisy maximum diverges by more than its bounds") {
    struct Noise {
      NoisyMax noisy_max;
      double parameter;
      std::function<Probabilities(const Counts&)> outcomes;
    };
    std::vector<Noise> noises;
    for (const double noise : {0.7, 3.0}) {
      noises.push_back({NoisyMax{GaussianNoisyMax{noise}}, noise,
                        [=](const Counts& of) { return gaussian_outcomes(of, noise); }});
      noises.push_back({NoisyMax{LaplaceNoisyMax{noise}}, noise,
                        [=](const Counts& of) { return laplace_outcomes(of, noise); }});
    }
    double above_one_move = 0.0;  // of S votes, over the bound for one
    for (const Noise& noise : noises) {
      Outcomes outcomes(noise.outcomes);
      for (const Neighbours& neighbours : kRelations) {
        const NoisyStep step(noise.noisy_max, neighbours);
        double tightest = 0.0;
        for (std::int32_t teachers = 1; teachers <= 4; ++teachers) {
          for (const Counts& counts : all_histograms(teachers, 3)) {
            const double q = log_q(noise.noisy_max, counts);
            const Probabilities& p = outcomes.of(counts);
            for (const double order : kOrders) {
              const BothDirections bound = tradeoff_cost(step, q, order);
              const double any = data_independent_cost(step, order);
              const double published = published_cost(step, q, order);
              const double of_one = tradeoff_cost({noise.noisy_max, {}}, q, order).forward;
              for_each_neighbour(counts, neighbours, [&](const Counts& other) {
                const Probabilities& r = outcomes.of(other);
                const double forward = renyi_divergence(p, r, order);
                const double reverse = renyi_divergence(r, p, order);
                const auto where = show_pair(neighbours, counts, other, noise.parameter, order);
                CHECK_MESSAGE(forward <= bound.forward + kSmallest, where);
                CHECK_MESSAGE(reverse <= bound.reverse + kSmallest, where);
                CHECK_MESSAGE(forward <= published + kSmallest, where);
                CHECK_MESSAGE(std::max(forward, reverse) <= any + kSmallest, where);
                if (const auto pure = step.pure_epsilon()) {
                  for (std::size_t j = 0; j < p.size(); ++j) {
                    CHECK(std::abs(static_cast<double>(std::log(p[j] / r[j]))) <= *pure + 1e-9);
                  }
                }
                tightest = std::max({tightest, forward / bound.forward, reverse / bound.reverse});
                above_one_move = std::max(above_one_move, forward / of_one);
              });
            }
          }
        }
        // The ensembles put the bounds to the test. A vote more moves all differences of counts by
        // less than its own length: sqrt(2/3) of it with three classes.
        CHECK_MESSAGE(tightest > (neighbours.adds_or_removes() ? 0.4 : 0.5), in_words(neighbours));
      }
    }
    CHECK(above_one_move > 2.0);  // what holds for one vote does not hold for several
  }

  TEST_CASE("no neighbour of a checked query diverges by more than the joint cost") {
    for (const double sigma1 : {0.8, 4.0}) {
      for (const double threshold : {1.0, 3.0}) {
        const ThresholdCheck check{threshold, sigma1};
        const double sigma2 = 1.5;
        Outcomes outcomes(
            [&](const Counts& of) { return checked(gaussian_outcomes(of, sigma2), check, of); });
        for (const Neighbours& neighbours : kRelations) {
          Aggregator aggregator;
          aggregator.selection = check;
          aggregator.noisy_max = GaussianNoisyMax{sigma2};
          double tightest = 0.0;
          for (std::int32_t teachers = 1; teachers <= 5; ++teachers) {
            for (const Counts& counts : all_histograms(teachers, 3)) {
              const std::int64_t v = *std::ranges::max_element(counts);
              const double q = log_q(aggregator.noisy_max, counts);
              const Probabilities& p = outcomes.of(counts);
              for (const double order : kOrders) {
                const QueryCost any = data_independent_cost(aggregator, neighbours, order);
                const JointCost joint(
                    AnswerTable(*aggregator.selection, neighbours, v, v, teachers), order,
                    any.noisy_max);
                const BothDirections bound =
                    joint.costs(v, tradeoff_log_excess(aggregator.step(neighbours), q, order));
                for_each_neighbour(counts, neighbours, [&](const Counts& other) {
                  const Probabilities& r = outcomes.of(other);
                  const double forward = renyi_divergence(p, r, order);
                  const double reverse = renyi_divergence(r, p, order);
                  const auto where = show_pair(neighbours, counts, other, sigma1, order);
                  CHECK_MESSAGE(forward <= bound.forward + kSmallest, where);
                  CHECK_MESSAGE(reverse <= bound.reverse + kSmallest, where);
                  CHECK_MESSAGE(std::max(forward, reverse) <= any.total() + kSmallest, where);
                  tightest = std::max({tightest, forward / bound.forward, reverse / bound.reverse});
                });
              }
            }
          }
          CHECK_MESSAGE(tightest > 0.5, in_words(neighbours));
        }
      }
    }
  }

  TEST_CASE("one Laplace noise for several votes") {
    for (const double scale : {0.8, 5.0}) {
      for (const std::int64_t moved : {2, 3}) {
        const Neighbours neighbours{Adjacency::replace, moved};
        const NoisyStep step({OneLaplaceNoise{scale}}, neighbours);
        for (std::int32_t teachers = 3; teachers <= 8; ++teachers) {
          for (const Counts& counts : all_histograms(teachers, 2)) {
            const auto outcomes = [&](const Counts& of) {
              const auto lead = static_cast<long double>(of[1] - of[0]) / (2.0L * scale);
              const long double rarer = 0.5L * std::exp(-std::abs(lead));
              return lead < 0.0L ? Probabilities{1.0L - rarer, rarer}
                                 : Probabilities{rarer, 1.0L - rarer};
            };
            const double q = log_q(step.noisy_max(), counts);
            for (const double order : kOrders) {
              const BothDirections bound = tradeoff_cost(step, q, order);
              for_each_neighbour(counts, neighbours, [&](const Counts& other) {
                const double forward = renyi_divergence(outcomes(counts), outcomes(other), order);
                const double reverse = renyi_divergence(outcomes(other), outcomes(counts), order);
                const auto where = show_pair(neighbours, counts, other, scale, order);
                CHECK_MESSAGE(forward <= bound.forward + kSmallest, where);
                CHECK_MESSAGE(reverse <= bound.reverse + kSmallest, where);
              });
            }
          }
        }
      }
    }
  }

  TEST_CASE("more teachers cost more, and one replaced costs two that are added and removed") {
    for (const double order : {1.5, 20.0}) {
      for (const double q : {-40.0, -3.0, -0.1}) {
        for (const NoisyMax& noise :
             {NoisyMax{GaussianNoisyMax{30.0}}, NoisyMax{LaplaceNoisyMax{20.0}}}) {
          BothDirections before;
          for (const std::int64_t teachers : {1, 2, 3, 10}) {
            const NoisyStep replaced(noise, {Adjacency::replace, teachers});
            const NoisyStep added(noise, {Adjacency::add_remove, teachers});
            const BothDirections cost = tradeoff_cost(replaced, q, order);
            CHECK(cost.forward > before.forward);
            CHECK(cost.reverse > before.reverse);
            CHECK(tradeoff_cost(added, q, order).larger() < cost.larger());
            CHECK(data_independent_cost(added, order) < data_independent_cost(replaced, order));
            const NoisyStep twice(noise, {Adjacency::add_remove, 2 * teachers});
            CHECK(data_independent_cost(twice, order) >= data_independent_cost(replaced, order));
            before = cost;
          }
        }
      }
    }
  }

  TEST_CASE("relations that have no cost") {
    CHECK_THROWS_AS(validate(Neighbours{Adjacency::replace, 0}), parameter_error);
    const Aggregator of_two_classes{{}, {OneLaplaceNoise{2.0}}};
    const auto cost = [&](const Neighbours& neighbours) {
      return steps_of(of_two_classes, neighbours, 1, 1).rdp(2.0).total();
    };
    CHECK(cost({Adjacency::replace, 2}) > 0.0);
    CHECK_THROWS_AS(cost({Adjacency::add_remove, 1}), parameter_error);
    CHECK_THROWS_AS(cost({Adjacency::replace, 0}), parameter_error);
  }
}
