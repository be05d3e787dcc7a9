#include "pate/events/record_sums.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/events/cost_alike.hpp"
#include "pate/events/drawn_numbers.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// Repetitions of one list of queries that a profile is made for.
constexpr std::int64_t kMaxProfiledTimes = 1000;

double times_of(const EventCosts& costs) {
  return static_cast<double>(costs.event().times);
}

// A sum over the events of what each costs, by order; those that cost alike are computed once,
// unless what they cost is by their `answers`.
template <class Value, class Of, class Add>
std::vector<Value> summed(std::deque<EventCosts>& all, std::size_t orders, const Of& of,
                          const Add& add, bool answers = false) {
  std::vector<Value> result(orders);
  std::vector<std::pair<const Event*, decltype(of(all.front()))>> known;
  for (EventCosts& costs : all) {
    auto alike = std::ranges::find_if(
        known, [&](const auto& one) { return !answers && cost_alike(*one.first, costs.event()); });
    if (alike == known.end()) {
      known.emplace_back(&costs.event(), of(costs));
      alike = known.end() - 1;
    }
    const auto& its = alike->second;
    for (std::size_t j = 0; j < orders; ++j) add(result[j], its[j], times_of(costs));
  }
  return result;
}

struct SpentSums {
  CompensatedSum selection, noisy_max, variance;
  void add(const EventCosts::Spent& its, double times) {
    selection.add(times * its.selection);
    noisy_max.add(times * its.noisy_max);
    variance.add(times * its.variance);
  }
};

std::vector<EventCosts::Spent> values_of(const std::vector<SpentSums>& sums) {
  std::vector<EventCosts::Spent> result;
  for (const SpentSums& its : sums) {
    result.push_back({its.selection.value(), its.noisy_max.value(), its.variance.value()});
  }
  return result;
}

// Beyond, doubles are no counts.
constexpr std::int64_t kMaxCount = std::int64_t{1} << 53;

[[noreturn]] void refuse_too_many() {
  throw input_error("the steps of this record are more than 2^53");
}

std::int64_t repeated(std::int64_t count, std::int64_t times) {
  if (count > kMaxCount / times) refuse_too_many();
  return count * times;
}

void add_repeated(std::int64_t& total, std::int64_t count, std::int64_t times) {
  const std::int64_t more = repeated(count, times);
  if (more > kMaxCount - total) refuse_too_many();
  total += more;
}

MechanismCounts repeated(MechanismCounts steps, std::int64_t times) {
  for_each_kind([&](const auto kind) {
    for (auto& step : steps.*kind) step.second = repeated(step.second, times);
  });
  return steps;
}

// The runs that numbers were told of and that are not in the record.
Record missing_runs(const Record& record) {
  std::set<std::string> known;
  for (const Event& event : record) known.insert(event.open.id);
  Record result;
  for (const Event& event : record) {
    if (event.open.kind != EventKind::release || !event.open.steps) continue;
    // One that nothing identifies may be another one for each number.
    if (!event.open.about.empty() && !known.insert(event.open.about).second) continue;
    Event run;
    run.open.kind = EventKind::run;
    run.open.id = event.open.about;
    run.open.mechanism = event.open.mechanism;
    run.open.aggregator = event.open.aggregator;
    run.open.teachers = event.open.teachers;
    run.open.classes = event.open.classes;
    run.open.queries = event.open.queries;
    run.open.steps = event.open.steps;
    run.times = event.times;
    result.push_back(std::move(run));
  }
  return result;
}

}  // namespace

RecordSums::RecordSums(const Record& record, unsigned threads) {
  common_neighbours(record);
  Record all = one_number_a_coin(record);
  for (Event& run : missing_runs(record)) all.push_back(std::move(run));
  std::vector<Event> ordered = canonical(std::move(all));
  for (Event& event : ordered) events_.push_back(std::move(event));
  for (const Event& event : events_) costs_.emplace_back(event, threads);
}

double RecordSums::delta_apart() const {
  double total = 0.0;
  for (const EventCosts& costs : costs_) {
    const double its = costs.delta_apart();
    if (its > 0.0) total = sum_upwards(total, times_of(costs) * its * (1.0 + 1e-15));
  }
  return total;
}

MechanismCounts RecordSums::steps() const {
  MechanismCounts total;
  for (const Event& event : events_) {
    if (event.open.kind != EventKind::run || !event.open.steps) continue;
    total.add(repeated(*event.open.steps, event.times));
  }
  return total;
}

std::optional<MechanismCounts> RecordSums::only_steps() const {
  for (const Event& event : events_) {
    if (event.open.kind != EventKind::run || !event.open.steps || event.open.cap) {
      return std::nullopt;
    }
  }
  return steps();
}

std::optional<RecordSums::Mixture> RecordSums::mixture() const {
  CompensatedSum squared;
  std::map<double, std::int64_t> by_epsilon;
  for (const Event& event : events_) {
    const PublicEvent& open = event.open;
    const auto times = static_cast<double>(event.times);
    if (open.claim) {
      add_repeated(by_epsilon[open.claim->epsilon], open.claim->count, event.times);
    } else if (open.foreign && open.foreign->is_gaussian()) {
      squared.add(times * static_cast<double>(open.foreign->count) * open.foreign->mu *
                  open.foreign->mu);
    } else if (open.kind == EventKind::run && open.steps) {
      const MechanismCounts& steps = *open.steps;
      if (!steps.sampled_queries.empty() || !steps.gaussian_sparse_rounds.empty()) {
        return std::nullopt;
      }
      const auto votes = static_cast<double>(steps.neighbours.teachers);
      for (const auto& [sigma, count] : steps.threshold_checks) {
        squared.add(times * static_cast<double>(count) / sigma / sigma * votes * votes);
      }
      for (const auto& [noise, count] : steps.maxima) {
        if (const auto mu = NoisyStep(noise, steps.neighbours).squared_mu()) {
          squared.add(times * static_cast<double>(count) * *mu);
        }
      }
      for (const auto& [epsilon, count] : steps.pure_epsilons()) {
        add_repeated(by_epsilon[epsilon], count, event.times);
      }
    } else {
      return std::nullopt;
    }
  }
  Mixture result{squared.value(), {}};
  for (const auto& [epsilon, count] : by_epsilon) result.pure.push_back({epsilon, count});
  return result;
}

std::optional<double> RecordSums::squared_mu() const {
  const auto its = mixture();
  return its && its->pure.empty() ? std::optional(its->squared_mu) : std::nullopt;
}

std::optional<std::vector<PureSteps>> RecordSums::pure_steps() const {
  const auto its = mixture();
  return its && its->squared_mu == 0.0 ? std::optional(its->pure) : std::nullopt;
}

double RecordSums::any_votes(double order) const {
  CompensatedSum total;
  for (const EventCosts& costs : costs_) total.add(times_of(costs) * costs.any_votes(order));
  return total.value();
}

bool RecordSums::is_adaptive() const {
  // What is alone depends on no other's answers.
  const bool is_alone = events_.size() == 1 && events_.front().times == 1;
  return !is_alone && std::ranges::any_of(events_, [](const Event& event) {
    return event.open.origin.rows_from_answers;
  });
}

bool RecordSums::is_fixed(const Event& event) const {
  return !event.open.origin.rows_from_answers || !is_adaptive();
}

bool RecordSums::has_votes() const {
  return std::ranges::any_of(costs_, [&](const EventCosts& costs) {
    return costs.has_votes() && is_fixed(costs.event());
  });
}

std::vector<double> RecordSums::tradeoff(std::span<const double> orders, QuerySum how) {
  std::vector<double> result;
  const auto of = [&](EventCosts& costs) {
    if (is_fixed(costs.event())) return costs.tradeoff(orders, how);
    std::vector<double> its;
    for (const double order : orders) its.push_back(costs.any_votes(order));
    return its;
  };
  for (const CompensatedSum& sum : summed<CompensatedSum>(
           costs_, orders.size(), of,
           [](CompensatedSum&to, double its, double times) { to.add(times * its); })) {
    result.push_back(sum.value());
  }
  return result;
}

bool RecordSums::has_exact() const {
  return std::ranges::any_of(costs_, [&](const EventCosts& costs) {
    return costs.has_exact() && is_fixed(costs.event());
  });
}

std::vector<BothDirections> RecordSums::exact(std::span<const double> orders) {
  struct Sums {
    CompensatedSum forward, reverse;
  };
  const auto of = [&](EventCosts& costs) {
    if (is_fixed(costs.event())) return costs.exact(orders);
    std::vector<BothDirections> its;
    for (const double order : orders) {
      const double any = costs.any_votes(order);
      its.push_back({any, any});
    }
    return its;
  };
  std::vector<BothDirections> result;
  for (const Sums& sum :
       summed<Sums>(costs_, orders.size(), of, [](Sums&to, const BothDirections&its, double n) {
         to.forward.add(n * its.forward);
         to.reverse.add(n * its.reverse);
       })) {
    result.push_back({sum.forward.value(), sum.reverse.value()});
  }
  return result;
}

std::optional<RecordSums::Profiled> RecordSums::profiled() {
  Profiled result;
  CompensatedSum squared;
  for (EventCosts& costs : costs_) {
    const Event& event = costs.event();
    if (costs.delta_apart() > 0.0 || event.times > kMaxProfiledTimes) return std::nullopt;
    if (costs.queries() != nullptr && is_fixed(event)) {
      for (std::int64_t k = 0; k < event.times; ++k) result.runs.push_back(costs.queries());
      continue;
    }
    const bool is_run = event.open.kind == EventKind::run && event.open.steps;
    const auto its = is_run ? event.open.steps->squared_mu()
                     : event.open.foreign && event.open.foreign->is_gaussian()
                         ? std::optional(static_cast<double>(event.open.foreign->count) *
                                         event.open.foreign->mu * event.open.foreign->mu)
                         : std::nullopt;
    if (!its) return std::nullopt;
    squared.add(times_of(costs) * *its);
  }
  if (result.runs.empty()) return std::nullopt;
  result.mu = std::sqrt(squared.value()) * (1.0 + kSumMargin);
  return result;
}

bool RecordSums::is_decided_by_answers(const EventCosts& costs) const {
  return costs.tells_answers() || costs.event().open.origin.limited || !is_fixed(costs.event());
}

bool RecordSums::tells_answers() const {
  return std::ranges::any_of(costs_, [&](const EventCosts& costs) {
    return costs.has_votes() && is_decided_by_answers(costs);
  });
}

std::optional<double> RecordSums::named_order() const {
  std::optional<double> order;
  for (const EventCosts& costs : costs_) {
    // Where lists follow from answers, every event's cost may.
    if (!costs.has_votes() || (!is_adaptive() && !is_decided_by_answers(costs))) continue;
    const auto& its = costs.event().open.origin.order;
    if (!its || (order && *order != *its)) return std::nullopt;
    order = its;
  }
  return order;
}

std::vector<EventCosts::Spent> RecordSums::realized(std::span<const double> orders) {
  return values_of(summed<SpentSums>(
      costs_, orders.size(), [&](EventCosts& costs) { return costs.realized(orders); },
      [](SpentSums& to, const EventCosts::Spent& its, double times) { to.add(its, times); }, true));
}

bool RecordSums::counts_answers() const {
  return std::ranges::any_of(costs_, [](const EventCosts& its) { return its.counts_answers(); });
}

std::optional<double> RecordSums::counted_order() const {
  std::optional<double> order;
  for (const EventCosts& costs : costs_) {
    if (!costs.counts_answers()) continue;
    const auto& its = costs.event().open.origin.order;
    if (!its || (order && *order != *its)) return std::nullopt;
    order = its;
  }
  return order;
}

double RecordSums::counted(double order) const {
  CompensatedSum total;
  for (const EventCosts& costs : costs_) total.add(times_of(costs) * costs.counted(order));
  return total.value();
}

bool RecordSums::has_expected(Bound bound) const {
  bool any = false;
  for (const EventCosts& costs : costs_) {
    const bool has = costs.has_expected(bound);
    if (costs.has_votes() && !has) return false;
    any = any || has;
  }
  return any;
}

std::vector<EventCosts::Spent> RecordSums::expected(Bound bound, std::span<const double> orders,
                                                    QuerySum how) {
  const auto of = [&](EventCosts& costs) {
    if (costs.has_expected(bound)) return costs.expected(bound, orders, how);
    std::vector<EventCosts::Spent> its;
    for (const double order : orders) its.push_back({0.0, costs.any_votes(order), 0.0});
    return its;
  };
  return values_of(summed<SpentSums>(
      costs_, orders.size(), of,
      [](SpentSums& to, const EventCosts::Spent& its, double times) { to.add(its, times); }));
}

}  // namespace pate
