#include "pate/accounting/group_costs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "pate/base/error.hpp"
#include "support/accuracy.hpp"
#include "support/hockey_stick.hpp"
#include "support/noisy_max_outcomes.hpp"
#include "support/votes.hpp"

using namespace pate;
using namespace pate_test;

namespace {

TeacherGroups groups_of(std::vector<std::size_t> of_teacher) {
  TeacherGroups groups;
  const std::size_t count = *std::ranges::max_element(of_teacher) + 1;
  for (std::size_t g = 0; g < count; ++g) groups.names.push_back(std::string(1, char('a' + g)));
  groups.of_teacher = std::move(of_teacher);
  return groups;
}

Account account_of(std::vector<double> epsilon, double sigma, std::int64_t queries, double delta) {
  Account account;
  account.delta = delta;
  account.steps.maxima[NoisyMax{GaussianNoisyMax{sigma}}] = queries;
  account.per_teacher.emplace();
  account.per_teacher->epsilon = std::move(epsilon);
  return account;
}

}  // namespace

TEST_SUITE("group_costs") {
  TEST_CASE("a group pays what its most costly teacher pays") {
    Account account = account_of({1.0, 3.0, 2.0, 0.5, 0.25}, 5.0, 4, 1e-5);
    account.per_teacher->profile = std::vector{0.9, 1.5, 1.9, 0.4, 0.2};
    const auto groups = group_costs(groups_of({0, 0, 1, 0, 2}), account);
    REQUIRE(groups.size() == 3);
    CHECK(groups[0].name == "a");
    CHECK(groups[0].teachers == 3);
    CHECK(groups[0].epsilon == 3.0);
    CHECK(groups[0].profile == 1.5);
    CHECK(groups[1].teachers == 1);
    CHECK(groups[1].epsilon == 2.0);
    CHECK(groups[2].epsilon == 0.25);
    // Larger groups cost more where all are replaced.
    CHECK(*groups[0].whole_group > 2.0 * *groups[1].whole_group);
    CHECK(*groups[1].whole_group == *groups[2].whole_group);
    // A cost that is no number is not passed over.
    Account broken = account_of({1.0, kNaN, 2.0}, 5.0, 4, 1e-5);
    CHECK(std::isnan(group_costs(groups_of({0, 0, 0}), broken)[0].epsilon));
  }

  TEST_CASE(
      "whole groups, by enumeration: two queries, every ensemble, every group, every change") {
    constexpr std::int32_t kTeachers = 4;
    constexpr std::size_t kClasses = 3;
    for (const double sigma : {0.8, 2.0, 6.0}) {
      for (const std::int32_t size : {1, 2, 3}) {
        std::vector<std::size_t> of(kTeachers, 1);
        std::fill(of.begin(), of.begin() + size, 0);
        for (const double delta : {1e-3, 0.05}) {
          const Account account = account_of(std::vector<double>(kTeachers, 0.0), sigma, 2, delta);
          const double epsilon = *group_costs(groups_of(of), account)[0].whole_group;
          double most = 0.0;
          // Both queries alike: what is worst for one is for two.
          for (const Histogram& kept : all_histograms(kTeachers - size, kClasses)) {
            std::vector<Probabilities> outcomes;
            for (const Histogram& theirs : all_histograms(size, kClasses)) {
              Histogram counts = kept;
              for (std::size_t j = 0; j < kClasses; ++j) counts[j] += theirs[j];
              const Probabilities once = gaussian_outcomes(counts, sigma);
              outcomes.emplace_back();
              for (const long double a : once) {
                for (const long double b : once) outcomes.back().push_back(a * b);
              }
            }
            for (const Probabilities& p : outcomes) {
              for (const Probabilities& q : outcomes) {
                most = std::max(most, hockey_stick(p, q, epsilon));
              }
            }
          }
          CAPTURE(sigma);
          CAPTURE(size);
          CHECK(most <= delta);
        }
      }
    }
  }

  TEST_CASE("what has no such cost") {
    Account laplace = account_of({1.0, 2.0}, 5.0, 4, 1e-5);
    laplace.steps.maxima.clear();
    laplace.steps.maxima[NoisyMax{LaplaceNoisyMax{5.0}}] = 4;
    CHECK_FALSE(group_costs(groups_of({0, 0}), laplace)[0].whole_group);
    CHECK_THROWS_WITH_AS((void)group_costs(groups_of({0, 0, 0}), laplace),
                         "every teacher needs a group, and no other", parameter_error);
    const TeacherWeights weights{{1, 2, 3}, 1.0};
    CHECK_THROWS_WITH_AS((void)group_costs(groups_of({0, 0}), laplace, &weights),
                         "every teacher needs a weight, and no other", parameter_error);
    // What queries have of delta themselves is for one teacher who is replaced.
    Account tested = account_of({1.0, 2.0}, 5.0, 4, 1e-5);
    tested.query_delta = 1e-7;
    CHECK_FALSE(group_costs(groups_of({0, 0}), tested)[0].whole_group);
    laplace.per_teacher.reset();
    CHECK_THROWS_WITH_AS((void)group_costs(groups_of({0, 0}), laplace),
                         "costs of groups need those of every teacher: exact costs of predictions",
                         parameter_error);
  }
}
