#include "pate/events/record_answers.hpp"

#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "pate/mechanisms/aggregator.hpp"

namespace pate {

RecordAnswers answers_of(const Record& record) {
  RecordAnswers result;
  bool all_expected = true;
  bool all_realized = true;
  bool any_realized = false;
  double expected = 0.0;
  double variance = 0.0;
  std::int64_t realized = 0;
  std::set<std::pair<std::int64_t, std::int64_t>> sizes;
  std::set<std::string> counted;
  for (const Event& event : record) {
    if (event.open.kind != EventKind::release) counted.insert(event.open.id);
  }
  for (const Event& event : record) {
    const PublicEvent& open = event.open;
    if (open.teachers > 0) sizes.emplace(open.teachers, open.classes);
    // A number about a run that is not in the record stands for it, once.
    if (open.kind == EventKind::release && !open.about.empty() &&
        !counted.insert(open.about).second) {
      continue;
    }
    // A step that answers no queries changes no number of answers.
    if (open.kind == EventKind::step && open.queries == 0) continue;
    result.queries += event.times * open.queries;
    const bool chooses = open.aggregator && open.aggregator->refuses();
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
      // All that were asked are answered, which are fewer where a limit ended the run.
      expected += static_cast<double>(event.times *
                                      (open.realized ? open.realized->answered : open.queries));
    }
    any_realized = any_realized || open.realized;
    all_realized = all_realized && (open.realized || (open.aggregator && !chooses));
    realized += event.times * (open.realized ? open.realized->answered : open.queries);
  }
  if (!sizes.empty()) {
    result.teachers = sizes.begin()->first;
    if (sizes.size() == 1 && sizes.begin()->second > 0) result.classes = sizes.begin()->second;
  }
  if (all_expected) {
    result.answered_expected = expected;
    result.answered_sd = std::sqrt(variance);
  }
  if (any_realized && all_realized) result.answered_realized = realized;
  return result;
}

}  // namespace pate
