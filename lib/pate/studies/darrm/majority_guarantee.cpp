#include "pate/studies/darrm/majority_guarantee.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "pate/numerics/decimal.hpp"

namespace pate {

namespace {

std::optional<std::pair<std::size_t, std::size_t>> agrees_better(const MajorityPlan& plan) {
  std::optional<std::pair<std::size_t, std::size_t>> result;
  double most = kNotedAgreement;
  for (std::size_t i = 1; i < plan.compared.size(); ++i) {
    const MajorityBaseline& one = plan.compared[i];
    if (!one.share || !(*one.share <= 1.0)) continue;
    for (std::size_t k = 0; k < one.agreements.size(); ++k) {
      const double better = one.agreements[k] - plan.compared.front().agreements[k];
      if (!(better > most)) continue;
      most = better;
      result = {i, k};
    }
  }
  return result;
}

}  // namespace

Guarantee guarantee_of(const MajorityPlan& plan) {
  const MajoritySettings& settings = plan.settings;
  const MajorityCost& cost = plan.costs[plan.headline];
  Guarantee result;
  result.holds = true;
  const std::string answers =
      settings.queries == 1 ? "the answer" : fmt::format("the {} answers", settings.queries);
  result.promise = promise_in_words(answers, cost.epsilon, cost.delta);
  if (settings.setting != TeacherSetting::non_private) protect_records(result);
  result.promise += " This holds whatever the votes are, and may be published.";
  result.formula = fmt::format(
      "Pr[M(D) in S] <= e^{} Pr[M(D') in S] + {} for every set S of outcomes, and the same with D "
      "and "
      "D' exchanged; M are the answers",
      cost.epsilon, cost.delta);
  const std::string of_a_teacher =
      fmt::format("every teacher is ({}, {})-DP on its own, with coins independent of the others'",
                  settings.teachers.epsilon, settings.teachers.delta);
  switch (settings.setting) {
    case TeacherSetting::independent_fresh:
      result.assumes = {
          of_a_teacher,
          "every query is answered by votes with new coins: teachers that were trained "
          "once and are asked again are not of this kind"};
      break;
    case TeacherSetting::static_whole:
      result.assumes = {of_a_teacher + ", all its votes together"};
      break;
    case TeacherSetting::static_shards:
      result.assumes = {of_a_teacher + ", all its votes together",
                        "the shards are disjoint, and nothing else joins them"};
      break;
    case TeacherSetting::non_private:
      result.assumes = {"the teachers were trained on disjoint data"};
      protect(result, settings.neighbours());
      break;
  }
  if (settings.setting != TeacherSetting::non_private &&
      settings.setting != TeacherSetting::static_shards &&
      settings.teachers.affected < settings.teachers.teachers) {
    result.assumes.push_back(
        fmt::format("a record reaches at most {} of the teachers", settings.teachers.affected));
  }
  result.assumes.emplace_back("the weights of the objective were not taken from these votes");
  result.not_covered = {
      "anything else that was published about the same data: of other answers of these teachers "
      "this "
      "says nothing",
      "how often answers agree with the votes, which is private"};
  return result;
}

std::vector<Notice> majority_notices(const MajorityPlan& plan) {
  const MajoritySettings& settings = plan.settings;
  std::vector<Notice> result;
  const bool is_static = !asks_fresh_teachers(settings.setting);
  if (is_static && settings.queries > 1) {
    result.push_back(
        {"not_composed",
         fmt::format(
             "teachers that are trained once give all {} answers: the cost of one, epsilon = {}, "
             "does not compose over them; what is reported bounds what the teachers say at all",
             settings.queries, decimal(settings.target.epsilon))});
  }
  if (settings.setting == TeacherSetting::static_shards) {
    result.push_back(
        {"majority_is_free",
         fmt::format(
             "a record reaches one teacher, who is private already: publishing every vote costs "
             "({}, {}) in total, for any number of queries; noise on the majority adds nothing{}",
             settings.teachers.epsilon, settings.teachers.delta,
             settings.m < 1.0 ? " but for one answer alone" : "")});
  }
  if (plan.certified && plan.certified->corners == CornerSet::lifted) {
    result.push_back(
        {"lifted_corners",
         "all corners were too many: noise functions that fall somewhere are tested on "
         "those of delta = 0 against a smaller delta, which costs a little: the gap"});
  }
  if (const auto better = agrees_better(plan)) {
    result.push_back(
        {"better_compared",
         fmt::format("{} is private too, and agrees with the majority more often at p = {}: {:.4f} "
                     "for {:.4f}; \1weights decide for which votes the noise is best",
                     plan.compared[better->first].name, kAgreementsAt[better->second],
                     plan.compared[better->first].agreements[better->second],
                     plan.compared.front().agreements[better->second])});
  }
  return result;
}

}  // namespace pate
