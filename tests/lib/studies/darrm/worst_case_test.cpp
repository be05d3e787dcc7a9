#include "pate/studies/darrm/worst_case.hpp"

#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/studies/darrm/linear_program.hpp"
#include "pate/studies/darrm/noise_functions.hpp"
#include "pate/studies/darrm/optimal_gamma.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"

using namespace pate;

namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;

// Probability of the answer 1 for votes with these probabilities, by enumeration of the votes.
template <class Real>
Real answer_one(const std::vector<Real>& p, const std::vector<double>& gamma) {
  const auto teachers = static_cast<std::int64_t>(p.size());
  Real result(0);
  for (unsigned votes = 0; votes < (1U << p.size()); ++votes) {
    Real probability(1);
    std::int64_t ones = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const bool one = ((votes >> i) & 1U) != 0;
      probability *= one ? p[i] : Real(1) - p[i];
      ones += one ? 1 : 0;
    }
    result += probability * (Real(1) + Real(signed_value(gamma, teachers, ones))) / Real(2);
  }
  return result;
}

// Whether both answers keep to the target in both directions.
template <class Real>
bool is_private(const Real& one, const Real& other, const Real& factor, const Real& delta) {
  return one <= factor * other + delta && other <= factor * one + delta &&
         Real(1) - one <= factor * (Real(1) - other) + delta &&
         Real(1) - other <= factor * (Real(1) - one) + delta;
}

// The corners of a teacher, from the definition of (epsilon, delta)-DP.
template <class Real>
std::vector<std::pair<Real, Real>> corners_of(const PrivateTeachers& teachers) {
  using std::exp;
  const Real odds = exp(Real(teachers.epsilon));
  const Real d(teachers.delta);
  const Real low = (Real(1) - d) / (Real(1) + odds);
  std::vector<std::pair<Real, Real>> result{
      {Real(0), Real(0)}, {Real(1), Real(1)}, {Real(1) - low, low}, {low, Real(1) - low}};
  if (teachers.delta > 0.0) {
    result.insert(result.end(),
                  {{d, Real(0)}, {Real(0), d}, {Real(1), Real(1) - d}, {Real(1) - d, Real(1)}});
  }
  return result;
}

// Calls look(p, p') for every multiset of corners with at most `affected` that differ.
template <class Real, class Look>
void for_each_multiset(const PrivateTeachers& teachers, const Look& look) {
  const auto corners = corners_of<Real>(teachers);
  std::vector<Real> p;
  std::vector<Real> q;
  const auto place = [&](const auto& self, std::size_t corner, std::int64_t left,
                         std::int64_t moving) -> void {
    if (left == 0) return look(p, q);
    if (corner == corners.size()) return;
    self(self, corner + 1, left, moving);
    if (corner >= 2 && moving == 0) return;
    p.push_back(corners[corner].first);
    q.push_back(corners[corner].second);
    self(self, corner, left - 1, corner >= 2 ? moving - 1 : moving);
    p.pop_back();
    q.pop_back();
  };
  place(place, 0, teachers.teachers, teachers.affected);
}

double brute_force_cost(const PrivateTeachers& teachers, double factor,
                        const std::vector<double>& gamma) {
  double most = -std::numeric_limits<double>::infinity();
  for_each_multiset<double>(teachers, [&](const auto& p, const auto& q) {
    const double one = 2.0 * answer_one(p, gamma) - 1.0;
    const double other = 2.0 * answer_one(q, gamma) - 1.0;
    most = std::max(most, one - factor * other);
  });
  return most;
}

double worst_cost(const WorstCase& worst, const std::vector<double>& gamma) {
  return worst.most_costly(gamma, 1, -std::numeric_limits<double>::infinity()).front().cost;
}

}  // namespace

TEST_CASE("the test of an answer is the definition of (epsilon, delta)-DP") {
  std::mt19937_64 random(4201);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  int violated = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::int64_t all = 3 + 2 * (trial % 3);
    const double factor = std::exp(0.05 + 2.0 * unit(random));
    const double delta = trial % 2 == 0 ? 0.0 : 0.1 * unit(random);
    std::vector<double> gamma;
    for (std::size_t i = 0; i < majority_sizes(all); ++i) gamma.push_back(unit(random));
    std::vector<double> p;
    std::vector<double> q;
    for (std::int64_t i = 0; i < all; ++i) {
      p.push_back(unit(random));
      q.push_back(unit(random));
    }
    const auto cost = [&](const std::vector<double>& from, const std::vector<double>& to) {
      double sum = 0.0;
      const auto law = ones_distribution<double>(from);
      const auto other = ones_distribution<double>(to);
      for (std::int64_t l = 0; l <= all; ++l) {
        const auto i = static_cast<std::size_t>(l);
        sum += (law[i] - factor * other[i]) * signed_value(gamma, all, l);
      }
      return sum;
    };
    const double one = answer_one(p, gamma);
    const double other = answer_one(q, gamma);
    const double bound = factor - 1.0 + 2.0 * delta;
    const bool broken = one > factor * other + delta;
    violated += broken ? 1 : 0;
    CHECK((cost(p, q) > bound) == broken);
  }
  CHECK(violated > 100);
}

TEST_CASE("the worst multiset is that of a search over all") {
  std::mt19937_64 random(77);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int trial = 0; trial < 60; ++trial) {
    const std::int64_t all = 2 + trial % 5;
    const double delta = trial % 3 == 0 ? 0.0 : 0.2 * unit(random);
    const std::int64_t affected = trial % 4 == 0 ? 1 + trial % all : all;
    const PrivateTeachers teachers{all, 0.1 + unit(random), delta, affected};
    const AnswerTarget target{0.1 + unit(random), delta};
    std::vector<double> gamma;
    for (std::size_t i = 0; i < majority_sizes(all); ++i) gamma.push_back(unit(random));
    if (trial % 2 == 0) std::ranges::sort(gamma);
    const double expected = brute_force_cost(teachers, std::exp(target.epsilon), gamma);
    const WorstCase worst(teachers, target, trial % 2 == 0);
    CAPTURE(trial);
    CHECK(worst_cost(worst, gamma) == doctest::Approx(expected).epsilon(1e-12));
    const auto certificate = worst.certify(gamma);
    CHECK(certificate.worst >= expected - 1e-13);
    CHECK(certificate.worst <= expected + 1e-13);
    // The coefficients are of the same form.
    const auto found = worst.most_costly(gamma, 1, -1e300).front();
    const auto row = worst.coefficients(found.teachers);
    double sum = 0.0;
    for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * gamma[i];
    CHECK(sum == doctest::Approx(found.cost).epsilon(1e-12));
  }
}

TEST_CASE("reference values: corners, and the cost of given teachers") {
  const auto [high, low] = probabilities(Corner::high_low, {11, 0.1, 1e-5, 11});
  CHECK(static_cast<double>(high) == doctest::Approx(0.5249839376870652).epsilon(1e-15));
  CHECK(static_cast<double>(low) == doctest::Approx(0.4750160623129348).epsilon(1e-15));
  const std::vector<double> three{0.4, 0.8};
  const double one = answer_one(std::vector{0.2, 0.55, 0.9}, three);
  const double other = answer_one(std::vector{0.25, 0.5, 0.88}, three);
  CHECK(one == doctest::Approx(0.5474).epsilon(1e-13));
  CHECK(other == doctest::Approx(0.539).epsilon(1e-13));
  CHECK((2 * one - 1) - std::exp(0.3) * (2 * other - 1) ==
        doctest::Approx(-0.0104889869909).epsilon(1e-11));
  const std::vector<double> five{0.3, 0.7, 1.0};
  const auto row =
      WorstCase({5, 0.1, 0.0, 5}, {0.2, 0.0}, false).coefficients({0, 0, 5, 0, 0, 0, 0, 0});
  CHECK(0.3 * row[0] + 0.7 * row[1] + row[2] == doctest::Approx(0.1282660205610).epsilon(1e-12));
  const double odds = 1.0 / (1.0 + std::exp(-0.1));
  CHECK(answer_one(std::vector(5, odds), five) == doctest::Approx(0.5288705008783).epsilon(1e-12));
  CHECK(answer_one(std::vector(5, 1.0 - odds), five) ==
        doctest::Approx(0.4711294991217).epsilon(1e-12));
}

TEST_CASE("reference values of the worst cost") {
  const auto ones = [](std::int64_t all) { return std::vector<double>(majority_sizes(all), 1.0); };
  const auto cost = [&](std::int64_t all, double delta, double epsilon,
                        const std::vector<double>& gamma) {
    return worst_cost(WorstCase({all, 0.1, delta, all}, {epsilon, 0.0}, true), gamma);
  };
  CHECK(cost(11, 0.0, 0.3, ones(11)) == doctest::Approx(0.4012205580298).epsilon(1e-12));
  CHECK(cost(11, 1e-5, 0.3, ones(11)) == doctest::Approx(0.4012738739979).epsilon(1e-12));
  CHECK(cost(11, 1e-5, 0.3, subsampling_gamma(11, 5)) ==
        doctest::Approx(0.3498697172124).epsilon(1e-12));
  CHECK(cost(35, 0.0, 1.0, ones(35)) == doctest::Approx(1.731599848848).epsilon(1e-12));
  CHECK(cost(101, 0.0, 1.0, ones(101)) == doctest::Approx(1.941307577836).epsilon(1e-12));
}

TEST_CASE("the majority of K pure teachers costs (K + 1) / 2 of them, of s at most s") {
  for (const std::int64_t all : {3, 5, 8, 11}) {
    for (const std::int64_t affected : {std::int64_t{1}, std::int64_t{2}, all}) {
      const std::vector<double> one(majority_sizes(all), 1.0);
      const double exact = 0.2 * static_cast<double>(std::min(affected, (all + 1) / 2));
      const PrivateTeachers teachers{all, 0.2, 0.0, affected};
      CAPTURE(all);
      CAPTURE(affected);
      // Votes that are certain cost exactly the bound, whatever it is: room for rounding is lost.
      CHECK(certified(one, teachers, {exact * (1.0 + 1e-12), 0.0}).scale > 1.0 - 1e-10);
      CHECK(certified(one, teachers, {exact * (1.0 - 1e-6), 0.0}).scale < 1.0 - 1e-8);
    }
  }
}

TEST_CASE("noise functions that three corners let pass are recognised") {
  const std::vector<double> falling{0.0, 0.98, 0.8, 0.0};
  const PrivateTeachers teachers{7, 2.3, 0.0, 7};
  const AnswerTarget target{2.32, 0.0};
  const auto certificate = WorstCase(teachers, target, false).certify(falling);
  CHECK_FALSE(certificate.holds);
  CHECK(certificate.worst == doctest::Approx(9.4453212277).epsilon(1e-10));
  CHECK(certificate.bound == doctest::Approx(9.1756743061).epsilon(1e-10));
  CHECK(worst_cost(WorstCase(teachers, target, true), falling) ==
        doctest::Approx(8.9921608200).epsilon(1e-10));
  // What would be released is scaled until it holds, by all corners.
  const CertifiedGamma released = certified(falling, teachers, target);
  CHECK(released.corners == CornerSet::all);
  CHECK(released.scale < 0.98);
}

TEST_CASE("certified noise functions keep every multiset in 50 digits") {
  std::mt19937_64 random(90210);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int trial = 0; trial < 14; ++trial) {
    const bool pure = trial % 2 == 0;
    const std::int64_t all = pure ? 3 + trial : 2 + (trial * 7) % 8;
    const double delta = pure ? 0.0 : std::pow(10.0, -1.0 - 6.0 * unit(random));
    const PrivateTeachers teachers{all, std::pow(10.0, -2.0 + 2.5 * unit(random)), delta, all};
    const double m = 1.0 + static_cast<double>(all / 2) * unit(random);
    const AnswerTarget target{m * teachers.epsilon, pure ? 0.0 : m * delta * unit(random)};
    std::vector<double> gamma;
    for (std::size_t i = 0; i < majority_sizes(all); ++i) gamma.push_back(unit(random));
    if (trial % 4 < 2) std::ranges::sort(gamma);
    if (trial % 3 == 0) gamma.assign(gamma.size(), 1.0);
    CertifiedGamma released = certified(gamma, teachers, target);
    // An optimum is at the bound wherever it can be.
    if (trial % 3 == 1 && LinearProgram::is_available()) {
      released = optimal_gamma(teachers, target, gamma, trial % 2 == 1).released;
    }
    CHECK(released.certificate.holds);
    const Wide factor = exp(Wide(target.epsilon));
    CAPTURE(trial);
    bool holds = true;
    for_each_multiset<Wide>(teachers, [&](const auto& p, const auto& q) {
      const auto mean = [&](const std::vector<Wide>& ones) {
        const auto law = ones_distribution<Wide>(ones);
        Wide sum = 1;
        for (std::int64_t l = 0; l <= all; ++l) {
          sum += law[static_cast<std::size_t>(l)] * signed_value(released.gamma, all, l);
        }
        return Wide(sum / 2);
      };
      holds = holds && is_private<Wide>(mean(p), mean(q), factor, target.delta);
    });
    CHECK(holds);
  }
}

TEST_CASE("the lift of the pure corners") {
  // 100 teachers have too many corners; their delta leaves room.
  const PrivateTeachers teachers{100, 0.1, 1e-7, 100};
  const std::vector<double> wavy = [] {
    std::vector<double> result;
    for (int i = 0; i < 50; ++i) result.push_back(i % 2 == 0 ? 0.9 : 0.5);
    return result;
  }();
  const WorstCase worst(teachers, {0.8, 1e-4}, false);
  CHECK(worst.corners() == CornerSet::lifted);
  const double lifted = (1e-4 - 1e-5) / (1.0 - 1e-5);
  CHECK(worst.bound() == doctest::Approx(std::expm1(0.8) + 2.0 * lifted).epsilon(1e-8));
  CHECK(certified(wavy, teachers, {0.8, 1e-4}).certificate.holds);
  // The smaller delta may be negative, as long as something is left of the bound.
  const WorstCase negative(teachers, {0.8, 1e-6}, false);
  CHECK(negative.bound() == doctest::Approx(std::expm1(0.8) - 2.0 * 9e-6).epsilon(1e-8));
  CHECK(negative.lift() ==
        doctest::Approx((std::expm1(0.8) + 2e-6) / negative.bound()).epsilon(1e-12));
  CHECK_THROWS_WITH_AS(WorstCase({100, 0.1, 0.01, 100}, {0.1, 1e-6}, false),
                       doctest::Contains("ask for a monotone noise function"), parameter_error);
}

TEST_CASE("lifted certificates hold at all eight corners: multisets that are climbed to") {
  std::mt19937_64 random(6202);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (const double delta : {1e-6, 1e-4, 2e-3}) {
    const PrivateTeachers teachers{70, 0.2, delta, 70};
    const AnswerTarget target{0.6, 3.0 * delta};
    std::vector<double> gamma;
    for (int i = 0; i < 35; ++i) gamma.push_back(i % 3 == 0 ? 0.4 : 1.0 - 0.1 * unit(random));
    const CertifiedGamma released = certified(gamma, teachers, target);
    CHECK(released.corners == CornerSet::lifted);
    const auto corners = corners_of<long double>(teachers);
    const long double factor = std::exp(static_cast<long double>(target.epsilon));
    const long double bound = factor - 1 + 2 * static_cast<long double>(target.delta);
    const auto mean = [&](const std::vector<long double>& ones) {
      const auto law = ones_distribution<long double>(ones);
      long double sum = 0;
      for (std::int64_t l = 0; l <= 70; ++l) {
        sum += law[static_cast<std::size_t>(l)] * signed_value(released.gamma, 70, l);
      }
      return sum;
    };
    long double most_costly = 0;
    for (int start = 0; start < 4; ++start) {
      std::vector<long double> p(70);
      std::vector<long double> q(70);
      for (std::size_t i = 0; i < 70; ++i) {
        const auto at = static_cast<std::size_t>(unit(random) * 8.0);
        p[i] = corners[at].first;
        q[i] = corners[at].second;
      }
      long double cost = mean(p) - factor * mean(q);
      for (std::size_t idle = 0, i = 0; idle < 70; i = (i + 1) % 70) {
        ++idle;
        for (const auto& [first, second] : corners) {
          const auto before = std::pair(p[i], q[i]);
          std::tie(p[i], q[i]) = std::pair(first, second);
          const long double now = mean(p) - factor * mean(q);
          if (now > cost + 1e-15L) {
            cost = now;
            idle = 0;
          } else {
            std::tie(p[i], q[i]) = before;
          }
        }
      }
      most_costly = std::max(most_costly, cost);
    }
    CAPTURE(delta);
    CHECK(most_costly <= bound);
    // And not for want of a dear one.
    CHECK(most_costly >= 0.9L * static_cast<long double>(released.certificate.bound));
  }
}

TEST_CASE("teachers and targets out of their domain") {
  const auto refuses = [](const PrivateTeachers& teachers, const AnswerTarget& target,
                          const char* what) {
    CHECK_THROWS_WITH_AS(WorstCase(teachers, target, true), doctest::Contains(what),
                         parameter_error);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuses({0, 0.1, 0.0, 0}, {0.1, 0.0}, "1 .. 4096, got 0");
  refuses({5, 0.1, 0.0, 6}, {0.1, 0.0}, "1 .. 5, got 6");
  refuses({5, nan, 0.0, 5}, {0.1, 0.0}, "epsilon must be > 0");
  refuses({5, 0.1, 1.0, 5}, {0.1, 0.0}, "delta must be >= 0 and < 1, got 1");
  refuses({5, 0.1, 0.0, 5}, {0.0, 0.0}, "epsilon of an answer");
  refuses({5, 0.1, 0.0, 5}, {nan, 0.0}, "epsilon of an answer");
  refuses({5, 0.1, 0.0, 5}, {0.1, nan}, "delta of an answer");
  refuses({5, 0.1, 0.0, 5}, {1e-17, 0.0}, "too small to be certified");
  CHECK_THROWS_AS((void)certified(std::vector{0.1, 0.2}, {5, 0.1, 0.0, 5}, {0.1, 0.0}),
                  parameter_error);
  CHECK_THROWS_AS((void)certified(std::vector{0.1, 0.2, nan}, {5, 0.1, 0.0, 5}, {0.1, 0.0}),
                  parameter_error);
}
