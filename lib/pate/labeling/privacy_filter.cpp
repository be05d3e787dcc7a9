#include "pate/labeling/privacy_filter.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pate/accounting/cost_entries.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/conversion.hpp"
#include "pate/divergence/rdp/orders.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/margin.hpp"

namespace pate {

namespace {

// Where `value` is smallest over the orders.
template <class Value>
OptimalOrder minimise(const Value& value) {
  const auto orders = default_orders();
  std::vector<double> values;
  for (const double order : orders) values.push_back(value(order));
  return optimal_order(orders, values, value, false);
}

}  // namespace

void validate(const RunLimits& limits) {
  if (limits.max_answers)
    require(*limits.max_answers >= 1, "max-answers must be >= 1, got {}", *limits.max_answers);
  if (limits.max_epsilon) require_cost(*limits.max_epsilon, "max-epsilon");
}

MechanismCounts most_steps(const Mechanism& aggregator, const Neighbours& neighbours,
                           const RunLimits& limits) {
  return steps_of(aggregator, neighbours, limits.queries,
                  std::min(limits.queries, limits.max_answers.value_or(limits.queries)));
}

double left_delta(const Mechanism& aggregator, const Neighbours& neighbours,
                  const RunLimits& limits, double delta) {
  return OrderSearch{delta, false, most_steps(aggregator, neighbours, limits).delta()}
      .conversion_delta();
}

double filter_order(const Mechanism& aggregator, const Neighbours& neighbours,
                    const RunLimits& limits, double delta_of_run) {
  validate(limits);
  validate_delta(delta_of_run);
  const double delta = left_delta(aggregator, neighbours, limits, delta_of_run);
  RunLimits limited = limits;
  limited.queries = std::max<std::int64_t>(1, limits.queries);  // without any, all orders are alike
  const MechanismCounts most = most_steps(aggregator, neighbours, limited);
  const OptimalOrder whole = minimise([&](double order) {
    return epsilon_from_rdp(Conversion::improved, most.rdp(order).total(), order, delta);
  });
  if (!limits.max_epsilon || whole.epsilon <= *limits.max_epsilon) return whole.order;
  const OptimalOrder frugal = minimise([&](double order) {
    const double left = *limits.max_epsilon - conversion_term(Conversion::improved, order, delta);
    return left > 0.0 ? data_independent_cost(aggregator, neighbours, order).total() / left
                      : kInfinity;
  });
  return std::isfinite(frugal.epsilon) ? frugal.order : whole.order;
}

PrivacyFilter::PrivacyFilter(const Mechanism& aggregator, const Neighbours& neighbours,
                             const RunLimits& limits, double delta, double order)
    : aggregator_(aggregator), neighbours_(neighbours), limits_(limits), order_(order) {
  validate(limits);
  validate_delta(delta);
  // NOLINTNEXTLINE(cppcoreguidelines-prefer-member-initializer): of what is valid
  delta_ = left_delta(aggregator, neighbours, limits, delta);
  (void)validated_orders({order});
}

bool PrivacyFilter::enough_answers() const {
  return limits_.max_answers && answered_ >= *limits_.max_answers;
}

bool PrivacyFilter::enough_refusals() const {
  const StabilityTest* const sparse = aggregator_.sparse();
  return sparse != nullptr && asked_ - answered_ >= sparse->max_refusals();
}

bool PrivacyFilter::can_afford_next() const {
  if (!limits_.max_epsilon) return true;
  return epsilon(asked_ + 1, answered_ + 1, rounds_ + (in_round_ ? 0 : 1)) <= *limits_.max_epsilon;
}

void PrivacyFilter::count(bool was_answered) {
  ++asked_;
  if (was_answered) ++answered_;
  if (!in_round_) ++rounds_;
  in_round_ = was_answered;
}

double PrivacyFilter::epsilon() const {
  return asked_ == 0 ? 0.0 : epsilon(asked_, answered_, rounds_);
}

double PrivacyFilter::epsilon(std::int64_t asked, std::int64_t answered,
                              std::int64_t rounds) const {
  const double converted =
      epsilon_from_rdp(Conversion::improved, rdp(asked, answered, rounds).total(), order_, delta_);
  const auto of_round = pure_epsilon(aggregator_, neighbours_);
  if (aggregator_.sparse() == nullptr || !of_round) return std::max(converted, 0.0);
  // How many rounds this allows does not depend on the run.
  const double pure = with_margin(static_cast<double>(rounds) * *of_round);
  return std::clamp(converted, 0.0, pure);
}

QueryCost PrivacyFilter::rdp(std::int64_t asked, std::int64_t answered, std::int64_t rounds) const {
  if (aggregator_.sparse() != nullptr)
    return steps_of(aggregator_, neighbours_, rounds, rounds).rdp(order_);
  return steps_of(aggregator_, neighbours_, asked, answered).rdp(order_);
}

}  // namespace pate
