#include "pate/events/run_events.hpp"

#include <algorithm>
#include <cmath>

#include "pate/accounting/guarantee.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/accounting/planning/weighted_plan.hpp"
#include "pate/base/require.hpp"
#include "pate/divergence/rdp/conversion.hpp"

namespace pate {

namespace {

// What accounts have in common, whatever became of the run.
Event run_of(const Account& account) {
  Event event;
  event.open.kind = EventKind::run;
  event.open.teachers = account.teachers;
  event.open.classes = account.classes;
  event.open.mechanism = account.aggregator.name();
  // Where samples answer, steps alone say what queries cost.
  const bool is_sampled = !account.steps.sampled_queries.empty();
  if (!is_sampled) event.open.aggregator = account.aggregator;
  event.open.queries = account.queries;
  event.open.delta = account.delta;
  event.open.steps = account.steps;
  event.open.origin.rows_from_answers = follows_answers(account);
  // What these votes cost promises nothing where queries follow answers.
  if (is_sampled || event.open.origin.rows_from_answers) return event;
  event.facts.exact = account.exact_queries;
  // No sum over queries is what the sparse form costs.
  const bool has_rounds = account.aggregator.sparse() != nullptr && account.tradeoff;
  if (!has_rounds) event.facts.table = account.table;
  if (event.facts.table.empty() && account.queries > 0 && account.tradeoff) {
    event.facts.curves =
        EventCurves{account.orders, account.published, account.tradeoff, account.exact};
  }
  return event;
}

}  // namespace

RdpCap cap_of_filter(double max_epsilon, double order, double delta) {
  const double term = conversion_term(Conversion::improved, order, delta);
  // Outwards: more than what the comparison of the filter rounds.
  const double room = 1e-14 * (max_epsilon + std::abs(term));
  return {order, std::max(max_epsilon - term, 0.0) + room};
}

Event analysed_run(const Account& account) {
  Event event = run_of(account);
  event.open.origin.weighted = has_weights(account);
  // Exact queries would have to say which weights may move: their RDP at some orders is told.
  if (event.open.origin.weighted && account.exact && !event.facts.curves) {
    event.facts.curves = EventCurves{account.orders, {}, {}, account.exact};
  }
  if (account.orders.size() == 1) event.open.origin.order = account.orders.front();
  if (account.answered_realized) {
    event.open.realized = RealizedRun{account.queries, *account.answered_realized};
  } else {
    for (QueryRow& row : event.facts.table) row.answered = 0;
  }
  return event;
}

Event planned_run(const Plan& plan) {
  Event event;
  event.open.kind = EventKind::run;
  const PlannedRun& run = plan.run;
  const auto tested = run.tested();
  event.open.mechanism = tested       ? std::string(tested->name())
                         : run.sigma1 ? "confident"
                                      : run.noisy_max()->names().aggregator;
  event.open.queries = run.queries;
  event.open.delta = plan.delta;
  event.open.steps = plan.steps;
  event.open.origin.weighted = has_weights(plan);
  return event;
}

Event labelled_run(const Account& account, const LabelledQueries& labelled,
                   const PrivacyFilter& filter, const RunLimits& limits, const std::string& id) {
  Event event = run_of(account);
  const Mechanism& aggregator = account.aggregator;
  event.open.id = id;
  event.open.origin.weighted = has_weights(account);
  event.open.queries = static_cast<std::int64_t>(labelled.labels.size());
  event.open.realized = RealizedRun{labelled.asked, labelled.answered};
  if (!account.steps.sampled_queries.empty()) {
    // Where it stops is known before it begins: the other queries are none of the run.
    event.open.queries = labelled.asked;
    return event;
  }
  event.open.steps = most_steps(aggregator, account.steps.neighbours, limits);
  event.open.origin.order = filter.order();
  // Without a selection every query is answered, and the sparse form counts its rounds: where these
  // end, at most, is certain before they begin.
  const bool answers_decide = aggregator.refuses() && aggregator.sparse() == nullptr;
  event.open.origin.limited =
      answers_decide && (limits.max_answers || limits.max_epsilon || labelled.stopped);
  if (labelled.stopped) event.open.origin.stopped = name(*labelled.stopped);
  if (limits.max_epsilon && aggregator.sparse() == nullptr) {
    const double left = left_delta(aggregator, account.steps.neighbours, limits, account.delta);
    event.open.cap = cap_of_filter(*limits.max_epsilon, filter.order(), left);
  }
  if (!aggregator.refuses()) {
    for (QueryRow& row : event.facts.table) row.answered = 0;
  }
  return event;
}

Event declared_run(const Mechanism& aggregator, std::int64_t teachers, std::int64_t classes,
                   std::int64_t queries, const PrivacyClaim& declared, const std::string& id) {
  Event event;
  event.open.kind = EventKind::declared;
  event.open.id = id;
  event.open.teachers = teachers;
  event.open.classes = classes;
  event.open.mechanism = aggregator.name();
  event.open.aggregator = aggregator;
  event.open.queries = queries;
  event.open.delta = declared.delta;
  event.open.claim = declared;
  return event;
}

Event majority_answers(const MajorityPlan& plan, const std::string& id) {
  const MajoritySettings& settings = plan.settings;
  const bool is_fresh = settings.setting == TeacherSetting::independent_fresh;
  require(is_fresh || settings.setting == TeacherSetting::non_private,
          "answers of teachers that were trained once do not compose with others: no event");
  Event event;
  event.open.kind = EventKind::majority;
  event.open.id = id;
  event.open.protects_records = is_fresh;
  event.open.teachers = settings.teachers.teachers;
  event.open.classes = 2;
  event.open.mechanism = "darrm";
  event.open.queries = settings.queries;
  event.open.delta = plan.costs[plan.headline].delta;
  event.open.claim = PrivacyClaim{settings.target.epsilon, settings.target.delta, settings.queries,
                                  settings.neighbours()};
  return event;
}

}  // namespace pate
