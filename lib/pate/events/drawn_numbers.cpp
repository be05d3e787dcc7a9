#include "pate/events/drawn_numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "pate/numerics/decimal.hpp"
#include "pate/numerics/sums.hpp"

namespace pate {

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
  return static_cast<double>(event.times * event.open.claim->count) * event.open.claim->delta;
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
    for (std::int64_t k = 0; k < event.times; ++k) {
      total = decimal_sum(total, event.open.delta.value_or(0.0));
    }
  }
  return total;
}

}  // namespace pate
