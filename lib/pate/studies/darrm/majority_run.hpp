#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/names.hpp"
#include "pate/accounting/report.hpp"
#include "pate/mechanisms/neighbours.hpp"
#include "pate/mechanisms/sampling/bit_source.hpp"
#include "pate/studies/darrm/noise_functions.hpp"
#include "pate/studies/darrm/optimal_gamma.hpp"
#include "pate/studies/darrm/worst_case.hpp"

namespace pate {

/// What the teachers are to the data, and to each other. It decides what may be claimed.
enum class TeacherSetting {
  independent_fresh,  ///< private on the whole data, with new coins for every query
  static_whole,       ///< private on the whole data, trained once and asked again and again
  static_shards,      ///< private on disjoint shards, trained once: a record reaches one of them
  non_private,        ///< promise nothing; a record is in one shard or few, whose votes may change
};
template <>
inline constexpr std::array<Named<TeacherSetting>, 4> kNames<TeacherSetting>{{
    {TeacherSetting::independent_fresh, "independent_fresh"},
    {TeacherSetting::static_whole, "static_whole"},
    {TeacherSetting::static_shards, "static_shards"},
    {TeacherSetting::non_private, "non_private"},
}};

/// Whether every query is answered anew, so that the costs of answers compose.
[[nodiscard]] bool asks_fresh_teachers(TeacherSetting setting);

/// Which noise function answers.
enum class NoiseFunction {
  optimal,             ///< `optimal_gamma`
  double_subsampling,  ///< `double_subsample`, drawn as such
  constant,            ///< `best_constant`
  one_vote,            ///< `one_vote_gamma`: of teachers that are not private, the only one
};
template <>
inline constexpr std::array<Named<NoiseFunction>, 4> kNames<NoiseFunction>{{
    {NoiseFunction::optimal, "optimal"},
    {NoiseFunction::double_subsampling, "double_subsampling"},
    {NoiseFunction::constant, "constant"},
    {NoiseFunction::one_vote, "one_vote"},
}};

/// Why a number of answers costs what it costs.
enum class MajorityBound {
  one_query,         ///< the target of one answer
  simple,            ///< (Q epsilon, 1 - (1 - delta)^Q)
  kov_closed,        ///< Theorem 3.4 of Kairouz, Oh, Viswanath, at the total delta
  kov_exact,         ///< Theorem 3.3, at the total delta
  witnesses,         ///< of double subsampling: floor(m) teachers witness an answer
  all_teachers,      ///< everything that the affected teachers ever say, composed simply
  all_teachers_kov,  ///< the same by Theorem 3.3
};
template <>
inline constexpr std::array<Named<MajorityBound>, 7> kNames<MajorityBound>{{
    {MajorityBound::one_query, "one_query"},
    {MajorityBound::simple, "simple"},
    {MajorityBound::kov_closed, "kov_closed"},
    {MajorityBound::kov_exact, "kov_exact"},
    {MajorityBound::witnesses, "witnesses"},
    {MajorityBound::all_teachers, "all_teachers"},
    {MajorityBound::all_teachers_kov, "all_teachers_kov"},
}};

/// What is asked for.
struct MajoritySettings {
  TeacherSetting setting = TeacherSetting::independent_fresh;
  NoiseFunction noise = NoiseFunction::optimal;
  PrivateTeachers teachers;     ///< non_private: epsilon is not looked at, `affected` votes change
  double m = 1.0;               ///< an answer costs as much as so many teachers
  AnswerTarget target;          ///< of one answer
  std::vector<double> weights;  ///< of the objective
  bool monotone = false;        ///< of the optimum
  std::int64_t queries = 1;     ///< answers to come
  std::optional<double> total_delta;

  /// Whose costs the answers have: of teachers that promise nothing those of so many, of others of
  /// what changes one record.
  [[nodiscard]] Neighbours neighbours() const {
    return {Adjacency::replace, setting == TeacherSetting::non_private ? teachers.affected : 1};
  }
};

/// The cost of all answers together.
struct MajorityCost {
  MajorityBound bound = MajorityBound::one_query;
  double epsilon = 0.0;
  double delta = 0.0;
};

/// What `queries` answers cost, by everything that is proved about the setting:
///
/// independent_fresh, non_private: simple and KOV composition of the target of one answer, which
/// holds for every query that is chosen by earlier answers. static_whole, static_shards: one answer
/// has its target; more are only bounded by what the affected teachers say at all,
/// (s epsilon, 1 - (1 - delta)^s) and its KOV composition, and with double subsampling by their
/// witnesses. Composing the targets of several answers is not valid there: an answer tells about
/// the teachers, who give the next one too.
///
/// KOV at `total_delta`, where that leaves room beside the deltas of the steps. Everything is
/// rounded upwards, by less than 1e-9. Throws `parameter_error` for queries outside 1 .. 1e9 or a
/// total delta outside (0, 1).
[[nodiscard]] std::vector<MajorityCost> majority_costs(const MajoritySettings& settings);

/// Kairouz, Oh, Viswanath, "The Composition Theorem for Differential Privacy", Theorem 3.4: the
/// epsilon of k steps that are (epsilon, delta)-DP each, at
/// 1 - (1 - delta)^k (1 - slack); 0 < slack < 1. Rounded upwards.
[[nodiscard]] double kov_closed_epsilon(double epsilon, std::int64_t steps, double slack);

/// The share of `total` that is left for composition after `steps` deltas: 1 - (1 - total) /
/// (1 - delta)^steps, rounded downwards; <= 0 where there is none.
[[nodiscard]] double delta_left(double total, double delta, std::int64_t steps);

/// A noise function to compare with.
struct MajorityBaseline {
  std::string name;  ///< "released", "subsampling", "double_subsampling",
                     ///< "published_constant", "best_constant", "majority"
  std::vector<double> gamma;
  std::optional<double> share;  ///< of the bound that its worst multiset uses; above 1: not private
  double objective = 0.0;
  std::vector<double> agreements;  ///< at kAgreementsAt
  MeanError error;
};

/// Probabilities of a vote at which agreements are told.
inline constexpr std::array<double, 4> kAgreementsAt{0.5, 0.75, 0.9, 0.99};

/// What a private majority is and costs.
struct MajorityPlan {
  MajoritySettings settings;
  std::vector<double> gamma;   ///< as it is released, at least_majority(K) .. K
  double scale = 1.0;          ///< of double subsampling: a fair coin answers with 1 - scale
  std::int64_t subsample = 0;  ///< of double subsampling
  std::optional<CertifiedGamma> certified;  ///< none of one_vote, which is proved
  std::optional<double> upper;              ///< of the objective, where it was optimised
  std::int64_t rounds = 0;
  std::int64_t rows = 0;
  std::vector<MajorityBaseline> compared;  ///< the released one first
  std::vector<MajorityCost> costs;
  std::size_t headline = 0;
};

/// Computes all of it. `samples` is how many draws errors are estimated from. Throws what its parts
/// throw, and `parameter_error` for settings that do not fit together.
[[nodiscard]] MajorityPlan plan_majority(const MajoritySettings& settings, std::int64_t samples);

}  // namespace pate
