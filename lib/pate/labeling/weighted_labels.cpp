#include "pate/labeling/weighted_labels.hpp"

#include <utility>

namespace pate {

WeightedAccount weighted_label_account(const WeightedRun& run, const LabelledQueries& labelled,
                                       const PrivacyFilter& filter, const RunLimits& limits,
                                       double delta, unsigned threads) {
  const Run& in_units = run.in_units();
  const LabelledCounts counts = count_labels(in_units, labelled, threads);
  WeightedAccount result;
  for (const auto& of_weight : run.teachers()) {
    const auto [mechanism, neighbours] = run.paid_by(of_weight.first);
    const Run paid{in_units.votes, in_units.rows, mechanism, neighbours, nullptr, {}, {}};
    Account account = label_account(paid, counts, labelled, filter, limits, delta, threads);
    result.weights.push_back({run.weights().weight_of(of_weight.first),
                              static_cast<std::int64_t>(of_weight.second.size()),
                              smallest_fixed(account, Bound::data_independent).value(),
                              smallest_fixed(account, Bound::tradeoff)});
    result.account = std::move(account);  // the last is the heaviest
  }
  run.tell_in_votes_of(run.weights().heaviest(), result.account);
  result.account.teachers = run.predictions().teachers();
  return result;
}

}  // namespace pate
