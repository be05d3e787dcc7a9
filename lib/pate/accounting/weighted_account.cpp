#include "pate/accounting/weighted_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "pate/accounting/circumstances.hpp"
#include "pate/accounting/complex_account.hpp"
#include "pate/accounting/exact_by_weight.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/base/error.hpp"
#include "pate/divergence/exact/exact_mechanism.hpp"
#include "pate/numerics/infinity.hpp"

namespace pate {

WeightedAccount account_weighted(const Run& run, const PredictionVotes& predictions,
                                 const TeacherWeights& weights, const AccountSettings& settings,
                                 bool with_profiles) {
  require(settings, Circumstances(Neighbours{}).with(Given::weights));
  const WeightedRun weighted(run, predictions, weights);
  // q is that of counts and noise in units.
  const Run& in_units = weighted.in_units();
  const auto teachers = weighted.teachers();
  std::optional<ExactMechanism> mechanism;
  if (settings.has(Bound::exact) || settings.has(Bound::complex)) {
    if (teachers.size() > kMaxExactWeights) {
      throw parameter_error(fmt::format(
          "exact costs take as long for every weight as for all teachers of one: at most {} "
          "different weights, got {}; round them, or take the bound tradeoff",
          kMaxExactWeights, teachers.size()));
    }
    mechanism.emplace(in_units.aggregator.noisy(), in_units.neighbours, weights.total());
  }
  CountedRun counted =
      count_run(in_units, {settings.threads, settings.progress, mechanism ? &*mechanism : nullptr});
  if (settings.when_read) settings.when_read();
  // The bounds go by what is left of the partials.
  const std::optional<ExactPartials> exact =
      std::exchange(counted.partials.exact, std::optional<ExactPartials>{});
  std::optional<ExactByWeight> exact_costs;
  if (settings.has(Bound::exact)) {
    exact_costs.emplace(*exact, *counted.teachers, in_units.aggregator.noisy(), weights.total(),
                        weights.units.size(), exact_settings(settings, /*is_part=*/!with_profiles));
  }

  WeightedAccount result;
  double certified = 0.0;  // of those with the weights so far, whoever pays most
  for (const auto& of_weight : teachers) {
    const auto& units = of_weight.first;
    const auto& its = of_weight.second;
    const bool is_heaviest = units == teachers.rbegin()->first;
    const CostedMechanism of_teacher = weighted.paid_by(units);
    std::optional<double> most;
    const auto add_exact = [&](Account& account) {
      if (settings.has(Bound::complex)) {
        const auto of_units =
            ExactMechanism::of_weight(in_units.aggregator.noisy(), weights.total(), units);
        certified = max_or_nan(
            certified, certified_epsilon(of_units, exact->distinct, settings.threads, account));
        if (is_heaviest) add_complex_entry(certified, account);
      }
      if (!exact_costs) return;
      most = exact_costs->add(units, its, account);
      if (is_heaviest) exact_costs->fill(account);
    };
    // Of a lighter teacher nothing is told that a choice of the headline would restrict.
    AccountSettings own = settings;
    own.models.erase(Bound::exact);
    own.models.erase(Bound::complex);
    if (!is_heaviest) own.reading.reset();
    if (!is_heaviest) own.conversion.reset();
    Account account = pate::account(counted.partials, of_teacher.mechanism, of_teacher.neighbours,
                                    own, add_exact);
    result.weights.push_back({weights.weight_of(units), static_cast<std::int64_t>(its.size()),
                              smallest_fixed(account, Bound::data_independent).value(),
                              smallest_fixed(account, Bound::tradeoff),
                              settings.queries_follow_answers ? std::nullopt : most});
    result.account = std::move(account);  // the last is the heaviest
  }
  weighted.tell_in_votes_of(weights.heaviest(), result.account);
  result.account.teachers = predictions.teachers();
  return result;
}

}  // namespace pate
