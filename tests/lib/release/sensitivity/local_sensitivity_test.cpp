#include "pate/release/sensitivity/local_sensitivity.hpp"
#include "pate/divergence/bounds/query_cost.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "pate/release/sensitivity/neighbour_q.hpp"
#include "pate/release/sensitivity/sensitivity_table.hpp"
#include "pate/release/smooth/release_cost.hpp"
#include "pate/votes/selection_statistic.hpp"
#include "support/accuracy.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

// An ensemble, its aggregator and what is released of it.
struct Setting {
  std::int32_t teachers;
  std::size_t classes;
  Aggregator aggregator;
  double order;
  ReleasedCost cost = ReleasedCost::joint;
  ReleasedBound bound = ReleasedBound::tradeoff;
  bool answered = false;          // with `realized`
  std::vector<double> student{};  // Interactive
};

Aggregator confident(double threshold, double sigma1, double sigma2, bool interactive = false) {
  Aggregator aggregator;
  aggregator.selection = ThresholdCheck{threshold, sigma1};
  aggregator.noisy_max = GaussianNoisyMax{sigma2};
  aggregator.interactive = interactive;
  return aggregator;
}

Aggregator gnmax(double sigma) {
  Aggregator aggregator;
  aggregator.noisy_max = GaussianNoisyMax{sigma};
  return aggregator;
}

Aggregator lnmax(double scale) {
  Aggregator aggregator;
  aggregator.noisy_max = LaplaceNoisyMax{scale};
  return aggregator;
}

std::int64_t statistic_of(const Setting& setting, const Histogram& counts) {
  if (!setting.aggregator.selection) return 0;
  if (setting.student.empty()) return top_count(counts);
  return interactive_statistic(counts, setting.student, setting.teachers);
}

CostAtOrder cost_of(const Setting& setting, const std::vector<ProfiledQuery>& queries) {
  CostChoice choice;
  choice.bound = setting.bound;
  choice.cost = setting.cost;
  choice.resolution = GridResolution::coarse();
  choice.most_votes = setting.teachers;
  choice.threads = 1;
  return cost_at_order(profile_of(setting.aggregator, queries), setting.order, choice);
}

// Checks every histogram of an ensemble, one query each. Returns the largest ratio found between
// the true local sensitivity at a distance and its bound.
double check_all_histograms(const Setting& setting) {
  const std::vector<Histogram> histograms = all_histograms(setting.teachers, setting.classes);
  // The cost depends on v and the sorted counts: few computations for many histograms.
  std::map<std::pair<std::int64_t, Histogram>, CostAtOrder> known;
  std::vector<const CostAtOrder*> cost;
  for (const Histogram& counts : histograms) {
    Histogram sorted = counts;
    std::sort(sorted.begin(), sorted.end());
    const std::int64_t v = statistic_of(setting, counts);
    auto found = known.find({v, sorted});
    if (found == known.end()) {
      found = known.emplace(std::pair(v, sorted), cost_of(setting, {{counts, v, setting.answered}}))
                  .first;
    }
    cost.push_back(&found->second);
  }
  const std::size_t size = histograms.size();
  std::vector<double> truth(size, 0.0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      if (distance(histograms[i], histograms[j]) != 1) continue;
      truth[i] = std::max(truth[i], std::abs(cost[i]->rdp - cost[j]->rdp));
    }
  }
  double tightest = 0.0;
  int wrong = 0;
  int rough = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::vector<double>& bound = cost[i]->local.at;
    REQUIRE(bound.size() == static_cast<std::size_t>(setting.teachers) + 1);
    std::vector<double> largest(bound.size(), 0.0);
    for (std::size_t j = 0; j < size; ++j) {
      const auto d = static_cast<std::size_t>(distance(histograms[i], histograms[j]));
      largest[d] = std::max(largest[d], truth[j]);
      if (d != 1) continue;
      const std::vector<double>& other = cost[j]->local.at;
      for (std::size_t k = 0; k + 1 < bound.size(); ++k) {
        if (!(bound[k] <= other[k + 1])) ++rough;
      }
    }
    for (std::size_t d = 0; d < bound.size(); ++d) {
      if (d > 0) largest[d] = std::max(largest[d], largest[d - 1]);
      if (!(bound[d] >= largest[d])) ++wrong;
      if (largest[d] > 1e-12) tightest = std::max(tightest, largest[d] / bound[d]);
    }
    // Beyond all votes there is nothing: the last is the largest of all.
    if (!(bound.back() <= cost[0]->local.at.back() * (1.0 + 1e-9))) ++rough;
  }
  CHECK_MESSAGE(wrong == 0, "below the true local sensitivity: ", wrong);
  CHECK_MESSAGE(rough == 0, "not smooth: ", rough);
  return tightest;
}

}  // namespace

TEST_SUITE("sensitivity") {
  TEST_CASE("all histograms: local sensitivities are never too small and never rough") {
    double tightest = 0.0;
    for (const double order : {1.5, 6.0, 30.0}) {
      for (const Setting& setting : {
               Setting{20, 2, confident(14, 6, 3), order},
               Setting{20, 4, confident(12, 5, 2.5), order},
               Setting{12, 3, confident(30, 8, 4), order},
               Setting{9, 3, confident(2, 0.7, 0.8), order},
               Setting{15, 3, confident(8, 300, 500), order},
               Setting{20, 3, gnmax(4), order},
               Setting{7, 4, gnmax(0.4), order},
               Setting{20, 2, gnmax(2.5), order},
               Setting{16, 4, lnmax(4), order},
               Setting{16, 3, lnmax(0.6), order},
           }) {
        CAPTURE(setting.teachers);
        CAPTURE(setting.classes);
        CAPTURE(order);
        CAPTURE(setting.aggregator.name());
        tightest = std::max(tightest, check_all_histograms(setting));
      }
    }
    CHECK(tightest > 0.7);
  }

  TEST_CASE("all histograms, realized: checks of all queries, noisy maxima of the answered") {
    for (const double order : {2.0, 12.0}) {
      for (const bool answered : {false, true}) {
        CAPTURE(answered);
        Setting setting{14, 3, confident(9, 4, 3), order, ReleasedCost::realized};
        setting.answered = answered;
        CHECK(check_all_histograms(setting) > 0.5);
      }
    }
  }

  TEST_CASE("all histograms, interactive: the statistic is the lead over the student") {
    for (const ReleasedCost cost : {ReleasedCost::joint, ReleasedCost::realized}) {
      Setting setting{11, 3, confident(4, 3, 2, true), 8.0, cost};
      setting.answered = true;
      setting.student = {0.55, 0.15, 0.3};
      CHECK(check_all_histograms(setting) > 0.3);
    }
  }

  TEST_CASE("all histograms of two classes with the exact cost") {
    for (const double order : {1.5, 9.0, 40.0}) {
      for (const std::int32_t teachers : {2, 7, 20}) {
        for (const Aggregator& aggregator :
             {confident(0.7 * teachers, 5, 3), confident(1.2 * teachers, 0.8, 0.5), gnmax(2)}) {
          Setting setting{teachers, 2, aggregator, order};
          setting.bound = ReleasedBound::exact;
          CAPTURE(teachers);
          CAPTURE(order);
          // A walk over integers: nothing is given away.
          CHECK(check_all_histograms(setting) > 0.99999);
        }
      }
    }
  }

  TEST_CASE("random walks: costs and smooth sensitivities of large ensembles change slowly") {
    Random random(411);
    for (const Setting& setting : {
             Setting{250, 10, confident(200, 150, 40), 9.0},
             Setting{250, 10, confident(200, 15, 6), 4.0},
             Setting{100, 150, confident(60, 30, 10), 12.0},
             Setting{250, 2, confident(300, 200, 40), 10.0, ReleasedCost::joint,
                     ReleasedBound::exact},
             Setting{250, 10, gnmax(40), 14.0},
             Setting{120, 10, lnmax(20), 8.0},
             Setting{2000, 20, confident(1200, 400, 60), 20.0},
         }) {
      CAPTURE(setting.teachers);
      CAPTURE(setting.aggregator.name());
      const double beta = 0.7 * 0.5 / setting.order;
      std::vector<Histogram> votes;
      for (int i = 0; i < 12; ++i) {
        Histogram counts(setting.classes, 0);
        const std::int64_t favoured = random.integer(0, setting.teachers);
        for (std::int64_t t = 0; t < setting.teachers; ++t) {
          const auto last = static_cast<std::int64_t>(setting.classes) - 1;
          ++counts[t < favoured ? 0U : static_cast<std::size_t>(random.integer(0, last))];
        }
        votes.push_back(counts);
      }
      std::optional<CostAtOrder> before;
      for (int step = 0; step < 8; ++step) {
        std::vector<ProfiledQuery> queries;
        for (const Histogram& counts : votes) {
          queries.push_back({counts, statistic_of(setting, counts)});
        }
        const CostAtOrder here = cost_of(setting, queries);
        if (before) {
          const double s = smooth_sensitivity(here.local, beta).value;
          const double t = smooth_sensitivity(before->local, beta).value;
          CHECK(std::abs(std::log(s / t)) <= beta * (1.0 + 1e-9));
          CHECK(std::abs(here.rdp - before->rdp) <= std::min(s, t));
          CHECK(std::abs(here.rdp - before->rdp) <=
                std::min(here.local.at[0], before->local.at[0]));
        }
        before = here;
        // One teacher changes its mind, for the better or the worse, on every query.
        for (Histogram& counts : votes) {
          std::size_t from = 0;
          std::size_t to = 0;
          const auto last = static_cast<std::int64_t>(setting.classes) - 1;
          do {
            from = static_cast<std::size_t>(random.integer(0, last));
          } while (counts[from] == 0);
          if (random.integer(0, 1) == 0) {
            const auto top = std::max_element(counts.begin(), counts.end()) - counts.begin();
            (random.integer(0, 1) == 0 ? from : to) = static_cast<std::size_t>(top);
          } else {
            to = static_cast<std::size_t>(random.integer(0, last));
          }
          --counts[from];
          ++counts[to];
        }
      }
    }
  }

  TEST_CASE("a local sensitivity is the largest entry of the rectangles it is defined by") {
    Random random(436);
    constexpr std::int64_t kTeachers = 60;
    constexpr double kOrder = 6.0;
    for (const double sigma1 : {4.0, 25.0}) {
      const Aggregator aggregator = confident(35.0, sigma1, 7.0);
      std::vector<ProfiledQuery> queries;
      for (int i = 0; i < 40; ++i) {
        const Histogram counts = random_histogram(random, kTeachers, 4);
        queries.push_back({counts, top_count(counts)});
      }
      const VoteProfile votes = profile_of(aggregator, queries);
      const ExcessCurve curve(aggregator.noisy_max, kTeachers, 4, kOrder, 1);
      const GridResolution resolution = GridResolution::coarse();
      const LocalSensitivity local =
          tradeoff_local_sensitivity(votes, curve, ReleasedCost::joint, resolution, kTeachers, 1);
      const QGrid grid(curve, aggregator.noisy_max, 4, resolution, 1);
      const AnswerTable ladder(*aggregator.selection, {}, 0, kTeachers, kTeachers);
      const SensitivityTable table(grid, ladder, kOrder, curve.log_cap(), 0, kTeachers, 1);
      const UnionBoundTable terms(pair_term(aggregator.noisy_max), kTeachers);
      std::vector<double> expected(kTeachers + 1, 0.0);
      for (std::size_t i = 0; i < votes.distinct.size(); ++i) {
        const std::int64_t v = votes.distinct[i].statistic;
        QBoundsByDistance walk(terms, votes.histogram(i));
        std::size_t low = grid.size() - 1;
        std::size_t high = 0;
        for (std::int64_t d = 0; d <= kTeachers; ++d) {
          if (d > 0) walk.step();
          low = std::min(low, grid.find(walk.log_q_low(), low));
          high = std::max(high, grid.find(walk.log_q_high(), high));
          float largest = 0.0F;
          for (std::int64_t w = std::max<std::int64_t>(v - d, 0); w <= std::min(v + d, kTeachers);
               ++w) {
            for (std::size_t k = low; k <= high; ++k) largest = std::max(largest, table.row(w)[k]);
          }
          expected[static_cast<std::size_t>(d)] += static_cast<double>(largest);
        }
      }
      REQUIRE(local.at.size() == expected.size());
      for (std::size_t d = 0; d < expected.size(); ++d) {
        CHECK_MESSAGE(relative_error(local.at[d], expected[d]) < 1e-9, d);
      }
    }
  }

  TEST_CASE("a finer grid gives smaller sensitivities, and fewer distances the same") {
    const Aggregator aggregator = confident(60, 20, 10);
    const VoteProfile votes = profile_of(
        aggregator, {{{70, 20, 10}, 70}, {{40, 35, 25}, 40}, {{98, 1, 1}, 98}, {{50, 50, 0}, 50}});
    const ExcessCurve curve(aggregator.noisy_max, 100, 3, 10.0, 1);
    const auto at = [&](const GridResolution& resolution, std::int64_t most, unsigned threads) {
      return tradeoff_local_sensitivity(votes, curve, ReleasedCost::joint, resolution, most,
                                        threads);
    };
    const LocalSensitivity fine = at({}, 100, 1);
    const LocalSensitivity coarse = at(GridResolution::coarse(), 100, 1);
    const LocalSensitivity few = at({}, 10, 2);
    CHECK(fine.complete);
    CHECK_FALSE(few.complete);
    CHECK(few.at.size() == 11);
    for (std::size_t d = 0; d < fine.at.size(); ++d) {
      // Cells of either grid stick out of the rectangle at their own places.
      CHECK(fine.at[d] <= coarse.at[d] * 1.01);
      CHECK(coarse.at[d] <= fine.at[d] * 1.3);
      CHECK(fine.at[d] <= fine.beyond);
      if (d < few.at.size()) CHECK(few.at[d] == fine.at[d]);
    }
    CHECK(at({}, 100, 2).at == fine.at);
    CHECK(
        fine.beyond ==
        doctest::Approx(4.0 * data_independent_cost(aggregator, {}, 10.0).total()).epsilon(1e-14));
    // With little smoothing the maximum is where nothing was computed, and it says so.
    CHECK(smooth_sensitivity(few, 1e-4).at_end);
    CHECK(smooth_sensitivity(few, 1e-4).value >= smooth_sensitivity(fine, 1e-4).value);
    CHECK_FALSE(smooth_sensitivity(fine, 1e-4).at_end);
  }

  TEST_CASE("unanimous votes are not in the cell of everything that is too small to tell apart") {
    const Aggregator aggregator = confident(220.0, 120.0, 45.0);
    const ExcessCurve curve(aggregator.noisy_max, 250, 10, 20.0, 1);
    for (const GridResolution& resolution : {GridResolution{}, GridResolution::coarse()}) {
      const QGrid grid(curve, aggregator.noisy_max, 10, resolution, 1);
      CHECK(grid.find(curve.log_q_unanimous(), 0) == 1);
      CHECK(grid.find(curve.log_q_unanimous() * (1.0 + 1e-12), grid.size() - 1) == 1);
    }
    Histogram unanimous(10, 0);
    unanimous[0] = 250;
    const auto votes = profile_of(aggregator, {{unanimous, 250, false}});
    const auto local = tradeoff_local_sensitivity(votes, curve, ReleasedCost::joint, {}, 1, 1);
    // From the costs of the two histograms that unanimous votes and one moved vote make.
    const Setting setting{250, 10, aggregator, 20.0};
    Histogram moved = unanimous;
    --moved[0];
    ++moved[1];
    const double change = std::abs(cost_of(setting, {{moved, 249, false}}).rdp -
                                   cost_of(setting, {{unanimous, 250, false}}).rdp);
    CHECK(local.at[0] >= change);
    CHECK(local.at[0] <= 2.0 * change);
  }
}
