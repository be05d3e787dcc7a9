#include "pate/events/account_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/headline.hpp"
#include "pate/base/error.hpp"
#include "pate/events/foreign_step.hpp"
#include "pate/events/record_sums.hpp"
#include "pate/events/record_trajectory.hpp"
#include "pate/numerics/decimal.hpp"
#include "pate/numerics/infinity.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

using Entries = std::vector<CostEntry>;

// The smallest number for any votes of some events, at a delta; +inf where there is none.
double least_for_any_votes(const Record& record, double delta, const RecordSettings& settings) {
  RecordSums sums(record, settings.threads);
  const RecordQuestion asked = question_of(sums, settings, delta);
  if (!(delta >= asked.apart)) return kInfinity;
  std::vector<Notice> ignored;
  const Entries entries = any_votes_entries(asked, ignored);
  const CostEntry* const least = least_public(entries);
  return least == nullptr ? kInfinity : least->epsilon;
}

// The sum of a number of each event, which at most the others' deltas leave room for.
std::optional<CostEntry> linear_entry(const RecordQuestion& asked, const RecordSettings& settings,
                                      double least) {
  const auto& events = asked.sums.events();
  if (events.size() < 2) return std::nullopt;
  double claimed = 0.0;
  double others = 0.0;
  for (const Event& event : events) {
    const auto its = claimed_delta(event);
    if (its) claimed = sum_upwards(claimed, *its);
    if (!its) others += 1.0;
  }
  if (others == 0.0 || !(asked.delta > claimed)) return std::nullopt;
  const double share = (asked.delta - claimed) / others * (1.0 - 1e-15);
  double total = 0.0;
  for (const Event& event : events) {
    const double epsilon =
        least_for_any_votes({event}, claimed_delta(event).value_or(share), settings);
    if (!std::isfinite(epsilon)) return std::nullopt;
    total = sum_upwards(total, epsilon);
    if (!(total < least)) return std::nullopt;
  }
  return data_independent_entry(EpsilonMethod::linear, total, asked.delta, "steps");
}

// What a number that is published adds for events: by their answers, where these decide, else what
// is smallest for any votes. Which of the two follows from their mechanisms alone: of numbers that
// depend on the outcome the smaller one promises nothing.
ToldEpsilon public_cost(const Record& record, double delta, const RecordSettings& settings) {
  RecordSums sums(record, settings.threads);
  const RecordQuestion asked = question_of(sums, settings, delta);
  if (!(delta >= asked.apart)) return {kInfinity, delta};
  std::vector<Notice> ignored;
  if (const auto entry = counted_entry(asked, ignored)) {
    return {entry->epsilon, delta, Promise::outcome};
  }
  return {least_for_any_votes(record, delta, settings), delta};
}

// Epsilons that were drawn with their numbers; the rest at its cost for any votes.
void add_released(const RecordSettings& settings, const Record& record, RecordAccount& account) {
  const std::vector<const Event*> numbers = standing_numbers(record);
  if (numbers.empty()) return;
  const ToldEpsilon total = drawn_total(numbers);
  account.released = total;
  const Record rest = uncounted(record);
  double left = account.delta - total.delta;
  if (settings.delta) {
    left = std::nextafter(left, -1.0);
  } else if (!rest.empty()) {
    left = default_delta(rest);
  }
  CostEntry entry{Bound::released, GuaranteeKind::released, EpsilonMethod::improved, kInfinity,
                  account.delta};
  if (rest.empty() && !(total.delta <= account.delta)) return;
  const double others = rest.empty()  ? 0.0
                        : left >= 0.0 ? public_cost(rest, left, settings).epsilon
                                      : kInfinity;
  if (!std::isfinite(others)) return;
  entry.epsilon = sum_upwards(total.epsilon, others);
  if (!rest.empty()) entry.parts.emplace_back("steps", others);
  entry.parts.emplace_back("released", total.epsilon);
  const bool is_chosen = std::ranges::any_of(
      record, [](const Event& event) { return event.open.origin.parameters_from_votes; });
  entry.promise = is_chosen ? Promise::none : Promise::outcome;
  entry.releasable = !is_chosen;
  account.costs.push_back(std::move(entry));
}

// What a number of several runs that depends on their answers rests on: which order has how much of
// delta follows from those that the runs named.
constexpr const char* kNamedOrders =
    "the Renyi orders that these runs named were fixed before the first answer of any of them was "
    "seen";

// What a reader must know of the events.
void note_events(const Record& record, const RecordSums& sums, RecordAccount& account) {
  const auto add = [&](const char* code, std::string message) {
    account.notices.push_back({code, std::move(message)});
  };
  const auto any = [&](const auto& holds) { return std::ranges::any_of(record, holds); };
  if (account.released) {
    add("counts_released",
        fmt::format("released/released counts {}, the epsilons that were drawn with numbers about "
                    "these votes, with their deltas: they depend on what came out",
                    account.released->epsilon));
  }
  if (any([](const Event& event) { return event.open.origin.parameters_from_votes; })) {
    add("parameters_from_votes",
        "parameters of a release in this sum were chosen from votes, which its released epsilon, "
        "and so the sum, does not allow for");
  }
  if (any([](const Event& event) {
        return event.open.drawn && event.open.drawn->confidence &&
               *event.open.drawn->confidence <= 0.5;
      })) {
    add("not_a_bound",
        "a released epsilon in this sum is an unbiased estimate, not a bound: half of the time it "
        "is too small");
  }
  if (any([](const Event& event) { return event.times > 1; })) {
    add("counted_twice",
        "an analysis or a plan is named more than once, and counted as often: nothing tells "
        "whether it is of one run");
  }
  for (const Event& event : record) {
    if (!is_foreign(event)) continue;
    add("foreign_numbers",
        fmt::format("{}; taken as it is told, not checked by pate", foreign_in_words(event)));
  }
  const std::int64_t teachers = common_neighbours(record).teachers;
  if (teachers > 1 && any(is_foreign)) {
    add("of_records",
        fmt::format("what others say is of one record: so is the sum, of one that at most {} "
                    "teachers saw, and not of a person with several records",
                    teachers));
  }
  const bool tells_outcome = std::ranges::any_of(account.costs, [](const CostEntry& cost) {
    return cost.reading == GuaranteeKind::realized && cost.promise == Promise::outcome;
  });
  if (record.size() > 1 && tells_outcome) {
    add("orders_named_before", fmt::format("numbers of the outcome hold where {}", kNamedOrders));
  }
  if (any([](const Event& event) {
        return event.open.steps && !event.open.steps->sampled_queries.empty() &&
               !event.facts.digests.counts.empty();
      })) {
    add("samples_any_votes",
        "queries that samples of the teachers answer are added with their cost for any votes: what "
        "they cost on these votes is in their own reports alone");
  }
  if (sums.is_adaptive()) {
    add("adaptive_rounds",
        "where queries or the student's scores come from answers of other events, these events "
        "enter fixed epsilons with their cost for any votes; what the answers cost is told as "
        "realized, an epsilon that depends on them");
  }
}

// Where the parameters of a release were chosen from votes, nothing is known of what its number
// adds, and the costs of the steps are infinite with it: they say nothing beside one that is not.
void leave_out_infinite(const Record& record, RecordAccount& account) {
  const auto is_finite = [](const CostEntry& cost) { return std::isfinite(cost.epsilon); };
  if (std::ranges::none_of(
          record, [](const Event& event) { return event.open.origin.parameters_from_votes; }) ||
      std::ranges::none_of(account.costs, is_finite)) {
    return;
  }
  std::erase_if(account.costs, std::not_fn(is_finite));
  std::erase_if(account.notices,
                [](const Notice& notice) { return notice.code == "epsilon_infinite"; });
}

// What the promises of events rest on that no cost of the sum says.
void assume_events(const Record& record, Guarantee& guarantee) {
  const auto any = [&](const auto& holds) { return std::ranges::any_of(record, holds); };
  if (any([](const Event& event) { return event.open.kind == EventKind::declared; })) {
    assume_declared(guarantee);
  }
  if (any([](const Event& event) { return event.open.origin.weighted; })) {
    assume_weights(guarantee);
  }
  if (any([](const Event& event) { return event.open.tries.has_value(); })) {
    assume_search(guarantee);
  }
  // Of teachers that are private themselves more is assumed, and said.
  const bool records = any([](const Event& event) { return event.open.protects_records; });
  if (!records && any([](const Event& event) { return event.open.kind == EventKind::majority; })) {
    guarantee.assumes.emplace_back("the weights of the objective were not taken from these votes");
  }
  if (any([](const Event& event) { return event.open.kind == EventKind::release; })) {
    guarantee.assumes.emplace_back(
        "the queries of a release and the parameters of its number were fixed without these votes");
  }
  if (any([](const Event& event) { return is_claim(event.open); })) {
    guarantee.not_covered.emplace_back(
        "a claim that passed its test, by itself: it is an epsilon of the outcome, and the run is "
        "not (epsilon, delta)-differentially private with it");
  }
}

constexpr const char* kFixedEvents =
    "how many events there are, and how many queries and how much noise each has, did not depend "
    "on "
    "the answers of others";

// What `public_cost` of these events rests on.
void assume_public_cost(const Record& record, Guarantee& guarantee) {
  if (record.empty()) return;
  RecordSums sums(record, 1);
  std::vector<Notice> ignored;
  if (counted_entry(question_of(sums, {}, default_delta(record)), ignored)) {
    guarantee.assumes.emplace_back(kNamedOrders);
  } else if (record.size() > 1) {
    guarantee.assumes.emplace_back(kFixedEvents);
  }
}

void assume_foreign(const Record& record, Guarantee& guarantee) {
  for (const Event& event : record) {
    if (!is_foreign(event)) continue;
    guarantee.assumes.push_back(fmt::format(
        "{}: it is so for data that differ in one record, as they do here, and whatever "
        "became public before; pate did not check it",
        foreign_in_words(event)));
  }
}

// Of every claim that passed, from which two numbers its test chose, and that the run is not what
// the smaller one would say of it.
void tell_claims(const Record& record, Guarantee& guarantee) {
  for (const Event& event : record) {
    const auto other = std::ranges::find_if(
        record, [&](const Event& its) { return is_same_coin(event.open, its.open); });
    if (other == record.end()) continue;
    const DrawnNumber& drawn = *event.open.drawn;
    guarantee.promise += fmt::format(
        " Which of two numbers is told of {} queries, both fixed before the votes were looked at, "
        "was decided by a private test: {} where it passes, else {}, which holds whatever the "
        "votes are. Their run is not ({}, {})-differentially private, also where {} is told: other "
        "outcomes have the other number.",
        event.open.queries, drawn.epsilon, other->open.drawn->epsilon, drawn.epsilon, drawn.delta,
        drawn.epsilon);
  }
}

}  // namespace

ToldEpsilon told_total(const Record& record) {
  common_neighbours(record);
  const std::vector<const Event*> numbers = standing_numbers(record);
  const Record rest = uncounted(record);
  ToldEpsilon total = drawn_total(numbers);
  if (rest.empty()) return total;
  const ToldEpsilon others = public_cost(rest, default_delta(rest), {});
  total.epsilon = sum_upwards(total.epsilon, others.epsilon);
  total.delta = decimal_sum(total.delta, others.delta);
  total.promise = std::max(total.promise, others.promise);
  return total;
}

RecordAccount account_record(const Record& record, const RecordSettings& settings) {
  if (record.empty()) throw parameter_error("an account needs at least one event, got none");
  common_neighbours(record);
  RecordAccount account{answers_of(record)};
  account.events = record;
  account.delta = settings.delta.value_or(default_delta(record));
  if (!(account.delta >= 0.0 && account.delta < 1.0) ||
      (settings.delta && !(account.delta > 0.0))) {
    throw input_error(
        fmt::format("the deltas of the events add up to {}: expected less than 1", account.delta));
  }
  RecordSums sums(record, settings.threads);
  const RecordQuestion asked = question_of(sums, settings, account.delta);
  if (!(asked.delta >= asked.apart)) {
    throw input_error(fmt::format(
        "delta {} leaves nothing beside {}, the deltas of events that are added apart: add \1delta "
        "with more than that",
        decimal(asked.delta), decimal(asked.apart)));
  }
  account.orders = asked.orders;
  account.query_delta = asked.apart;
  account.steps = sums.steps();
  account.adaptive = sums.is_adaptive();

  std::vector<Notice> of_any_votes;
  Entries any_votes = any_votes_entries(asked, of_any_votes);
  if (auto counted = counted_entry(asked, of_any_votes)) any_votes.push_back(std::move(*counted));
  const auto add = [&account](const Entries& entries) {
    account.costs.insert(account.costs.end(), entries.begin(), entries.end());
  };
  add(tradeoff_entries(asked, account.tradeoff, account.notices));
  add(expected_entries(asked, Bound::tradeoff, account.notices));
  add(realized_entries(asked, account.notices));
  add(expected_entries(asked, Bound::published, account.notices));
  Entries bounds = account.costs;
  bounds.insert(bounds.end(), any_votes.begin(), any_votes.end());
  add(exact_record_entries(asked, bounds, account.profile, account.notices));
  add(any_votes);
  const CostEntry* const least = least_public(account.costs);
  if (auto linear = linear_entry(asked, settings, least == nullptr ? kInfinity : least->epsilon)) {
    account.costs.push_back(std::move(*linear));
  }
  add_released(settings, record, account);
  account.notices.insert(account.notices.end(), of_any_votes.begin(), of_any_votes.end());
  leave_out_infinite(record, account);
  for (const double order : account.orders) account.any_votes.push_back(sums.any_votes(order));
  if (account.costs.empty()) {
    throw input_error(fmt::format(
        "no cost of this record is known at delta {}{}", decimal(asked.delta),
        settings.orders ? " and these orders: leave \1orders out, or name orders that all of it is "
                          "known at"
                        : ": add \1delta with a larger one"));
  }
  account.headline =
      settled_headline(account.costs, {settings.reading, settings.conversion, settings.bound},
                       [&](Bound bound, GuaranteeKind reading, double order) {
                         sum_directly(asked, bound, reading, order, account.costs);
                       });
  account.trajectory = record_trajectory(asked, record, account.costs[account.headline]);
  if (account.orders.size() > 1) {
    add_order_notices(account.costs, account.orders, asked.grid_only, account.notices);
  }
  note_events(record, sums, account);
  add_headline_notices(account.costs, account.headline, account.notices);
  return account;
}

OthersConditions conditions_of_total(const Record& record) {
  Guarantee conditions;
  assume_events(record, conditions);
  assume_foreign(record, conditions);
  assume_public_cost(uncounted(record), conditions);
  return {std::ranges::any_of(record, is_foreign), std::move(conditions.assumes),
          std::move(conditions.not_covered)};
}

Guarantee guarantee_of(const RecordAccount& account, const std::string& released) {
  const CostEntry& headline = account.costs[account.headline];
  Guarantee result = guarantee_of(headline, released);
  if (!result.holds) return result;
  const bool records = std::ranges::any_of(account.events, [](const Event& event) {
    return event.open.protects_records && !is_foreign(event);
  });
  const bool foreign = std::ranges::any_of(account.events, is_foreign);
  const Neighbours neighbours = common_neighbours(account.events);
  if (records || foreign) {
    protect_records(result);
  } else {
    protect(result, neighbours);
  }
  if (records) {
    result.assumes = {
        "what the reports say of their teachers: how private each is on its own, with coins of its "
        "own and new ones for every query, and how many of them a record reaches",
        "the weights of their objectives were not taken from these votes"};
  }
  assume_samples(result, account.steps);
  assume_events(account.events, result);
  if (headline.bound == Bound::released) tell_claims(account.events, result);
  if (foreign && !records) assume_parts(result, neighbours.teachers);
  if (account.adaptive) assume_rounds_by_answers(result);
  assume_foreign(account.events, result);
  if (headline.bound == Bound::released) {
    assume_public_cost(uncounted(account.events), result);
  } else if (account.events.size() > 1 && headline.promise == Promise::fixed) {
    result.assumes.emplace_back(kFixedEvents);
  } else if (account.events.size() > 1) {
    std::erase(result.assumes, kOrderBeforeRun);
    result.assumes.emplace_back(kNamedOrders);
  }
  result.not_covered.insert(result.not_covered.end(), account.not_covered.begin(),
                            account.not_covered.end());
  return result;
}

}  // namespace pate
