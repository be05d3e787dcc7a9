#include "pate/release/curve/key_costs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "pate/error.hpp"
#include "pate/release/curve/distance_costs.hpp"
#include "pate/sensitivity/two_class_cost.hpp"
#include "support/accuracy.hpp"

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
      const TiltedCost cost({sigma}, ThresholdCheck{700, 250}, kTeachers, classes, 9.0);
      const KeyCosts all(cost, KeyCosts::Keys::two, 2);
      const KeyCosts some(cost, KeyCosts::Keys::two, 2, {}, kStep);
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
          ++compared;
        }
      }
      CHECK(compared > 40);
    }
  }
}

// The definition: the largest K of a top count w that is j above v, the second raised by what is
// left of d.
TEST_CASE("key costs: what is within d votes is the largest of the keys there") {
  constexpr std::int32_t kTeachers = 700;
  constexpr std::int32_t kClasses = 12;
  const TiltedCost cost({25.0}, ThresholdCheck{300, 90}, kTeachers, kClasses, 6.0);
  for (const std::int64_t cell : {1, 3}) {
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
        at[static_cast<std::size_t>(v)].push_back(has_key ? keys.within(counts)[0] : before);
      }
    }
    for (const auto& key : {std::pair(70, 60), {255, 200}, {400, 290}, {530, 40}, {699, 1}}) {
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

TEST_CASE("row maxima: of every stretch") {
  constexpr std::int64_t kWidth = 700;
  std::vector<CostUnits> values;
  for (std::int64_t i = 0; i < 2 * kWidth; ++i) values.push_back((i * 7919 + i * i) % 1000);
  const RowMaxima rows(kWidth, values);
  for (std::int64_t from = 0; from < kWidth; from += 37) {
    for (std::int64_t to = from; to < kWidth; to += 13) {
      CostUnits largest = -1;
      for (std::int64_t i = from; i <= to; ++i) {
        largest = std::max(largest, values[static_cast<std::size_t>(kWidth + i)]);
      }
      CHECK(rows.largest(1, from, to) == largest);
    }
  }
  CHECK(rows.largest(0, 5, 4) == -1);
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
      CostQuestion question;
      question.aggregator.noisy_max = GaussianNoisyMax{2.0};
      if (checked) question.aggregator.selection = ThresholdCheck{6.0, 3.0};
      question.teachers = teachers;
      question.classes = 2;
      question.order = 5.0;
      question.cost = CurveCost::exact;
      const DistanceCosts costs(question, 1);
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
  CostQuestion question;
  question.aggregator.selection = ThresholdCheck{14.0, 1.0};
  question.aggregator.noisy_max = GaussianNoisyMax{1.0};
  question.teachers = 24;
  question.classes = 4;
  question.order = 10.0;
  question.reading = ReleasedCost::realized;
  const DistanceCosts costs(question, 1);
  const CostUnits check = costs.largest(1, 0);
  const CostUnits answer = costs.largest(0, 1);
  CHECK(costs.largest(3, 2) == 3 * check + 2 * answer);
  CHECK(cost_of_units(check) > 4.0);  // order / (2 sigma1^2) is what no check exceeds
  CHECK(cost_of_units(check) <= 5.0 * (1.0 + 1e-6));
  CHECK_THROWS_AS((void)costs.largest(1'000'000, 0), validity_error);
  CHECK_THROWS_AS((void)costs.largest(0, 1'000'000), validity_error);
}

TEST_SUITE_END();
