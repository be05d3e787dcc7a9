#include "pate/events/drawn_numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "pate/numerics/decimal.hpp"
#include "pate/numerics/margin.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

namespace {

// So many times a number, added to a total one by one; those beyond some thousands at once, rounded
// up.
template <class Add>
double add_times(double total, double number, std::int64_t times, const Add& add) {
  constexpr std::int64_t kMostTerms = 10'000;
  const std::int64_t terms = std::min(times, kMostTerms);
  for (std::int64_t k = 0; k < terms; ++k) total = add(total, number);
  if (times == terms) return total;
  return sum_upwards(total, with_margin(static_cast<double>(times - terms) * number));
}

}  // namespace

std::vector<const Event*> standing_numbers(const Record& record) {
  // A number counts earlier ones about its own run, and no others.
  std::set<std::pair<std::string, std::string>> covered;
  for (const Event& event : record) {
    if (!event.open.drawn) continue;
    for (const std::string& id : event.open.drawn->covers) covered.emplace(event.open.about, id);
  }
  std::vector<const Event*> result;
  for (const Event& event : record) {
    if (event.open.drawn && !covered.contains({event.open.about, event.open.id})) {
      result.push_back(&event);
    }
  }
  // Sums of their epsilons are rounded: the order of the record must not show.
  std::ranges::sort(result, [](const Event* a, const Event* b) { return *a < *b; });
  return result;
}

ToldEpsilon drawn_total(const std::vector<const Event*>& numbers) {
  ToldEpsilon total;
  for (const Event* event : numbers) {
    const DrawnNumber& drawn = *event->open.drawn;
    total.epsilon = add_times(total.epsilon, drawn.epsilon, event->times, sum_upwards);
    total.delta = add_times(total.delta, drawn.delta, event->times, decimal_sum);
  }
  return total;
}

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

std::optional<double> claimed_delta(const Event& event) {
  if (!event.open.claim) return std::nullopt;
  return static_cast<double>(event.times) * static_cast<double>(event.open.claim->count) *
         event.open.claim->delta;
}

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
    total = add_times(total, event.open.delta.value_or(0.0), event.times, decimal_sum);
  }
  return total;
}

}  // namespace pate
