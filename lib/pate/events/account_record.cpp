#include "pate/events/account_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "pate/accounting/cost_entries.hpp"
#include "pate/accounting/exact_account.hpp"
#include "pate/accounting/profile_account.hpp"
#include "pate/error.hpp"
#include "pate/events/record_sums.hpp"
#include "pate/math/decimal.hpp"
#include "pate/math/log_space.hpp"
#include "pate/math/sums.hpp"
#include "pate/rdp/conversion.hpp"
#include "pate/rdp/orders.hpp"
#include "pate/rdp/step_composition.hpp"

namespace pate {

namespace {

// Of outcomes whose events named no common order beforehand; each has an equal share of delta.
constexpr std::array kPublicOrders{2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 32.0};

// Longer trajectories are not told: every point would be counted anew.
constexpr std::size_t kMostTrajectory = 1000;

using Entries = std::vector<CostEntry>;

// What the entries of a record are made of.
struct Question {
  RecordSums& sums;
  const RecordSettings& settings;
  double delta = 0.0;
  double apart = 0.0;
  std::vector<double> orders;
  bool grid_only = false;

  [[nodiscard]] OrderSearch search() const { return {delta, grid_only, apart}; }
  // Whether RDP can be converted: pure events need no delta beyond what is apart.
  [[nodiscard]] bool converts() const { return delta > apart; }
};

using AtOrders = std::function<std::vector<double>(std::span<const double>)>;

// An entry of RDP that is known as a function of the order.
void fill_entry(const Question& asked, const AtOrders& rdp, const std::vector<double>& on_grid,
                CostEntry& entry, std::vector<Notice>& notices) {
  RdpFunction function;
  function.orders = asked.orders;
  function.rdp = on_grid;
  function.at = [&](double order) { return rdp(std::span(&order, 1)).front(); };
  function.parts = [&](double order) {
    return std::vector<std::pair<std::string, double>>{{"steps", function.at(order)}};
  };
  fill_rdp_entry(entry, function, asked.search(), notices);
}

CostEntry public_entry(ReportedConversion conversion, double epsilon, double delta) {
  CostEntry entry{Bound::data_independent, Reading::worst_case, conversion, epsilon, delta};
  entry.parts = {{"steps", epsilon}};
  entry.releasable = true;
  return entry;
}

void add_pure_entries(const Question& asked, Entries& entries) {
  const auto steps = asked.sums.pure_steps();
  if (!steps) return;
  double pure = 0.0;
  for (const PureSteps& step : *steps) {
    pure += static_cast<double>(step.count) * step.epsilon;
  }
  pure *= 1.0 + 4e-16 * static_cast<double>(steps->size() + 1);
  entries.push_back(public_entry(ReportedConversion::pure, pure, asked.apart));
  if (steps->size() != 1 || !asked.converts()) return;
  entries.push_back(
      public_entry(ReportedConversion::kov,
                   composed_pure_dp_epsilon(steps->front().epsilon, steps->front().count,
                                            asked.search().conversion_delta()),
                   asked.delta));
}

// Of Gaussian and pure events together, or of pure ones of several epsilons.
void add_mixture(const Question& asked, Entries& entries) {
  const auto its = asked.sums.mixture();
  if (!its || its->pure.empty() || !asked.converts()) return;
  if (its->squared_mu == 0.0 && its->pure.size() == 1) return;
  const auto hint = std::ranges::find_if(entries, [](const CostEntry& entry) {
    return entry.conversion == ReportedConversion::improved && entry.order;
  });
  if (hint == entries.end()) return;
  const auto epsilon =
      mixture_epsilon(std::sqrt(its->squared_mu), its->pure, asked.search().conversion_delta(),
                      {*hint->order, hint->epsilon});
  if (epsilon) {
    entries.push_back(public_entry(ReportedConversion::profile, *epsilon, asked.delta));
  }
}

// The costs for any votes, the linear sum apart.
Entries any_votes_entries(const Question& asked, std::vector<Notice>& notices) {
  const auto steps = asked.sums.only_steps();
  if (steps && asked.converts()) {
    Entries entries = data_independent_entries(*steps, asked.orders, asked.search(), notices);
    add_mixture(asked, entries);
    return entries;
  }
  Entries entries;
  const AtOrders rdp = [&](std::span<const double> orders) {
    std::vector<double> result;
    for (const double order : orders) result.push_back(asked.sums.any_votes(order));
    return result;
  };
  const std::vector<double> on_grid = rdp(asked.orders);
  const bool is_known =
      std::ranges::any_of(on_grid, [](double cost) { return std::isfinite(cost); });
  if (is_known && asked.converts()) {
    for (const ReportedConversion conversion : fixed_conversions(asked.apart)) {
      CostEntry entry{Bound::data_independent, Reading::worst_case, conversion};
      entry.releasable = true;
      fill_entry(asked, rdp, on_grid, entry, notices);
      entries.push_back(std::move(entry));
    }
  }
  if (const auto squared_mu = asked.sums.squared_mu(); squared_mu && asked.converts()) {
    entries.push_back(
        public_entry(ReportedConversion::gdp,
                     gaussian_dp_epsilon(std::sqrt(*squared_mu), asked.search().conversion_delta()),
                     asked.delta));
  } else {
    add_pure_entries(asked, entries);
    add_mixture(asked, entries);
  }
  return entries;
}

// The smallest of what holds for any votes.
const CostEntry* least_public(const Entries& entries) {
  const CostEntry* least = nullptr;
  for (const CostEntry& entry : entries) {
    if (!entry.releasable || entry.promise != Promise::fixed || entry.data_dependent) continue;
    if (least == nullptr || entry.epsilon < least->epsilon) least = &entry;
  }
  return least;
}

Question question_of(RecordSums& sums, const RecordSettings& settings, double delta) {
  Question asked{sums, settings, delta, sums.delta_apart(), {}, settings.orders.has_value()};
  // All of it is claimed, as far as rounding tells.
  if (asked.apart > delta && asked.apart <= delta * (1.0 + 1e-9)) asked.apart = delta;
  asked.orders = settings.orders
                     ? validated_orders(*settings.orders)
                     : std::vector<double>(default_orders().begin(), default_orders().end());
  if (settings.orders) return asked;
  for (const Event& event : sums.events()) {
    // The best order is often where a cap ends.
    if (event.open.cap && event.open.cap->order > 1.0)
      asked.orders.push_back(event.open.cap->order);
    // Where a cap ends RDP jumps: just there is often the best order.
    if (event.open.cap) asked.orders.push_back(event.open.cap->order);
    if (!event.facts.curves) continue;
    const auto& more = event.facts.curves->orders;
    asked.orders.insert(asked.orders.end(), more.begin(), more.end());
  }
  asked.orders = validated_orders(std::move(asked.orders));
  return asked;
}

// The smallest number for any votes of some events, at a delta; +inf where there is none.
double least_for_any_votes(const Record& record, double delta, const RecordSettings& settings) {
  if (record.empty()) return 0.0;
  RecordSums sums(record, settings.threads);
  const Question asked = question_of(sums, settings, delta);
  if (!(delta >= asked.apart)) return kInfinity;
  std::vector<Notice> ignored;
  const Entries entries = any_votes_entries(asked, ignored);
  const CostEntry* const least = least_public(entries);
  return least == nullptr ? kInfinity : least->epsilon;
}

// What an event needs of a delta by itself: that of a claim is certain.
std::optional<double> claimed_delta(const Event& event) {
  if (!event.open.claim) return std::nullopt;
  return static_cast<double>(event.times * event.open.claim->count) * event.open.claim->delta;
}

// The sum of a number of each event, which at most the others' deltas leave room for.
std::optional<CostEntry> linear_entry(const Question& asked, double least) {
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
        least_for_any_votes({event}, claimed_delta(event).value_or(share), asked.settings);
    if (!std::isfinite(epsilon)) return std::nullopt;
    total = sum_upwards(total, epsilon);
    if (!(total < least)) return std::nullopt;
  }
  return public_entry(ReportedConversion::linear, total, asked.delta);
}

void add_tradeoff(const Question& asked, Entries& entries, std::vector<double>& curve,
                  std::vector<Notice>& notices) {
  if (!asked.sums.has_votes() || !asked.converts()) return;
  const AtOrders rdp = [&](std::span<const double> orders) { return asked.sums.tradeoff(orders); };
  curve = rdp(asked.orders);
  for (const ReportedConversion conversion : fixed_conversions(asked.apart)) {
    CostEntry entry{Bound::tradeoff, Reading::joint, conversion};
    entry.data_dependent = true;
    fill_entry(asked, rdp, curve, entry, notices);
    entries.push_back(std::move(entry));
  }
}

// What papers print: an expectation over the selection noise.
void add_expected(const Question& asked, Bound bound, Entries& entries,
                  std::vector<Notice>& notices) {
  if (!asked.sums.has_expected(bound) || !asked.converts()) return;
  const auto spent = [&](double order) {
    return asked.sums.expected(bound, std::span(&order, 1)).front();
  };
  const AtOrders rdp = [&](std::span<const double> orders) {
    std::vector<double> result;
    for (const EventCosts::Spent& its : asked.sums.expected(bound, orders)) {
      result.push_back(its.selection + its.noisy_max);
    }
    return result;
  };
  const std::vector<double> on_grid = rdp(asked.orders);
  const bool has_selection = asked.sums.steps().has_checks();
  for (const auto conversion : {ReportedConversion::improved, ReportedConversion::classic}) {
    CostEntry entry{bound, Reading::expected, conversion};
    entry.data_dependent = true;
    entry.promise = Promise::none;
    fill_entry(asked, rdp, on_grid, entry, notices);
    if (has_selection) entry.sd = entry.order ? std::sqrt(spent(*entry.order).variance) : 0.0;
    entries.push_back(std::move(entry));
  }
}

// An epsilon of the outcome from RDP at orders that were fixed beforehand, with an equal share of
// delta each.
void fill_outcome(const Question& asked, std::span<const double> orders,
                  std::span<const double> rdp, CostEntry& entry, std::vector<Notice>& notices) {
  const double delta =
      asked.search().conversion_delta() / static_cast<double>(orders.size()) * (1.0 - 1e-15);
  entry.epsilon = kInfinity;
  entry.delta = asked.delta;
  entry.promise = Promise::outcome;
  for (std::size_t j = 0; j < orders.size(); ++j) {
    const double epsilon =
        rdp[j] > 0.0 ? epsilon_from_rdp(rdp_conversion(entry.conversion), rdp[j], orders[j], delta)
                     : 0.0;
    if (!(epsilon < entry.epsilon)) continue;
    entry.epsilon = std::max(epsilon, 0.0);
    entry.order = orders[j];
    entry.parts = {{"steps", rdp[j]}, {"delta", entry.epsilon - rdp[j]}};
  }
  if (!std::isfinite(entry.epsilon)) {
    notices.push_back(
        {"epsilon_infinite", fmt::format("{}: the cost is infinite at every order", label(entry))});
  }
}

std::vector<double> outcome_orders(const std::optional<double>& named) {
  if (named) return {*named};
  return {kPublicOrders.begin(), kPublicOrders.end()};
}

// What was asked and answered, of these votes.
void add_realized(const Question& asked, Entries& entries, std::vector<Notice>& notices) {
  if (!asked.sums.tells_answers() || !asked.converts()) return;
  const std::vector<double> orders = outcome_orders(asked.sums.named_order());
  std::vector<double> rdp;
  for (const EventCosts::Spent& its : asked.sums.realized(orders)) {
    rdp.push_back(its.selection + its.noisy_max);
  }
  for (const auto conversion : {ReportedConversion::improved, ReportedConversion::classic}) {
    CostEntry entry{Bound::tradeoff, Reading::realized, conversion};
    entry.data_dependent = true;
    fill_outcome(asked, orders, rdp, entry, notices);
    entries.push_back(std::move(entry));
  }
}

// The same for any votes, by how many queries were asked and answered.
std::optional<CostEntry> counted_entry(const Question& asked, std::vector<Notice>& notices) {
  if (!asked.sums.counts_answers() || !asked.converts()) return std::nullopt;
  const std::vector<double> orders = outcome_orders(asked.sums.counted_order());
  std::vector<double> rdp;
  for (const double order : orders) rdp.push_back(asked.sums.counted(order));
  CostEntry entry{Bound::data_independent, Reading::realized, ReportedConversion::improved};
  entry.releasable = true;
  fill_outcome(asked, orders, rdp, entry, notices);
  return entry;
}

// What a number that is published adds for events: by their answers, where these decide, else what
// is smallest for any votes. Which of the two follows from their mechanisms alone: of numbers that
// depend on the outcome the smaller one promises nothing.
double public_cost(const Record& record, double delta, const RecordSettings& settings) {
  if (record.empty()) return 0.0;
  RecordSums sums(record, settings.threads);
  const Question asked = question_of(sums, settings, delta);
  if (!(delta >= asked.apart)) return kInfinity;
  std::vector<Notice> ignored;
  if (const auto entry = counted_entry(asked, ignored)) return entry->epsilon;
  return least_for_any_votes(record, delta, settings);
}

// The exact costs and the privacy profile, before those for any votes.
void add_exact(const Question& asked, RecordAccount& account) {
  if (!asked.sums.has_exact() || !asked.converts()) return;
  if (asked.apart > 0.0) {
    account.notices.push_back({"bound_left_out",
                               "exact costs are not added to those of events whose deltas are "
                               "apart: they are not in the sum"});
    return;
  }
  bool spent = false;
  const auto evaluate = [&](std::span<const double> orders) {
    std::vector<std::vector<double>> epsilons;
    const std::vector<BothDirections> rdp = asked.sums.exact(orders);
    for (std::size_t j = 0; j < orders.size(); ++j) {
      spent = spent || !(rdp[j].larger() <= 0.0);
      epsilons.push_back(exact_epsilons(rdp[j], orders[j], asked.delta));
    }
    return epsilons;
  };
  Account hinted;
  hinted.costs = account.costs;
  const std::size_t functions = 2 * exact_conversions().size();
  const std::vector<OptimalOrder> best =
      asked.grid_only ? optimal_orders_among(asked.orders, functions, evaluate)
                      : optimal_orders_in_batches(order_hints(hinted), functions, evaluate);
  Entries entries = exact_entries(Bound::exact, best, spent, asked.delta, account.notices);
  const double most = entries.front().epsilon;
  const auto profiled = asked.sums.profiled();
  if (profiled && !spent) {
    entries.push_back(profile_entry(Bound::exact, asked.delta, 0.0, 0.0));
  } else if (profiled) {
    auto profile = run_profile(profiled->runs, {best[0], best[1]}, {.delta = asked.delta},
                               profiled->mu, asked.settings.threads);
    if (profile) {
      // The lower end knows nothing of events beside.
      const double upper = std::min(profile->upper.larger(), most);
      entries.push_back(profile_entry(Bound::exact, asked.delta, upper,
                                      std::min(profile->lower.larger(), upper)));
      note_interval(entries.back(), account.notices);
      account.profile = std::move(profile->curve);
    } else {
      account.notices.push_back(no_profile());
    }
  }
  account.notices.push_back(exact_private());
  account.costs.insert(account.costs.end(), entries.begin(), entries.end());
}

// Numbers that were drawn and that no later one counts.
std::vector<const Event*> standing_numbers(const Record& record) {
  std::set<std::string> covered;
  for (const Event& event : record) {
    if (event.open.drawn)
      covered.insert(event.open.drawn->covers.begin(), event.open.drawn->covers.end());
  }
  std::vector<const Event*> result;
  for (const Event& event : record) {
    if (event.open.drawn && !covered.contains(event.open.id)) result.push_back(&event);
  }
  // Sums of their epsilons are rounded: the order of the record must not show.
  std::ranges::sort(result, [](const Event* a, const Event* b) { return *a < *b; });
  return result;
}

ToldEpsilon drawn_total(const std::vector<const Event*>& numbers) {
  ToldEpsilon total;
  for (const Event* event : numbers) {
    for (std::int64_t k = 0; k < event->times; ++k) {
      total.epsilon = sum_upwards(total.epsilon, event->open.drawn->epsilon);
      total.delta = decimal_sum(total.delta, event->open.drawn->delta);
    }
  }
  return total;
}

// Events that no number drawn counts.
Record uncounted(const Record& record) {
  std::set<std::string> counted;
  for (const Event& event : record) {
    if (event.open.drawn) counted.insert(event.open.about);
  }
  Record rest;
  for (const Event& event : record) {
    if (event.open.drawn || (event.happened() && counted.contains(event.open.id))) continue;
    rest.push_back(event);
  }
  return rest;
}

// Epsilons that were drawn with their numbers; the rest at its cost for any votes.
void add_released(const Question& asked, const Record& record, RecordAccount& account) {
  const std::vector<const Event*> numbers = standing_numbers(record);
  if (numbers.empty()) return;
  const ToldEpsilon total = drawn_total(numbers);
  account.released = total;
  const Record rest = uncounted(record);
  double left = asked.delta - total.delta;
  if (asked.settings.delta) {
    left = std::nextafter(left, -1.0);
  } else if (!rest.empty()) {
    left = default_delta(rest);
  }
  CostEntry entry{Bound::released, Reading::released, ReportedConversion::improved, kInfinity,
                  asked.delta};
  if (rest.empty() && !(total.delta <= asked.delta)) return;
  const double others = rest.empty()  ? 0.0
                        : left >= 0.0 ? public_cost(rest, left, asked.settings)
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

void count_answers(const Record& record, RecordAccount& account) {
  bool all_expected = true;
  bool all_realized = true;
  bool any_realized = false;
  double expected = 0.0;
  double variance = 0.0;
  std::int64_t realized = 0;
  std::set<std::pair<std::int64_t, std::int64_t>> sizes;
  for (const Event& event : record) {
    const PublicEvent& open = event.open;
    if (open.teachers > 0) sizes.emplace(open.teachers, open.classes);
    if (open.kind == EventKind::release) continue;  // its run is told elsewhere, or is not here
    account.queries += event.times * open.queries;
    const bool chooses = open.aggregator && open.aggregator->selection;
    all_expected = all_expected && (!event.facts.table.empty() || (open.aggregator && !chooses));
    if (chooses && !event.facts.table.empty()) {
      AnswerProbabilities probabilities(*open.aggregator);
      for (const QueryRow& row : event.facts.table) {
        const auto [answered, refused] = probabilities.of(row.statistic);
        const auto count = static_cast<double>(event.times * row.count);
        expected += count * answered;
        variance += count * answered * refused;
      }
    } else {
      expected += static_cast<double>(event.times * open.queries);
    }
    any_realized = any_realized || open.realized;
    all_realized = all_realized && (open.realized || (open.aggregator && !chooses));
    realized += event.times * (open.realized ? open.realized->answered : open.queries);
  }
  if (!sizes.empty()) {
    account.teachers = sizes.begin()->first;
    if (sizes.size() == 1 && sizes.begin()->second > 0) account.classes = sizes.begin()->second;
  }
  if (all_expected) {
    account.answered_expected = expected;
    account.answered_sd = std::sqrt(variance);
  }
  if (any_realized && all_realized) account.answered_realized = realized;
}

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
  if (sums.is_adaptive()) {
    add("adaptive_rounds",
        "where queries or the student's scores come from answers of other events, these events "
        "enter fixed epsilons with their cost for any votes; what the answers cost is told as "
        "realized, an epsilon that depends on them");
  }
}

// RDP of each event by itself at the orders, as the headline counts it; empty where it is of
// another kind.
std::vector<std::vector<double>> curves_behind(const CostEntry& headline, const Record& record,
                                               std::span<const double> orders, unsigned threads) {
  std::vector<std::vector<double>> result;
  for (const Event& event : record) {
    RecordSums sums({event}, threads);
    std::vector<double>& curve = result.emplace_back();
    if (headline.data_dependent) {
      curve = sums.tradeoff(orders);
    } else {
      for (const double order : orders) curve.push_back(sums.any_votes(order));
    }
  }
  return result;
}

// The headline after each event; between its ends at orders of the grid, which is never below.
void add_trajectory(const Question& asked, const Record& record, RecordAccount& account) {
  const CostEntry& headline = account.costs[account.headline];
  const bool is_rdp = headline.conversion == ReportedConversion::optimal ||
                      headline.conversion == ReportedConversion::improved ||
                      headline.conversion == ReportedConversion::classic;
  const bool is_gaussian = headline.conversion == ReportedConversion::gdp;
  const bool is_sum = headline.bound == Bound::data_independent ||
                      (headline.bound == Bound::tradeoff && headline.reading == Reading::joint);
  const bool any_number =
      std::ranges::any_of(record, [](const Event& event) { return event.open.drawn.has_value(); });
  if (record.size() < 2 || record.size() > kMostTrajectory || !is_sum || any_number ||
      !(is_rdp || is_gaussian) || asked.sums.is_adaptive()) {
    return;
  }
  const double delta = asked.search().conversion_delta();
  const auto curves = is_rdp ? curves_behind(headline, record, asked.orders, asked.settings.threads)
                             : std::vector<std::vector<double>>(record.size());
  std::vector<double> rdp(asked.orders.size(), 0.0);
  double squared_mu = 0.0;
  Record first;
  for (std::size_t k = 0; k < record.size(); ++k) {
    first.push_back(record[k]);
    RecordAccount counts;
    count_answers(first, counts);
    TrajectoryPoint point{
        counts.queries, counts.answered_expected.value_or(std::numeric_limits<double>::quiet_NaN()),
        kInfinity, 0.0};
    if (is_gaussian) {
      squared_mu += RecordSums({record[k]}, asked.settings.threads).squared_mu().value();
      point.epsilon = gaussian_dp_epsilon(std::sqrt(squared_mu), delta);
    }
    for (std::size_t j = 0; j < rdp.size() && is_rdp; ++j) {
      rdp[j] = sum_upwards(rdp[j], curves[k][j]);
      const double epsilon = std::max(
          epsilon_from_rdp(rdp_conversion(headline.conversion), rdp[j], asked.orders[j], delta),
          0.0);
      if (epsilon < point.epsilon) {
        point.epsilon = epsilon;
        point.order = asked.orders[j];
      }
    }
    if (k + 1 == record.size()) {
      point.epsilon = headline.epsilon;
      point.order = headline.order.value_or(0.0);
    }
    account.trajectory.push_back(point);
  }
  // More events never cost less: what holds after more of them holds before.
  for (std::size_t k = account.trajectory.size(); k-- > 1;) {
    TrajectoryPoint& before = account.trajectory[k - 1];
    if (before.epsilon <= account.trajectory[k].epsilon) continue;
    before.epsilon = account.trajectory[k].epsilon;
    before.order = account.trajectory[k].order;
  }
}

}  // namespace

double default_delta(const Record& record) {
  double largest = 0.0;
  const std::vector<const Event*> numbers = standing_numbers(record);
  for (const Event& event : uncounted(record)) {
    if (!event.open.claim) largest = std::max(largest, event.open.delta.value_or(0.0));
  }
  double result = numbers.empty() ? largest : decimal_sum(largest, drawn_total(numbers).delta);
  for (const Event& event : record) {
    if (const auto its = claimed_delta(event)) result = decimal_sum(result, *its);
  }
  return result;
}

double recorded_delta(const Record& record) {
  const std::vector<const Event*> numbers = standing_numbers(record);
  double total = drawn_total(numbers).delta;
  for (const Event& event : uncounted(record)) {
    if (event.open.claim) {
      total = decimal_sum(total, *claimed_delta(event));
      continue;
    }
    for (std::int64_t k = 0; k < event.times; ++k) {
      total = decimal_sum(total, event.open.delta.value_or(0.0));
    }
  }
  return total;
}

ToldEpsilon told_total(const Record& record) {
  const std::vector<const Event*> numbers = standing_numbers(record);
  const Record rest = uncounted(record);
  ToldEpsilon total = drawn_total(numbers);
  if (rest.empty()) return total;
  const double delta = default_delta(rest);
  total.epsilon = sum_upwards(total.epsilon, public_cost(rest, delta, {}));
  total.delta = decimal_sum(total.delta, delta);
  return total;
}

RecordAccount account_record(const Record& record, const RecordSettings& settings) {
  if (record.empty()) throw parameter_error("an account needs at least one event, got none");
  RecordAccount account;
  account.events = record;
  account.delta = settings.delta.value_or(default_delta(record));
  if (!(account.delta >= 0.0 && account.delta < 1.0) ||
      (settings.delta && !(account.delta > 0.0))) {
    throw input_error(
        fmt::format("the deltas of the events add up to {}: expected less than 1", account.delta));
  }
  RecordSums sums(record, settings.threads);
  const Question asked = question_of(sums, settings, account.delta);
  if (!(asked.delta >= asked.apart)) {
    throw input_error(fmt::format(
        "delta {} leaves nothing beside {}, the deltas of events that are added apart: add --delta "
        "with more than that",
        decimal(asked.delta), decimal(asked.apart)));
  }
  account.orders = asked.orders;
  account.query_delta = asked.apart;
  account.steps = sums.steps();
  count_answers(record, account);

  std::vector<Notice> of_any_votes;
  Entries any_votes = any_votes_entries(asked, of_any_votes);
  if (auto counted = counted_entry(asked, of_any_votes)) any_votes.push_back(std::move(*counted));
  add_tradeoff(asked, account.costs, account.tradeoff, account.notices);
  add_expected(asked, Bound::tradeoff, account.costs, account.notices);
  add_realized(asked, account.costs, account.notices);
  add_expected(asked, Bound::published, account.costs, account.notices);
  const std::size_t known = account.costs.size();
  account.costs.insert(account.costs.end(), any_votes.begin(), any_votes.end());
  if (sums.has_exact()) {
    // Hints are the orders of those of the bounds.
    Entries after(account.costs.begin() + static_cast<std::ptrdiff_t>(known), account.costs.end());
    account.costs.resize(known);
    const Entries before = account.costs;
    account.costs.insert(account.costs.end(), after.begin(), after.end());
    const std::size_t all = account.costs.size();
    add_exact(asked, account);
    Entries exact(account.costs.begin() + static_cast<std::ptrdiff_t>(all), account.costs.end());
    account.costs = before;
    account.costs.insert(account.costs.end(), exact.begin(), exact.end());
    account.costs.insert(account.costs.end(), after.begin(), after.end());
  }
  const CostEntry* const least = least_public(account.costs);
  if (auto linear = linear_entry(asked, least == nullptr ? kInfinity : least->epsilon)) {
    account.costs.push_back(std::move(*linear));
  }
  add_released(asked, record, account);
  account.notices.insert(account.notices.end(), of_any_votes.begin(), of_any_votes.end());
  for (const double order : account.orders) account.any_votes.push_back(sums.any_votes(order));
  if (account.costs.empty()) {
    throw input_error(
        fmt::format("no cost of this record is known at delta {}: add --delta with a "
                    "larger one",
                    decimal(asked.delta)));
  }
  account.headline =
      headline_of(account.costs, {settings.reading, settings.conversion, settings.bound});
  add_trajectory(asked, record, account);
  if (account.orders.size() > 1) {
    add_order_notices(account.costs, account.orders, asked.grid_only, account.notices);
  }
  note_events(record, sums, account);
  add_headline_notices(account.costs, account.headline, account.notices);
  return account;
}

Guarantee guarantee_of(const RecordAccount& account, const std::string& released) {
  Guarantee result = guarantee_of(account.costs[account.headline], released);
  if (!result.holds) return result;
  const bool records = std::ranges::any_of(
      account.events, [](const Event& event) { return event.open.protects_records; });
  if (records) {
    protect_records(result);
    result.assumes = {
        "what the reports say of their teachers: how private each is on its own, with coins of its "
        "own and new ones for every query, and how many of them a record reaches",
        "the weights of their objectives were not taken from these votes"};
  }
  if (account.events.size() > 1 && account.costs[account.headline].promise == Promise::fixed) {
    result.assumes.emplace_back(
        "how many events there are, and how many queries and how much noise each has, did not "
        "depend on the answers of others");
  }
  return result;
}

}  // namespace pate
