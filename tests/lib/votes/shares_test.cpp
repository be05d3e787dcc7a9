#include "pate/votes/shares.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace {

// Counts of so many teachers that are right with a probability of their query.
std::vector<std::vector<int>> counts_of(std::mt19937& random, int teachers, int queries,
                                        int classes) {
  std::vector<std::vector<int>> counts;
  for (int q = 0; q < queries; ++q) {
    std::vector<int> row(static_cast<std::size_t>(classes));
    const double right = std::uniform_real_distribution<>(0.2, 0.95)(random);
    for (int t = 0; t < teachers; ++t) {
      const bool knows = std::bernoulli_distribution(right)(random);
      ++row[static_cast<std::size_t>(
          knows ? q % classes : std::uniform_int_distribution<>(0, classes - 1)(random))];
    }
    counts.push_back(row);
  }
  return counts;
}

double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

std::vector<double> shares_of(const std::vector<std::vector<int>>& counts, int teachers) {
  std::vector<double> shares;
  for (const auto& row : counts) {
    for (const int count : row) shares.push_back(static_cast<double>(count) / teachers);
  }
  return shares;
}

}  // namespace

TEST_SUITE("votes") {
  TEST_CASE("the shares of an ensemble tell its teachers, and rounded ones do not") {
    std::mt19937 random(20261126);
    int found = 0;
    for (int round = 0; round < 60; ++round) {
      const int teachers = std::uniform_int_distribution<>(11, 400)(random);
      const int classes = std::uniform_int_distribution<>(2, 10)(random);
      const auto width = static_cast<std::size_t>(classes);
      CAPTURE(teachers);
      CAPTURE(classes);
      const auto shares = shares_of(counts_of(random, teachers, 60, classes), teachers);
      CHECK(pate::rows_are_shares(shares, width));
      // Counts that have a divisor in common with the number of teachers are those of fewer.
      const auto of = pate::teachers_of_shares(shares, width);
      if (of) CHECK(teachers % *of == 0);
      if (of) ++found;
      std::vector<double> floats;
      for (const double share : shares) floats.push_back(static_cast<float>(share));
      CHECK(pate::teachers_of_shares(floats, width) == of);
      CHECK_FALSE(pate::are_shares_of(shares, width, teachers + 1));
      for (int decimals = 1; decimals <= 4; ++decimals) {
        CAPTURE(decimals);
        std::vector<double> text;
        for (const double share : shares) text.push_back(rounded(share, decimals));
        if (text == shares) continue;
        const auto of_text = pate::teachers_of_shares(text, width);
        CHECK((!of_text || teachers % *of_text == 0));
        CHECK_FALSE(pate::are_shares_of(text, width, static_cast<int>(std::pow(10.0, decimals))));
      }
    }
    CHECK(found > 50);
  }

  TEST_CASE("scores of one model, and means of scores, are shares of no teachers") {
    std::mt19937 random(7);
    for (int round = 0; round < 40; ++round) {
      const auto classes = std::uniform_int_distribution<std::size_t>(2, 8)(random);
      const int decimals = std::uniform_int_distribution<>(1, 7)(random);
      CAPTURE(classes);
      CAPTURE(decimals);
      std::vector<double> scores;
      for (int q = 0; q < 40; ++q) {
        double rest = 1.0;
        for (std::size_t k = 0; k + 1 < classes; ++k) {
          const double part = rest * std::uniform_real_distribution<>(0.0, 1.0)(random);
          scores.push_back(rounded(part, decimals));
          rest -= scores.back();
        }
        scores.push_back(decimals == 7 ? rest : rounded(rest, decimals));
      }
      CHECK(pate::teachers_of_shares(scores, classes) == std::nullopt);
      for (const std::int64_t teachers : {10, 60, 100, 250, 1000, 10'000}) {
        CHECK_FALSE(pate::are_shares_of(scores, classes, teachers));
      }
    }
  }

  TEST_CASE("three decimals of 250 teachers are enough, two of 100 are not") {
    std::vector<double> shares;
    for (int i = 1; i < 40; ++i) {
      shares.push_back(i * 3 / 250.0);
      shares.push_back((250 - i * 3) / 250.0);
    }
    CHECK(pate::teachers_of_shares(shares, 2) == 250);
    CHECK(pate::are_shares_of(shares, 2, 250));
    for (double& share : shares) share = rounded(share, 2);
    CHECK(pate::teachers_of_shares(shares, 2) == std::nullopt);
    CHECK_FALSE(pate::are_shares_of(shares, 2, 100));
  }

  TEST_CASE("as far as rounding can have moved them, shares may be those of fewer") {
    // k/200 is less than k/199 by k/39800: up to k = 19 by less than half of the last of its three
    // decimals.
    const auto up_to = [](int last) {
      std::vector<double> shares;
      for (int k = 1; k <= last; ++k) {
        shares.push_back(k / 200.0);
        shares.push_back((200 - k) / 200.0);
      }
      return shares;
    };
    CHECK_FALSE(pate::are_shares_of(up_to(19), 2, 200));
    CHECK(pate::teachers_of_shares(up_to(19), 2) == std::nullopt);
    CHECK(pate::are_shares_of(up_to(25), 2, 200));
  }

  TEST_CASE("what is no share") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(pate::rows_are_shares(std::vector<double>{0.5, nan}, 2));
    CHECK_FALSE(pate::rows_are_shares(std::vector<double>{0.5, 0.6}, 2));
    CHECK_FALSE(pate::rows_are_shares(std::vector<double>{-0.5, 1.5}, 2));
    CHECK_FALSE(pate::rows_are_shares(std::vector<double>{1.0, 1.0}, 1));
    CHECK_FALSE(pate::are_shares_of(std::vector<double>{0.5, nan}, 2, 2));
    CHECK_FALSE(pate::are_shares_of(std::vector<double>{0.5, 0.5}, 2, 0));
    // Halves are those of any even number of teachers.
    CHECK(pate::teachers_of_shares(std::vector<double>{0.5, 0.5}, 2) == std::nullopt);
  }
}
