#include "pate/release/curve/cost_spec.hpp"

#include <fmt/format.h>

#include "pate/base/error.hpp"
#include "pate/base/require.hpp"
#include "pate/release/curve/top_count_costs.hpp"

namespace pate {

double costs_memory(const CostSpec& question) {
  return question.cost == CurveCost::tilted ? KeyCosts::table_memory(question.teachers) : 0.0;
}

CostSpec joint_question(const Aggregator& aggregator, const Neighbours& neighbours,
                        std::int64_t teachers, std::int64_t classes) {
  return {aggregator,
          neighbours,
          teachers,
          classes,
          0.0,
          default_cost(aggregator, neighbours, teachers, classes),
          ReleasedCost::joint};
}

bool has_tilted_cost(const Neighbours& neighbours, std::int64_t teachers) {
  return neighbours.teachers == 1 || teachers <= KeyCosts::kMaxTeachersOfThreeKeys;
}

CurveCost default_cost(const Aggregator& aggregator, const Neighbours& neighbours,
                       std::int64_t teachers, std::int64_t classes) {
  if (!aggregator.is_gaussian()) return CurveCost::tradeoff;
  if (classes == 2 && !aggregator.interactive) return CurveCost::exact;
  return has_tilted_cost(neighbours, teachers) ? CurveCost::tilted : CurveCost::tradeoff;
}

Circumstances circumstances_of(const CostSpec& question) {
  return Circumstances(question.aggregator, question.neighbours)
      .with(Given::many_classes, question.classes != 2)
      .with(Given::no_threshold, !question.aggregator.selection)
      .with(Given::realized, question.reading == ReleasedCost::realized);
}

void validate(const CostSpec& question) {
  validate(question.aggregator);
  validate(question.neighbours);
  require(Asked::release, question.neighbours);
  require(question.classes >= 2, "with a single class nothing depends on the votes");
  require_classes(question.aggregator.noisy_max, question.classes);
  if (question.teachers < 1) throw parameter_error("a release needs at least one teacher");
  require_teachers(question.neighbours, question.teachers);
  const Circumstances circumstances = circumstances_of(question);
  if (question.cost == CurveCost::exact) require(Asked::exact_curve, circumstances);
  if (question.cost == CurveCost::tilted) require(Asked::tilted_curve, circumstances);
  if (question.cost == CurveCost::tilted &&
      !has_tilted_cost(question.neighbours, question.teachers)) {
    throw parameter_error(
        fmt::format("the tilted cost of {} is known for up to {} teachers; use the trade-off cost",
                    in_words(question.neighbours), KeyCosts::kMaxTeachersOfThreeKeys));
  }
  if (circumstances.has(Given::realized)) require(Asked::realized_curve, circumstances);
}

}  // namespace pate
