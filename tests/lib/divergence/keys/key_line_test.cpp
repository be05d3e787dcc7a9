#include "pate/divergence/keys/key_line.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/random.hpp"

// Every probability of a key against an integral in long double on a much finer grid.

using namespace pate;
using pate_test::Random;

namespace {

using Real = long double;

Real cdf(Real z) {
  return 0.5L * std::erfc(-z / std::sqrt(2.0L));
}

// Classes with a mean, which need not be whole.
struct Kind {
  Real mean;
  Real classes;
};

// Pr[one of the classes from number `first` to before `end` wins].
Real wins(const std::vector<Kind>& kinds, Real sigma, std::size_t first, std::size_t end) {
  Real low = kinds[0].mean;
  Real high = low;
  for (const Kind& kind : kinds) {
    low = std::min(low, kind.mean);
    high = std::max(high, kind.mean);
  }
  constexpr Real kStep = 0.04L;
  Real sum = 0.0L;
  for (Real y = low / sigma - 12.0L; y <= high / sigma + 12.0L; y += kStep) {
    Real log = 0.0L;
    for (const Kind& kind : kinds) {
      if (kind.classes > 0) log += kind.classes * std::log(cdf(y - kind.mean / sigma));
    }
    for (std::size_t i = first; i < end; ++i) {
      if (kinds[i].classes == 0) continue;
      const Real z = y - kinds[i].mean / sigma;
      sum += kinds[i].classes * std::exp(log - z * z / 2 - std::log(cdf(z)));
    }
  }
  return sum * kStep / std::sqrt(2 * std::acos(-1.0L));
}

struct Key {
  std::int64_t teachers, classes, v, x2, x3;
};

// With `others` classes that take part, moved by `factor` times the changes.
std::vector<Kind> kinds_of(const Key& key, const KeyMove& move, Real factor, std::size_t others) {
  const std::int64_t left = key.teachers - key.v - key.x2 - key.x3;
  const std::int64_t y = std::min(key.x3, left);
  std::vector<Kind> kinds{{key.v + factor * move.top, 1}, {key.x2 + factor * move.second, 1}};
  if (key.classes > 2) kinds.push_back({key.x3 + factor * move.third, 1});
  for (std::size_t i = 0; i < others; ++i) kinds.push_back({y + factor * move.changes[i], 1});
  std::int64_t slots = key.classes - static_cast<std::int64_t>(kinds.size());
  std::int64_t votes = left;
  for (; slots > 0; --slots) {
    const std::int64_t its = std::min(votes, key.x3);
    kinds.push_back({static_cast<Real>(its), 1});
    votes -= its;
  }
  return kinds;
}

Key random_key(Random& random) {
  Key key{};
  key.teachers = random.integer(3, 60);
  key.classes = random.integer(2, 12);
  const std::int64_t m = key.classes;
  key.v = random.integer((key.teachers + m - 1) / m, key.teachers);
  const std::int64_t behind = key.teachers - key.v;
  const std::int64_t least = (behind + m - 2) / (m - 1);
  key.x2 = random.integer(least, std::min(key.v, behind));
  const std::int64_t rest = behind - key.x2;
  if (m > 2) key.x3 = random.integer((rest + m - 3) / (m - 2), std::min(key.x2, rest));
  return key;
}

bool is_close(double x, Real exact) {
  constexpr Real kFaint = 1e-280L;  // below, doubles may not hold what is multiplied
  if (exact < kFaint) return x <= 2 * kFaint;
  return std::abs(static_cast<Real>(x) - exact) <= 5e-13L * exact;
}

}  // namespace

TEST_SUITE("keys") {
  TEST_CASE("who wins by key is what a finer rule says, before, after and on tilted counts") {
    Random random(41);
    for (int trial = 0; trial < 25; ++trial) {
      const Key key = random_key(random);
      const double sigma = random.log_uniform(0.3, 30.0);
      // Whole shifts and others.
      const std::vector<double> orders{random.integer(0, 1) == 0 ? 1.5 : 3.0,
                                       random.log_uniform(1.1, 12.0)};
      CAPTURE(key.teachers);
      CAPTURE(key.classes);
      CAPTURE(key.v);
      CAPTURE(key.x2);
      CAPTURE(key.x3);
      CAPTURE(sigma);
      const CountRows rows(GaussianNoisyMax{sigma}, key.teachers, key.classes, orders);
      KeyLine line(rows);
      line.start(key.v + key.x2, key.x3, key.v, key.v);
      line.compute(key.v, true);
      const std::size_t cells = key.classes > 2 ? 3 : 2;
      const auto check = [&](const KeyLine::Wins& its, const std::vector<Kind>& kinds) {
        const auto of = [&](std::size_t i, std::size_t end) { return wins(kinds, sigma, i, end); };
        CHECK(is_close(its.top, of(0, 1)));
        CHECK(is_close(its.second, of(1, 2)));
        if (cells > 2) CHECK(is_close(its.third, of(2, 3)));
        CHECK(is_close(its.rest, of(cells, kinds.size())));
      };
      const auto moves = key_moves();
      std::size_t known = 0;
      for (std::size_t i = 0; i < moves.size(); ++i) {
        if (!line.exists(i)) continue;
        const KeyMove& move = moves[i];
        if (known <= move.others)
          check(line.before(move.others), kinds_of(key, {}, 0, move.others));
        known = move.others + 1;
        check(line.after(i), kinds_of(key, move, 1, move.others));
        for (std::size_t t = 0; t < orders.size(); ++t) {
          const auto kinds = kinds_of(key, move, 1.0L - orders[t], move.others);
          CHECK(is_close(line.tilted(i)[t], wins(kinds, sigma, cells, kinds.size())));
        }
      }
      // The third class among the others.
      if (cells < 3) continue;
      line.compute(key.v, false);
      for (std::size_t i = 0; i < moves.size(); ++i) {
        if (!line.exists(i)) continue;
        const auto kinds = kinds_of(key, moves[i], 1.0L - orders[0], moves[i].others);
        CHECK(is_close(line.tilted(i)[0], wins(kinds, sigma, 2, kinds.size())));
      }
    }
  }

  TEST_CASE("two keys: a third class is one of the others") {
    // Of as many votes as the second, which full classes have.
    const CountRows rows(GaussianNoisyMax{3.0}, 30, 5, std::vector{4.0, 6.5});
    KeyLine three(rows);
    KeyLine two(rows);
    three.start(20, 8, 12, 12);
    three.compute(12, false);
    two.start_pair(12, 8);
    two.compute(12, true);
    for (std::size_t i = 0; i < key_moves().size(); ++i) {
      if (key_moves()[i].third != 0 || key_moves()[i].others > 0) continue;
      CHECK(two.after(i).top == doctest::Approx(three.after(i).top).epsilon(1e-13));
      CHECK(two.after(i).rest ==
            doctest::Approx(three.after(i).third + three.after(i).rest).epsilon(1e-13));
      for (std::size_t t = 0; t < 2; ++t) {
        CHECK(two.tilted(i)[t] == doctest::Approx(three.tilted(i)[t]).epsilon(1e-13));
      }
    }
  }

  TEST_CASE("a line of keys and other orders change no bit") {
    Random random(42);
    for (int trial = 0; trial < 40; ++trial) {
      const Key key = random_key(random);
      const double sigma = random.log_uniform(0.5, 20.0);
      const double order = random.log_uniform(1.1, 9.0);
      const std::int64_t s = key.v + key.x2;
      const CountRows alone(GaussianNoisyMax{sigma}, key.teachers, key.classes, std::vector{order});
      const CountRows among(GaussianNoisyMax{sigma}, key.teachers, key.classes,
                            std::vector{25.0, order, 1.25});
      KeyLine one(alone);
      one.start(s, key.x3, key.v, key.v);
      one.compute(key.v, true);
      KeyLine many(among);
      many.start(s, key.x3, (s + 1) / 2, s - key.x3);
      for (std::int64_t v = (s + 1) / 2; v <= key.v; ++v) many.compute(v, true);
      const auto moves = key_moves();
      for (std::size_t i = 0; i < moves.size(); ++i) {
        CHECK(one.exists(i) == many.exists(i));
        if (!one.exists(i)) continue;
        CHECK(one.tilted(i)[0] == many.tilted(i)[1]);
        CHECK(one.after(i).top == many.after(i).top);
        CHECK(one.after(i).second == many.after(i).second);
        CHECK(one.after(i).rest == many.after(i).rest);
        CHECK(one.before(moves[i].others).third == many.before(moves[i].others).third);
      }
    }
  }

  TEST_CASE("moves: as many as there are classes, and a class gives only what it has") {
    struct Case {
      std::int64_t classes, s, x3;
      int of_three, of_two;
    };
    for (const Case& its : {Case{2, 20, 0, 2, 2}, Case{3, 16, 4, 6, 6}, Case{4, 14, 3, 12, 7},
                            Case{5, 14, 3, 13, 7}, Case{9, 14, 3, 13, 7}}) {
      CAPTURE(its.classes);
      const CountRows rows(GaussianNoisyMax{2.0}, 20, its.classes, std::vector{2.0});
      KeyLine line(rows);
      const auto count = [&] {
        int number = 0;
        for (std::size_t i = 0; i < key_moves().size(); ++i) number += line.exists(i) ? 1 : 0;
        return number;
      };
      line.start(its.s, its.x3, 10, 10);
      line.compute(10, true);
      CHECK(count() == its.of_three);
      line.start_pair(10, 5);
      line.compute(10, true);
      CHECK(count() == its.of_two);
    }
    int some = 0;
    for (const KeyMove& move : key_moves()) {
      CHECK(move.top + move.second + move.third + move.changes[0] + move.changes[1] == 0);
      CHECK(move.exists(1, 1, 1));
      if (!move.exists(1, 0, 0)) ++some;
      if (move.third < 0) CHECK_FALSE(move.exists(1, 0, 1));
    }
    // Two from x3, and four from others.
    CHECK(some == 7);
  }
}
