#include "pate/studies/darrm/majority_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/divergence/rdp/step_composition.hpp"
#include "pate/studies/darrm/linear_program.hpp"
#include "pate/studies/darrm/majority_answers.hpp"
#include "pate/studies/darrm/majority_guarantee.hpp"
#include "pate/studies/darrm/vote_distribution.hpp"
#include "support/accuracy.hpp"
#include "support/test_bits.hpp"

using namespace pate;

namespace {

MajoritySettings settings_for(TeacherSetting setting, NoiseFunction noise, double m = 3.0,
                              std::int64_t queries = 1, double delta = 0.0) {
  MajoritySettings result;
  const bool one =
      setting == TeacherSetting::static_shards || setting == TeacherSetting::non_private;
  result.setting = setting;
  result.noise = noise;
  result.teachers = {11, 0.1, delta, one ? 1 : 11};
  result.m = m;
  result.target = {0.1 * m, -std::expm1(m * std::log1p(-delta))};
  result.weights = uniform_weights(11);
  result.queries = queries;
  return result;
}

const MajorityCost& cost_by(const std::vector<MajorityCost>& costs, MajorityBound bound) {
  for (const MajorityCost& cost : costs) {
    if (cost.bound == bound) return cost;
  }
  FAIL("no such cost");
  return costs.front();
}

bool has(const std::vector<MajorityCost>& costs, MajorityBound bound) {
  return std::ranges::any_of(costs, [&](const auto& cost) { return cost.bound == bound; });
}

// max over both answers to two queries of ln(P / P'), for teachers whose secret bit is 1 with
// probability 1/(1 + e^-eps) or 1/(1 + e^eps), and makes them vote one pair or another.
struct SecretVoter {
  std::array<int, 2> if_one;
  std::array<int, 2> if_zero;
};
double joint_loss(const std::vector<SecretVoter>& teachers, double epsilon,
                  const std::vector<double>& gamma) {
  const auto all = static_cast<std::int64_t>(teachers.size());
  std::array<std::array<double, 4>, 2> outcomes{};
  for (unsigned bits = 0; bits < (1U << teachers.size()); ++bits) {
    std::array<double, 2> weight{1.0, 1.0};
    std::array<std::int64_t, 2> ones{};
    for (std::size_t i = 0; i < teachers.size(); ++i) {
      const bool one = ((bits >> i) & 1U) != 0;
      const double likely = 1.0 / (1.0 + std::exp(-epsilon));
      weight[0] *= one ? likely : 1.0 - likely;
      weight[1] *= one ? 1.0 - likely : likely;
      const auto& votes = one ? teachers[i].if_one : teachers[i].if_zero;
      for (std::size_t q = 0; q < 2; ++q) ones[q] += votes[q];
    }
    for (unsigned outcome = 0; outcome < 4; ++outcome) {
      double probability = 1.0;
      for (std::size_t q = 0; q < 2; ++q) {
        const double one = (1.0 + signed_value(gamma, all, ones[q])) / 2.0;
        probability *= ((outcome >> q) & 1U) != 0 ? one : 1.0 - one;
      }
      for (std::size_t side = 0; side < 2; ++side) {
        outcomes[side][outcome] += weight[side] * probability;
      }
    }
  }
  double loss = 0.0;
  for (std::size_t o = 0; o < 4; ++o) {
    loss = std::max(loss, std::abs(std::log(outcomes[0][o] / outcomes[1][o])));
  }
  return loss;
}

}  // namespace

TEST_CASE("KOV compositions: reference values") {
  const auto left_of = [](double delta, std::int64_t steps, double slack) {
    return -std::expm1(static_cast<double>(steps) * std::log1p(-delta)) +
           slack * std::exp(static_cast<double>(steps) * std::log1p(-delta));
  };
  CHECK(pate_test::covers(kov_closed_epsilon(0.1, 10, 0.1), 0.6452149429200));
  CHECK(pate_test::covers(kov_closed_epsilon(0.1, 35, 0.1), 1.403278036061));
  CHECK(pate_test::covers(kov_closed_epsilon(0.3, 100, 1e-6), 20.23611631796));
  CHECK(left_of(1e-5, 10, 0.1) == doctest::Approx(0.1000899959501).epsilon(1e-12));
  CHECK(delta_left(0.1000899959501, 1e-5, 10) == doctest::Approx(0.1).epsilon(1e-10));
  CHECK(composed_pure_dp_epsilon(0.3, 100, 1e-6) == doctest::Approx(17.37511910500).epsilon(1e-9));
  CHECK(composed_pure_dp_epsilon(0.3, 100, delta_left(0.004, 3e-5, 100)) ==
        doctest::Approx(12.78438520647).epsilon(1e-9));
  CHECK(composed_pure_dp_epsilon(0.3, 4, 0.0855226779150984) == doctest::Approx(0.5).epsilon(2e-9));
  CHECK(composed_pure_dp_epsilon(0.3, 100, delta_left(0.005250686236766, 3e-5, 100)) ==
        doctest::Approx(12.0).epsilon(2e-9));
  // What the paper prints for an M-fold composition of answers that cost 0.1.
  CHECK(kov_closed_epsilon(0.1, 13, 0.1) == doctest::Approx(0.75742).epsilon(1e-4));
  CHECK(kov_closed_epsilon(0.1, 15, 0.1) == doctest::Approx(0.82708).epsilon(1e-4));
  CHECK(kov_closed_epsilon(0.1, 20, 0.1) == doctest::Approx(0.98823).epsilon(1e-4));
  CHECK(delta_left(1e-6, 1e-5, 3) < 0.0);
}

TEST_CASE("fresh teachers: answers compose") {
  auto settings =
      settings_for(TeacherSetting::independent_fresh, NoiseFunction::double_subsampling, 3.0, 6);
  settings.total_delta = 1e-6;
  const auto costs = majority_costs(settings);
  CHECK(pate_test::covers(cost_by(costs, MajorityBound::simple).epsilon, 1.8));
  CHECK(cost_by(costs, MajorityBound::simple).delta == 0.0);
  CHECK(cost_by(costs, MajorityBound::kov_exact).epsilon ==
        doctest::Approx(1.799972169).epsilon(1e-9));
  CHECK_FALSE(has(costs, MajorityBound::all_teachers));
  CHECK(plan_majority(settings, 10).costs.at(plan_majority(settings, 10).headline).bound ==
        MajorityBound::kov_exact);
}

TEST_CASE("teachers that are trained once: only what they say at all bounds several answers") {
  auto settings =
      settings_for(TeacherSetting::static_whole, NoiseFunction::constant, 3.0, 100, 1e-5);
  settings.total_delta = 0.01;
  const auto costs = majority_costs(settings);
  for (const auto bound : {MajorityBound::one_query, MajorityBound::simple,
                           MajorityBound::kov_closed, MajorityBound::kov_exact}) {
    CHECK_FALSE(has(costs, bound));
  }
  CHECK(pate_test::covers(cost_by(costs, MajorityBound::all_teachers).epsilon, 1.1));
  CHECK(cost_by(costs, MajorityBound::all_teachers).delta ==
        doctest::Approx(1.0 - std::pow(1.0 - 1e-5, 11)).epsilon(1e-9));
  CHECK(cost_by(costs, MajorityBound::all_teachers_kov).epsilon < 1.1);
  // One answer has its target.
  settings.queries = 1;
  CHECK(cost_by(majority_costs(settings), MajorityBound::one_query).epsilon == 0.1 * 3.0);
  // Double subsampling has three witnesses an answer.
  settings.noise = NoiseFunction::double_subsampling;
  settings.queries = 2;
  CHECK(
      pate_test::covers(cost_by(majority_costs(settings), MajorityBound::witnesses).epsilon, 0.6));
  settings.queries = 1000000;
  CHECK(
      pate_test::covers(cost_by(majority_costs(settings), MajorityBound::witnesses).epsilon, 1.1));
}

TEST_CASE("composing answers of teachers that are trained once is refuted") {
  const std::vector<double> first{1.0, 0.510543057890};
  const double loss =
      joint_loss({{{0, 0}, {0, 1}}, {{1, 0}, {0, 1}}, {{1, 1}, {0, 1}}}, 1.0, first);
  CHECK(loss == doctest::Approx(2.2131739255).epsilon(1e-9));
  // Each answer costs 1, and what is reported for two covers the loss.
  const PrivateTeachers three{3, 1.0, 0.0, 3};
  CHECK(certified(first, three, {1.0, 0.0}).scale > 1.0 - 1e-9);
  MajoritySettings settings =
      settings_for(TeacherSetting::static_whole, NoiseFunction::optimal, 1.0, 2);
  settings.teachers = three;
  settings.target = {1.0, 0.0};
  CHECK(majority_costs(settings).front().epsilon >= loss);

  const std::vector<double> second{0.994799454226, 0.061561125281, 1, 0.843593520880, 1, 1};
  std::vector<SecretVoter> eleven(2, {{0, 0}, {0, 0}});
  eleven.insert(eleven.end(), 3, {{0, 1}, {0, 1}});
  eleven.insert(eleven.end(), 5, {{1, 0}, {0, 1}});
  eleven.push_back({{1, 1}, {1, 1}});
  CHECK(joint_loss(eleven, 0.1, second) == doctest::Approx(0.4864638040).epsilon(1e-8));
  CHECK(certified(second, {11, 0.1, 0.0, 11}, {0.2, 0.0}).scale > 1.0 - 1e-9);
}

TEST_CASE("shards: everything costs one teacher") {
  const auto settings =
      settings_for(TeacherSetting::static_shards, NoiseFunction::constant, 3.0, 1000, 1e-5);
  const MajorityPlan plan = plan_majority(settings, 10);
  CHECK(plan.costs.size() == 1);
  CHECK(plan.costs.front().epsilon == 0.1);
  CHECK(plan.costs.front().delta == 1e-5);
  bool told = false;
  for (const Notice& notice : majority_notices(plan)) {
    told = told || std::string_view(notice.code) == "majority_is_free";
  }
  CHECK(told);
  CHECK(guarantee_of(plan).protects == "one record of the data that the teachers learn from");
}

TEST_CASE("answers to votes: probabilities and agreement") {
  const MajorityPlan plan = plan_majority(
      settings_for(TeacherSetting::independent_fresh, NoiseFunction::double_subsampling, 3.0, 6),
      10);
  std::vector<std::int64_t> by_ones(12);
  for (const std::size_t l : {0U, 1U, 4U, 5U, 6U, 9U}) ++by_ones[l];
  for (const auto& [ones, expected] : {std::pair{0, 0.0},
                                       {1, 0.0},
                                       {4, 0.1969696970},
                                       {5, 0.3917748918},
                                       {6, 0.6082251082},
                                       {9, 1.0}}) {
    CHECK(std::abs((1.0 + signed_value(plan.gamma, 11, ones)) / 2.0 - expected) < 1e-10);
  }
  const MajorityVotes votes = expected_agreement(plan, by_ones);
  CHECK(votes.agreement == doctest::Approx(0.8365800866).epsilon(1e-9));
  CHECK(votes.agreement_sd == doctest::Approx(0.1327850485).epsilon(1e-8));
}

TEST_CASE("answers are drawn with the probabilities of the noise function") {
  constexpr int kDraws = 20000;
  for (const NoiseFunction noise :
       {NoiseFunction::double_subsampling, NoiseFunction::constant, NoiseFunction::one_vote}) {
    const MajorityPlan plan = plan_majority(
        settings_for(noise == NoiseFunction::one_vote ? TeacherSetting::non_private
                                                      : TeacherSetting::independent_fresh,
                     noise, 2.0),
        10);
    test::TestBits bits(19);
    for (std::int64_t l = 0; l <= 11; ++l) {
      int ones = 0;
      for (int i = 0; i < kDraws; ++i) ones += draw_answer(plan, l, bits);
      const double expected = (1.0 + signed_value(plan.gamma, 11, l)) / 2.0;
      const double sd = std::sqrt(kDraws * expected * (1.0 - expected));
      CAPTURE(name(noise));
      CAPTURE(l);
      CHECK(std::abs(ones - kDraws * expected) <= 5.0 * sd + 1e-3);
    }
    CHECK_THROWS_AS((void)draw_answer(plan, 12, bits), parameter_error);
  }
}

TEST_CASE("settings that do not fit together") {
  const auto refuses = [](const MajoritySettings& settings, const char* what) {
    CHECK_THROWS_WITH_AS((void)plan_majority(settings, 10), doctest::Contains(what),
                         parameter_error);
  };
  refuses(settings_for(TeacherSetting::non_private, NoiseFunction::constant), "one-vote");
  refuses(settings_for(TeacherSetting::static_whole, NoiseFunction::one_vote), "one-vote");
  refuses(settings_for(TeacherSetting::independent_fresh, NoiseFunction::double_subsampling, 0.5),
          "m >= 1");
  auto settings =
      settings_for(TeacherSetting::independent_fresh, NoiseFunction::constant, 3.0, 9, 1e-5);
  settings.total_delta = 1e-9;
  refuses(settings, "no cost of 9 answers is known");
  settings.total_delta = 1.5;
  refuses(settings, "total delta must be > 0 and < 1");
}
