#include "pate/votes/simulate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "pate/base/error.hpp"
#include "support/temp_directory.hpp"

using pate::parameter_error;
using pate::SimulatedQuery;
using pate::SimulationSettings;
using pate::VoteSimulator;
using pate::test::message_of;
using Counts = std::vector<std::int32_t>;

namespace {

std::int64_t sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::int32_t right(const SimulatedQuery& query) {
  return query.counts[static_cast<std::size_t>(query.label)];
}

Counts histogram(const Counts& votes, std::size_t classes) {
  Counts counts(classes, 0);
  for (const std::int32_t vote : votes) ++counts.at(static_cast<std::size_t>(vote));
  return counts;
}

struct Moments {
  double mean = 0.0, mean_error = 0.0;          // with its standard error
  double variance = 0.0, variance_error = 0.0;  // likewise
};

Moments moments(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  Moments m;
  for (const double value : x) m.mean += value / n;
  double fourth = 0.0;
  for (const double value : x) {
    const double square = (value - m.mean) * (value - m.mean);
    m.variance += square / n;
    fourth += square * square / n;
  }
  m.mean_error = std::sqrt(m.variance / n);
  m.variance_error = std::sqrt((fourth - m.variance * m.variance) / n);
  return m;
}

// Something of every query.
std::vector<double> sample(const SimulationSettings& settings,
                           const std::function<double(const SimulatedQuery&)>& statistic) {
  const VoteSimulator simulator(settings);
  std::vector<double> values;
  for (std::int64_t i = 0; i < settings.queries; ++i) {
    values.push_back(statistic(simulator.query(i)));
  }
  return values;
}

const std::vector<SimulationSettings> kEnsembles{
    {250, 10, 300, 0.9, 0.1, 0},  {11, 2, 300, 0.92, 0.41, 1},
    {1, 3, 300, 0.5, 0.2, 2},     {40, 1, 300, 0.5, 0.2, 3},
    {40, 5, 300, 0.0, 0.2, 4},    {40, 5, 300, 1.0, 0.2, 5},
    {1000, 7, 300, 0.3, 0.0, 6},  {100, 3, 300, 0.5, 1.0 - 1e-16, 7},
    {100, 3, 300, 0.5, 1e-11, 8}, {100, 3, 300, 1e-310, 1.0 - 1e-16, 9}};

}  // namespace

TEST_CASE("simulate: every histogram holds all votes and every label is a class") {
  for (const SimulationSettings& settings : kEnsembles) {
    CAPTURE(settings.seed);
    const VoteSimulator simulator(settings);
    for (std::int64_t i = 0; i < settings.queries; ++i) {
      const SimulatedQuery query = simulator.query(i);
      REQUIRE(query.counts.size() == static_cast<std::size_t>(settings.classes));
      REQUIRE(sum(query.counts) == settings.teachers);
      REQUIRE(*std::min_element(query.counts.begin(), query.counts.end()) >= 0);
      REQUIRE(query.label >= 0);
      REQUIRE(query.label < settings.classes);
      const Counts votes = simulator.teacher_votes(i, query);
      REQUIRE(histogram(votes, query.counts.size()) == query.counts);
    }
  }
}

TEST_CASE("simulate: a seed means these votes, on every machine") {
  const VoteSimulator simulator({20, 4, 3, 0.7, 0.2, 42});
  const SimulatedQuery first = simulator.query(0);
  CHECK(first.label == 2);
  CHECK(first.counts == Counts{1, 0, 16, 3});
  CHECK(simulator.teacher_votes(0, first) ==
        Counts{2, 2, 3, 2, 3, 2, 2, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 2});
  CHECK(simulator.query(1).label == 0);
  CHECK(simulator.query(1).counts == Counts{19, 1, 0, 0});
  CHECK(simulator.query(2).label == 2);
  CHECK(simulator.query(2).counts == Counts{1, 0, 15, 4});
  // So many votes that other algorithms of Boost.Random draw them.
  CHECK(VoteSimulator({100000, 4, 1, 0.7, 0.2, 42}).query(0).counts ==
        Counts{6719, 598, 81007, 11676});
}

TEST_CASE("simulate: fewer queries are a prefix of more, in any order") {
  SimulationSettings settings{100, 10, 50, 0.8, 0.1, 7};
  const VoteSimulator longer(settings);
  settings.queries = 20;
  const VoteSimulator shorter(settings);
  for (std::int64_t i = 19; i >= 0; --i) {
    const SimulatedQuery query = shorter.query(i);
    CHECK(query.label == longer.query(i).label);
    CHECK(query.counts == longer.query(i).counts);
    CHECK(shorter.teacher_votes(i, query) == longer.teacher_votes(i, query));
  }
}

TEST_CASE("simulate: neither queries nor seeds repeat each other") {
  std::vector<Counts> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const VoteSimulator simulator({100000, 10, 20, 0.5, 0.1, seed});
    for (std::int64_t i = 0; i < 20; ++i) seen.push_back(simulator.query(i).counts);
  }
  std::sort(seen.begin(), seen.end());
  CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
}

TEST_CASE("simulate: mean and variance of the right votes are the model's") {
  for (const auto& one : {std::tuple<std::int64_t, double, double>{250, 0.9, 0.1},
                          {250, 0.765, 0.185},
                          {100, 0.47, 0.07},
                          {11, 0.92, 0.41},
                          {50, 0.6, 0.0},
                          {50, 0.3, 0.95},
                          {1, 0.8, 0.5}}) {
    const std::int64_t teachers = std::get<0>(one);
    const double accuracy = std::get<1>(one);
    const double correlation = std::get<2>(one);
    CAPTURE(teachers);
    CAPTURE(accuracy);
    const Moments m = moments(sample({teachers, 10, 20000, accuracy, correlation, 1},
                                     [](const SimulatedQuery& query) { return right(query); }));
    const auto n = static_cast<double>(teachers);
    const double variance = n * accuracy * (1.0 - accuracy) * (1.0 + (n - 1.0) * correlation);
    CHECK(std::abs(m.mean - n * accuracy) < 5.0 * m.mean_error);
    CHECK(std::abs(m.variance - variance) < 5.0 * m.variance_error);
  }
}

TEST_CASE("simulate: labels are uniform and no wrong class is preferred") {
  const SimulationSettings settings{100, 4, 20000, 0.6, 0.1, 3};
  for (std::int32_t j = 0; j < 4; ++j) {
    CAPTURE(j);
    const Moments labels = moments(sample(
        settings, [j](const SimulatedQuery& query) { return query.label == j ? 1.0 : 0.0; }));
    CHECK(std::abs(labels.mean - 0.25) < 5.0 * labels.mean_error);
    const Moments votes = moments(sample(settings, [j](const SimulatedQuery& query) {
      return query.counts[static_cast<std::size_t>(j)];
    }));
    CHECK(std::abs(votes.mean - 25.0) < 5.0 * votes.mean_error);
  }
}

TEST_CASE("simulate: a few classes attract the wrong votes") {
  const auto shares = sample({1000, 10, 20000, 0.0, 0.0, 4}, [](const SimulatedQuery& query) {
    return *std::max_element(query.counts.begin(), query.counts.end()) / 1000.0;
  });
  // The mean of the largest of nine weights over their sum, by simulation elsewhere.
  CHECK(moments(shares).mean == doctest::Approx(0.50).epsilon(0.02));
}

TEST_CASE("simulate: two wrong votes agree as often with many classes, which are drawn by an urn") {
  for (const std::int64_t classes : {10, 1000, 1001, 5000}) {
    CAPTURE(classes);
    constexpr double kTeachers = 40.0;
    const Moments agreeing =
        moments(sample({40, classes, 2000, 0.0, 0.0, 9}, [](const SimulatedQuery& query) {
          CHECK(right(query) == 0);
          double pairs = 0.0;
          for (const double count : query.counts) pairs += count * (count - 1.0);
          return pairs / (kTeachers * (kTeachers - 1.0));
        }));
    // Of a Dirichlet-multinomial.
    const double expected = 1.3 / (0.3 * static_cast<double>(classes - 1) + 1.0);
    CHECK(std::abs(agreeing.mean - expected) < 4.0 * agreeing.mean_error);
    CHECK(agreeing.mean_error < 0.1 * expected);
  }
}

TEST_CASE("simulate: it looks like 250 teachers of MNIST digits") {
  auto top = sample({250, 10, 20000, 0.765, 0.185, 0}, [](const SimulatedQuery& query) {
    return *std::max_element(query.counts.begin(), query.counts.end());
  });
  std::sort(top.begin(), top.end());
  const std::vector<double> real{134, 163.8, 181, 194, 204, 211, 220, 227, 243};
  for (std::size_t i = 0; i < real.size(); ++i) {
    CHECK(std::abs(top[(i + 1) * top.size() / 10] - real[i]) <= 12.0);
  }
}

TEST_CASE("simulate: degenerate ensembles") {
  const auto always = [](const SimulationSettings& settings, double expected) {
    const auto rights = sample(settings, right);
    return std::ranges::all_of(rights, [expected](double x) { return x == expected; });
  };
  CHECK(always({40, 5, 500, 1.0, 0.3, 0}, 40.0));
  CHECK(always({40, 5, 500, 1.0, 0.0, 0}, 40.0));
  CHECK(always({40, 5, 500, 0.0, 0.3, 0}, 0.0));
  CHECK(always({40, 1, 500, 0.0, 0.3, 0}, 40.0));
  // Hardly any teachers differ where correlation is nearly 1.
  for (const double count : sample({40, 2, 500, 0.5, 1.0 - 1e-9, 0}, right)) {
    CHECK((count == 0.0 || count == 40.0));
  }
  const VoteSimulator largest({2147483647, 3, 1, 0.9, 0.1, 0});
  CHECK(sum(largest.query(0).counts) == 2147483647);
}

TEST_CASE("simulate: teachers are interchangeable") {
  const VoteSimulator simulator({10, 2, 4000, 0.7, 0.0, 5});
  std::vector<std::int64_t> correct(10, 0);
  for (std::int64_t i = 0; i < 4000; ++i) {
    const SimulatedQuery query = simulator.query(i);
    const Counts votes = simulator.teacher_votes(i, query);
    for (std::size_t t = 0; t < 10; ++t) correct[t] += votes[t] == query.label ? 1 : 0;
  }
  const double deviation = std::sqrt(4000 * 0.7 * 0.3);
  for (const std::int64_t count : correct) {
    CHECK(std::abs(static_cast<double>(count) - 2800.0) < 5.0 * deviation);
  }
}

TEST_CASE("simulate: settings outside their domain are named") {
  const auto message = [](const SimulationSettings& settings) {
    return message_of<parameter_error>([&] { VoteSimulator{settings}; });
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  CHECK(message({0, 10, 10, 0.9, 0.1, 0}) == "teachers must be >= 1 and <= 2147483647, got 0");
  CHECK(message({2147483648, 10, 10, 0.9, 0.1, 0}) ==
        "teachers must be >= 1 and <= 2147483647, got 2147483648");
  CHECK(message({250, -1, 10, 0.9, 0.1, 0}) == "classes must be >= 1 and <= 1000000, got -1");
  CHECK(message({250, 1000001, 10, 0.9, 0.1, 0}) ==
        "classes must be >= 1 and <= 1000000, got 1000001");
  CHECK(message({250, 10, 0, 0.9, 0.1, 0}) == "queries must be >= 1 and <= 2147483647, got 0");
  CHECK(message({250, 10, 10, 1.5, 0.1, 0}) == "accuracy must be >= 0 and <= 1, got 1.5");
  CHECK(message({250, 10, 10, -0.5, 0.1, 0}) == "accuracy must be >= 0 and <= 1, got -0.5");
  CHECK(message({250, 10, 10, kNan, 0.1, 0}) == "accuracy must be >= 0 and <= 1, got nan");
  CHECK(message({250, 10, 10, 0.9, 1.0, 0}) == "correlation must be >= 0 and < 1, got 1");
  CHECK(message({250, 10, 10, 0.9, -0.1, 0}) == "correlation must be >= 0 and < 1, got -0.1");
  CHECK(message({250, 10, 10, 0.9, kNan, 0}) == "correlation must be >= 0 and < 1, got nan");
  CHECK_NOTHROW(pate::validate({1, 1, 1, 0.0, 0.0, ~std::uint64_t{0}}));
}

TEST_CASE("simulate: queries that are not there are refused") {
  const VoteSimulator simulator({5, 2, 3, 0.9, 0.1, 0});
  CHECK_THROWS_AS((void)simulator.query(-1), std::out_of_range);
  CHECK_THROWS_AS((void)simulator.query(3), std::out_of_range);
  CHECK_THROWS_AS((void)simulator.teacher_votes(3, simulator.query(0)), std::out_of_range);
}
