#include "pate/release/curve/top_count_costs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "pate/base/error.hpp"
#include "pate/divergence/exact/exact_cost.hpp"
#include "pate/release/curve/costs_within_distance.hpp"
#include "pate/release/curve/move_excesses.hpp"
#include "pate/release/sensitivity/two_class_cost.hpp"
#include "support/accuracy.hpp"
#include "support/random.hpp"
#include "support/votes.hpp"

using namespace pate;

TEST_SUITE_BEGIN("release");

// With counts in steps a row is too short to be interpolated: every cost is evaluated.
TEST_CASE("key costs: interpolated ones are not below those evaluated, and within 1e-9") {
  constexpr std::int64_t kTeachers = 1200;
  constexpr std::int32_t kStep = 60;
  for (const std::int64_t classes : {3, 10}) {
    for (const double sigma : {20.0, 60.0}) {
      CAPTURE(classes);
      CAPTURE(sigma);
      // Without cells, where nothing costs less with a larger second count.
      const TiltedCost cost({sigma}, ThresholdCheck{700, 250}, kTeachers, classes, 9.0, 1, 0);
      const KeyCosts all(cost, KeyCosts::Keys::two, 2);
      const KeyCosts some(cost, KeyCosts::Keys::two, 2, {}, kStep);
      // Here it is long enough.
      const KeyCosts many(cost, KeyCosts::Keys::two, 2, {}, kStep / 10);
      int compared = 0;
      for (std::int32_t v = 1; v <= kTeachers / kStep; ++v) {
        for (std::int32_t x2 = 0; x2 <= v && v + x2 <= kTeachers / kStep; ++x2) {
          if (v + (classes - 1) * x2 < kTeachers / kStep) continue;
          const std::vector<std::int32_t> steps{v, x2};
          const std::vector<std::int32_t> counts{v * kStep, x2 * kStep};
          const CostUnits evaluated = some.within(steps)[0];
          const CostUnits interpolated = all.within(counts)[0];
          CHECK(interpolated >= evaluated);
          CHECK(interpolated <= evaluated + evaluated / 1'000'000'000 + 1);
          const std::vector<std::int32_t> small_steps{v * 10, x2 * 10};
          const CostUnits in_steps = many.within(small_steps)[0];
          CHECK(in_steps >= evaluated);
          CHECK(in_steps <= evaluated + evaluated / 1'000'000'000 + 1);
          ++compared;
        }
      }
      CHECK(compared > 40);
    }
  }
}

// With cells a smaller second count may cost more, and there are more of them without steps.
TEST_CASE("key costs: interpolated ones with cells are not below those evaluated") {
  constexpr std::int64_t kTeachers = 1200;
  constexpr std::int32_t kStep = 60;
  for (const std::int64_t classes : {2, 3, 10}) {
    for (const double sigma : {20.0, 60.0}) {
      CAPTURE(classes);
      CAPTURE(sigma);
      const TiltedCost cost({sigma}, ThresholdCheck{700, 250}, kTeachers, classes, 9.0);
      const TiltedCost without({sigma}, ThresholdCheck{700, 250}, kTeachers, classes, 9.0, 1, 0);
      const KeyCosts all(cost, KeyCosts::Keys::two, 2);
      const KeyCosts some(cost, KeyCosts::Keys::two, 2, {}, kStep);
      const KeyCosts above(without, KeyCosts::Keys::two, 2);
      for (std::int32_t v = 1; v <= kTeachers / kStep; ++v) {
        for (std::int32_t x2 = 0; x2 <= v && v + x2 <= kTeachers / kStep; ++x2) {
          if (v + (classes - 1) * x2 < kTeachers / kStep) continue;
          const CostUnits evaluated = some.within(std::vector<std::int32_t>{v, x2})[0];
          const std::vector<std::int32_t> counts{v * kStep, x2 * kStep};
          const CostUnits interpolated = all.within(counts)[0];
          CHECK(interpolated >= evaluated);
          CHECK(static_cast<double>(interpolated) <=
                static_cast<double>(above.within(counts)[0]) * (1.0 + 1e-8) + 2.0);
        }
      }
    }
  }
}

TEST_CASE("key costs: what is done is told, up to all of it") {
  const TiltedCost cost({15.0}, ThresholdCheck{50, 20}, 90, 4, 6.0);
  for (const KeyCosts::Keys keys : {KeyCosts::Keys::two, KeyCosts::Keys::three}) {
    std::int64_t last = 0;
    std::int64_t all = 0;
    const KeyCosts costs(cost, keys, 1, [&](std::int64_t done, std::int64_t total) {
      CHECK(done > last);
      CHECK(done <= total);
      last = done;
      all = total;
    });
    CHECK(last > 0);
    CHECK(last == all);
  }
}

TEST_CASE("key costs: by two keys those of several orders are the bits of each alone") {
  constexpr std::int64_t kTeachers = 420;
  std::vector<TiltedCost> costs;
  // The last one is hopeless: only its data-independent cost is left.
  for (const double order : {2.5, 6.0, 25.0, 500.0}) {
    costs.emplace_back(GaussianNoisyMax{15.0}, ThresholdCheck{250, 90}, kTeachers, 10, order);
  }
  const std::vector<KeyCosts> together = KeyCosts::at_orders(costs, 2);
  REQUIRE(together.size() == costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    CHECK(!together[i].three_keys());
    std::vector<CostUnits> these;
    std::vector<CostUnits> those;
    together[i].store(these);
    KeyCosts(costs[i], KeyCosts::Keys::automatic, 1).store(those);
    CHECK(these == those);
  }
  CHECK(KeyCosts::at_orders({}, 1).empty());
}

// What is far behind is taken to be as near as far is: a little more, never less.
TEST_CASE("key costs: classes far behind cost no less than at their own gap") {
  const TiltedCost cost({15.0}, ThresholdCheck{250, 90}, 420, 10, 6.0);
  const std::int64_t least = least_far_gap(cost);
  REQUIRE(least > 0);
  REQUIRE(least < 400);
  CHECK(units_far_behind(cost, 420, least - 1) == kNoKey);
  for (std::int64_t gap = least; gap <= 420; ++gap) {
    const CostUnits its = units_far_behind(cost, 420, gap);
    CHECK(its != kNoKey);
    CHECK(its <= units_far_behind(cost, 420, least));
  }
  CHECK(least_far_gap(TiltedCost({400.0}, std::nullopt, 420, 10, 6.0)) == 421);
  CHECK(least_far_gap(TiltedCost({.01}, std::nullopt, 420, 10, 6.0)) == 0);
}

// The definition, histogram by histogram: nothing behind the same or smaller counts costs more.
TEST_CASE("key costs: the largest cost of all votes with these counts or less behind the top") {
  constexpr std::int32_t kTeachers = 11;
  for (std::size_t classes = 2; classes <= 6; ++classes) {
    for (const double sigma : {2.0, 6.0}) {
      const TiltedCost cost({sigma}, ThresholdCheck{7, 5}, kTeachers,
                            static_cast<std::int64_t>(classes), 6.0);
      const KeyCosts three(cost, KeyCosts::Keys::three, 1);
      const KeyCosts two(cost, KeyCosts::Keys::two, 1);
      const TiltedCost without_cells({sigma}, ThresholdCheck{7, 5}, kTeachers,
                                     static_cast<std::int64_t>(classes), 6.0, 1, 0);
      const KeyCosts one_cell(without_cells, KeyCosts::Keys::three, 1);
      std::vector<std::pair<std::vector<std::int32_t>, double>> all;
      for (const auto& votes : pate_test::all_histograms(kTeachers, classes)) {
        if (std::ranges::is_sorted(votes, std::greater<>())) {
          all.emplace_back(votes, cost.cost(votes));
        }
      }
      double most = 0.0;
      for (const auto& each : all) {
        const std::vector<std::int32_t>& votes =
            each.first;  // clang captures no structured binding
        double of_three = 0.0;
        double of_two = 0.0;
        const auto third = [](const auto& counts) { return counts.size() > 2 ? counts[2] : 0; };
        for (const auto& [other, its] : all) {
          if (other[0] != votes[0] || other[1] > votes[1]) continue;
          of_two = std::max(of_two, its);
          if (other[1] + third(other) <= votes[1] + third(votes)) {
            of_three = std::max(of_three, its);
          }
        }
        most = std::max(most, each.second);
        CAPTURE(classes);
        CAPTURE(sigma);
        CAPTURE(votes[0]);
        CAPTURE(votes[1]);
        const double by_three = cost_of_units(three.within(votes)[0]);
        const double by_two = cost_of_units(two.within(votes)[0]);
        CHECK(by_three >= of_three);
        CHECK(by_two >= of_two);
        CHECK(by_three <= by_two + 0x1p-39);
        // Three counts tell all of four classes; of more, those that take part have all they can,
        // and are no cells even where they have as many votes as one.
        CHECK(by_three <= of_three * (classes <= 4 ? 1.0 + 1e-8 : 3.0) + 0x1p-39);
        if (classes <= 2) CHECK(by_two <= of_two * (1.0 + 1e-8) + 0x1p-39);
        const double by_fewer_cells = cost_of_units(one_cell.within(votes)[0]);
        CHECK(by_three <= by_fewer_cells * (1.0 + 1e-8) + 0x1p-39);
      }
      CHECK(cost_of_units(three.largest()) >= most);
      CHECK(cost_of_units(three.largest()) <= cost.cap() * (1.0 + 1e-8));
      CHECK(cost_of_units(two.largest()) <= cost.cap() * (1.0 + 1e-8));
    }
  }
}

// Over balls of small ensembles: by both numbers of keys, with cells of keys and without.
TEST_CASE("key costs: between the largest exact cost within d votes and the cost without cells") {
  pate_test::Random random(29);
  int exact_ones = 0;
  for (int config = 0; config < 25; ++config) {
    const auto classes = static_cast<std::size_t>(random.integer(2, 5));
    const auto teachers = static_cast<std::int32_t>(random.integer(2, classes < 4 ? 9 : 6));
    const double sigma = random.log_uniform(.8, 12.0);
    const double order = random.log_uniform(1.3, 14.0);
    Aggregator aggregator;
    aggregator.noisy_max = GaussianNoisyMax{sigma};
    if (random.integer(0, 2) > 0) {
      aggregator.selection =
          ThresholdCheck{random.uniform(0.0, teachers + 2.0), random.log_uniform(.7, 12.0)};
    }
    CAPTURE(teachers);
    CAPTURE(classes);
    CAPTURE(sigma);
    CAPTURE(order);
    const auto of = [&](std::size_t cells) {
      return TiltedCost({sigma}, aggregator.selection, teachers, static_cast<std::int64_t>(classes),
                        order, 1, cells);
    };
    const KeyCosts without_cells(of(0), KeyCosts::Keys::three, 1);
    const KeyCosts three(of(2), KeyCosts::Keys::three, 1);
    const KeyCosts two(of(2), KeyCosts::Keys::two, 1);
    const KeyCosts in_cells(of(2), KeyCosts::Keys::two, 1, {}, 1, random.integer(2, 4));
    const ExactMechanism mechanism(aggregator, {}, teachers);
    struct Votes {
      std::vector<std::int32_t> counts;
      double exact;
    };
    std::vector<Votes> all;
    for (const auto& counts : pate_test::all_histograms(teachers, classes)) {
      if (!std::ranges::is_sorted(counts, std::greater<>())) continue;
      ExactCost exact(mechanism, mechanism.group(counts, {}));
      all.push_back({{counts.begin(), counts.end()}, exact.largest(order).forward});
    }
    bool above = true;
    bool below = true;
    for (const Votes& centre : all) {
      const std::vector<CostUnits> bound = without_cells.within(centre.counts);
      for (const KeyCosts* keys : {&three, &two, &in_cells}) {
        const std::vector<CostUnits> within = keys->within(centre.counts);
        for (const Votes& votes : all) {
          // In sorted counts the distance is the least there is.
          std::int32_t moves = 0;
          for (std::size_t j = 0; j < classes; ++j) {
            moves += std::max(votes.counts[j] - centre.counts[j], 0);
          }
          const double cost = cost_of_units(within[static_cast<std::size_t>(moves)]);
          above = above && cost >= votes.exact * (1.0 - 1e-9);
        }
        if (keys != &three) continue;
        for (std::size_t d = 0; d < within.size(); ++d) {
          below = below && static_cast<double>(within[d]) <=
                               static_cast<double>(bound[d]) * (1.0 + 1e-8) + 2.0;
        }
        // All classes are cells: nothing is lost.
        if (classes <= 3 && cost_of_units(within[0]) <= centre.exact * (1.0 + 1e-6) + 1e-9) {
          ++exact_ones;
        }
      }
    }
    CHECK(above);
    CHECK(below);
  }
  CHECK(exact_ones > 50);
}

// The definition: the largest K of a top count w that is j above v, the second raised by what is
// left of d.
TEST_CASE("key costs: what is within d votes is the largest of the keys there") {
  constexpr std::int32_t kTeachers = 700;
  constexpr std::int32_t kClasses = 12;
  // With little noise on the check costs rise towards the threshold, from below too.
  for (const auto& [cell, sigma1] : {std::pair(1, 12.0), {2, 40.0}, {3, 90.0}}) {
    const TiltedCost cost({25.0}, ThresholdCheck{300, sigma1}, kTeachers, kClasses, 6.0);
    const KeyCosts keys(cost, KeyCosts::Keys::two, 2, {}, 1, cell);
    const auto is_key = [](std::int32_t v, std::int32_t x) {
      return x >= 0 && x <= v && v + x <= kTeachers && v + (kClasses - 1) * x >= kTeachers;
    };
    std::vector<std::vector<CostUnits>> at(kTeachers + 1);
    for (std::int32_t v = 0; v <= kTeachers; ++v) {
      for (std::int32_t x = 0; x <= std::min(v, kTeachers - v); ++x) {
        const bool has_key = is_key(v, x);
        const CostUnits before = x > 0 ? at[static_cast<std::size_t>(v)].back() : -1;
        const std::vector<std::int32_t> counts{v, x};
        at[static_cast<std::size_t>(v)].push_back(has_key ? keys.within(counts, 1)[0] : before);
      }
    }
    for (const auto& key :
         {std::pair(70, 60), {150, 50}, {255, 200}, {400, 290}, {530, 40}, {699, 1}}) {
      const std::int32_t v = key.first;  // clang captures no structured binding
      const std::int32_t x2 = key.second;
      CAPTURE(v);
      CAPTURE(x2);
      const std::vector<std::int32_t> counts{v, x2};
      const std::vector<CostUnits> within = keys.within(counts);
      for (std::int32_t d = 0; d < kTeachers; d += d < 300 ? 1 : 37) {
        CostUnits largest = -1;
        for (std::int32_t w = std::max(v - d, 1); w <= std::min(v + d, kTeachers); ++w) {
          const std::int32_t left = d - std::max(w - v, 0);
          const auto& row = at[static_cast<std::size_t>(w)];
          const auto x = static_cast<std::size_t>(std::min({x2 + left, w, kTeachers - w}));
          largest = std::max(largest, row[x]);
        }
        CHECK(within[static_cast<std::size_t>(d)] == largest);
      }
      CHECK(within.back() == keys.largest());
    }
  }
}

// Blocks of 16 and of 256 top counts, each with the maxima by second count and by the sum of both.
TEST_CASE("key costs: their memory is that of the maxima of blocks") {
  CHECK(KeyCosts::memory(KeyCosts::kMaxTeachersOfThreeKeys) == 0.0);
  CHECK(KeyCosts::memory(1000) == (63.0 + 4.0) * (501.0 + 1001.0) * sizeof(CostUnits));
  // Sums in cells from 4,000 teachers on.
  CHECK(KeyCosts::memory(12000) == (751.0 + 47.0) * (6001.0 + 1334.0 + 1.0) * sizeof(CostUnits));
}

TEST_CASE("stored numbers are taken in their order, and no more than there are") {
  const std::vector<CostUnits> numbers{7, 8, 9, 10};
  StoredUnits stored(numbers);
  CHECK(stored.next() == 7);
  CHECK_THROWS_AS((void)stored.take(4), parameter_error);
  CHECK_THROWS_AS((void)stored.take(-1), parameter_error);
  const auto taken = stored.take(2);
  CHECK(std::vector<CostUnits>(taken.begin(), taken.end()) == std::vector<CostUnits>{8, 9});
  CHECK_FALSE(stored.done());
  CHECK(stored.take(0).empty());
  CHECK(stored.take(1).front() == 10);
  CHECK(stored.done());
  CHECK_THROWS_AS((void)stored.next(), parameter_error);
}

TEST_CASE("units are rounded up, one at least, and end with a message") {
  CHECK(units_of(0.0, 0.0) == 1);
  CHECK(units_of(1.0, 0.0) == CostUnits{1} << 40);
  CHECK(units_of(1.0, 1e-9) == (CostUnits{1} << 40) + 1100);
  CHECK(units_of(0x1.8p-40, 0.0) == 2);
  CHECK_THROWS_AS((void)units_of(0x1p22, 0.0), validity_error);
  CHECK_THROWS_AS((void)units_of(pate_test::kNaN, 0.0), validity_error);
  CHECK(cost_of_units(CostUnits{3} << 40) == 3.0);
  CHECK(cost_of_units((CostUnits{1} << 60) + 1) >= 0x1p20);
}

// Of two classes they are the walk over the top count: the cost of every count, and its maxima.
TEST_CASE("exact costs within a distance are the largest of the counts there") {
  for (const std::int64_t teachers : {1, 2, 3, 9, 14}) {
    for (const bool checked : {false, true}) {
      CAPTURE(teachers);
      CAPTURE(checked);
      CostSpec question;
      question.aggregator.noisy_max = GaussianNoisyMax{2.0};
      if (checked) question.aggregator.selection = ThresholdCheck{6.0, 3.0};
      question.teachers = teachers;
      question.classes = 2;
      question.order = 5.0;
      question.cost = CurveCost::exact;
      const CostsWithinDistance costs(question, 1);
      const std::int64_t least = (teachers + 1) / 2;
      std::vector<double> at;  // the exact cost of a top count, by count - least
      for (std::int64_t v = least; v <= teachers; ++v) {
        double largest = -pate_test::kInfinity;
        for (const std::int64_t w : {v - 1, v + 1}) {
          if (w < 0 || w > teachers) continue;
          largest = std::max(largest, two_class_log_excess(question.aggregator, teachers, v, w,
                                                           std::max(w, teachers - w), 5.0));
        }
        at.push_back(std::log1p(std::exp(largest)) / 4.0);
      }
      for (std::int64_t v = least; v <= teachers; ++v) {
        std::vector<CostUnits> sums(static_cast<std::size_t>(teachers) + 1, 0);
        const std::vector<std::int32_t> counts{static_cast<std::int32_t>(v),
                                               static_cast<std::int32_t>(teachers - v)};
        costs.add(counts, v, 1, 1, sums);
        for (std::int64_t d = 0; d <= teachers; ++d) {
          double expected = 0.0;
          for (std::int64_t w = std::max(v - d, least); w <= std::min(v + d, teachers); ++w) {
            expected = std::max(expected, at[static_cast<std::size_t>(w - least)]);
          }
          const double got = cost_of_units(sums[static_cast<std::size_t>(d)]);
          CHECK(got >= expected * (1.0 - 1e-13));
          CHECK(got <= expected * (1.0 + 1e-8) + 0x1p-39);
        }
      }
    }
  }
}

TEST_CASE("costs of a run that are beyond what is counted are refused, checks and answers") {
  CostSpec question;
  question.aggregator.selection = ThresholdCheck{14.0, 1.0};
  question.aggregator.noisy_max = GaussianNoisyMax{1.0};
  question.teachers = 24;
  question.classes = 4;
  question.order = 10.0;
  question.reading = ReleasedCost::realized;
  const CostsWithinDistance costs(question, 1);
  const CostUnits check = costs.largest(1, 0);
  const CostUnits answer = costs.largest(0, 1);
  CHECK(costs.largest(3, 2) == 3 * check + 2 * answer);
  CHECK(cost_of_units(check) > 4.0);  // order / (2 sigma1^2) is what no check exceeds
  CHECK(cost_of_units(check) <= 5.0 * (1.0 + 1e-6));
  CHECK_THROWS_AS((void)costs.largest(1'000'000, 0), validity_error);
  CHECK_THROWS_AS((void)costs.largest(0, 1'000'000), validity_error);
}

TEST_SUITE_END();
