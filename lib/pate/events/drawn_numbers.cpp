#include "pate/events/drawn_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/base/files.hpp"
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
  using Number = std::pair<std::string, std::string>;
  std::map<Number, std::vector<const Event*>> numbers;
  std::set<Number> covered;
  for (const Event& event : record) {
    if (!event.open.drawn) continue;
    numbers[{event.open.about, event.open.id}].push_back(&event);
    for (const std::string& id : event.open.drawn->covers) covered.emplace(event.open.about, id);
  }
  std::vector<const Event*> result;
  for (const auto& [number, events] : numbers) {
    if (!covered.contains(number)) result.insert(result.end(), events.begin(), events.end());
  }
  // What the standing ones count, directly or not: numbers that count each other would be nobody's.
  std::vector<const Event*> open = result;
  std::set<Number> counted;
  while (!open.empty()) {
    const PublicEvent& event = open.back()->open;
    open.pop_back();
    if (!counted.emplace(event.about, event.id).second) continue;
    for (const std::string& id : event.drawn->covers) {
      if (const auto its = numbers.find({event.about, id}); its != numbers.end()) {
        open.insert(open.end(), its->second.begin(), its->second.end());
      }
    }
  }
  for (const auto& [number, events] : numbers) {
    if (counted.contains(number)) continue;
    throw input_error(
        fmt::format("the numbers about run {} count each other, {} among them: "
                    "expected each to count earlier ones alone",
                    io::printable(number.first), io::printable(number.second)));
  }
  // Sums of their epsilons are rounded: the order of the record must not show.
  std::ranges::sort(result, [](const Event* a, const Event* b) { return *a < *b; });
  return result;
}

bool is_claim(const PublicEvent& event) {
  const auto& drawn = event.drawn;
  return drawn && drawn->noise && drawn->noise->method == ReleaseMethod::at_most;
}

bool is_same_coin(const PublicEvent& later, const PublicEvent& earlier) {
  if (!is_claim(later) || !is_claim(earlier) || later.about != earlier.about) return false;
  return *later.drawn->noise == *earlier.drawn->noise &&
         std::ranges::find(later.drawn->covers, earlier.id) != later.drawn->covers.end();
}

Record one_number_a_coin(const Record& record) {
  Record result;
  for (const Event& event : record) {
    const bool has_later =
        is_claim(event.open) && std::ranges::any_of(record, [&](const Event& later) {
          return later.times == event.times && is_same_coin(later.open, event.open);
        });
    if (!has_later) result.push_back(event);
  }
  return result;
}

ToldEpsilon drawn_total(const std::vector<const Event*>& numbers) {
  ToldEpsilon total;
  for (const Event* event : numbers) {
    const DrawnNumber& drawn = *event->open.drawn;
    total.epsilon = add_times(total.epsilon, drawn.epsilon, event->times, sum_upwards);
    total.delta = add_times(total.delta, drawn.delta, event->times, decimal_sum);
    const bool is_chosen = event->open.origin.parameters_from_votes;
    total.promise = std::max(total.promise, is_chosen ? Promise::none : Promise::outcome);
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
