#pragma once

#include <limits>

#include "pate/accounting/names.hpp"
#include "pate/mechanisms/mechanism.hpp"
#include "pate/reports/fields.hpp"
#include "pate/tuning/tune.hpp"

// The fields of grids, goals and points, described once: in reports of `pate tune` and of two
// rounds, for those who write and read them.

namespace pate::reports {

/// NaN, which is null, where there are no answers.
inline double share_of(double number, double answered) {
  return answered > 0.0 ? number / answered : std::numeric_limits<double>::quiet_NaN();
}

/// The results of a point; an infinite epsilon is null, and so is an order that is none.
template <class Archive>
void point_results(Archive& a, Described<Archive, TuningPoint>& point, const Tuning& tuning,
                   const TuneSettings& settings) {
  a("epsilon", point.epsilon, Real{.least = 0.0, .null_is = kInfinity});
  a("order", point.order, Real{.least = 1.0, .null_is = 0.0});
  a("answered", point.answered, Real{0.0});
  a("agreeing", point.agreeing, Real{0.0});
  if constexpr (!Archive::kReads) a("agreement", share_of(point.agreeing, point.answered));
  if (tuning.has_labels) {
    a("correct", point.right, Real{0.0});
    if constexpr (!Archive::kReads) {
      a("accuracy", share_of(point.right, point.answered));
    }
  }
  if (settings.grid.max_answers) a("queries", point.queries, Whole{0, tuning.queries});
}

/// What a point's epsilon is compared with; reports of before have none.
template <class Archive>
void comparisons(Archive& a, Described<Archive, TunedPoint>& p) {
  const Real epsilon{.least = 0.0, .null_is = kInfinity};
  if constexpr (Archive::kReads) {
    if (!a.json().find("epsilon_published")) return;
  }
  a("epsilon_data_independent", p.point.any_votes, epsilon);
  a("epsilon_published", p.published, epsilon);
}

/// The parameters of a point, in the order of the axes.
template <class Archive>
void point_parameters(Archive& a, const Mechanism& mechanism) {
  if (const StabilityTest* const test = mechanism.ptr()) {
    a(test->is_gaussian() ? "ptr_sigma" : "ptr_laplace", test_parameter(*test));
    a("ptr_delta", test->delta());
    return;
  }
  const Aggregator& aggregator = mechanism.noisy();
  if (aggregator.selection) {
    a("sigma1", aggregator.selection->sigma1);
    a("threshold", aggregator.selection->threshold);
  }
  a(aggregator.noisy_max.names().parameter, aggregator.noisy_max.parameter());
}

/// The axes of a grid.
template <class Archive>
void grid_fields(Archive& a, Described<Archive, TuningGrid>& grid, bool has_selection) {
  if (grid.ptr) {
    a(*grid.ptr == TestNoise::laplace ? "ptr_laplace" : "ptr_sigma", grid.sigma1, Real{0.0});
    a("ptr_delta", grid.noise, Real{0.0});
    return;
  }
  if (has_selection) {
    a("sigma1", grid.sigma1, Real{0.0});
    a("threshold", grid.threshold);
  }
  a(grid.one_noise ? "one_laplace_scale"
    : grid.laplace ? "laplace_scale"
                   : "sigma2",
    grid.noise, Real{0.0});
}

/// Which epsilon is looked for, and what the best point is.
template <class Archive>
void goal_fields(Archive& a, Described<Archive, TuneSettings>& settings) {
  auto& kind = settings.grid.kind;
  a("delta", kind.delta);
  a.named("bound", kind.cost.bound, {Bound::tradeoff, Bound::published});
  a.named("reading", kind.cost.reading, {GuaranteeKind::joint, GuaranteeKind::expected});
  if constexpr (!Archive::kReads) a("direction", direction_name(kind.cost.bound));
  a.named("conversion", kind.conversion,
          {Conversion::optimal, Conversion::improved, Conversion::classic});
  if constexpr (Archive::kReads) {
    kind.as_headline = kind.cost.reading == GuaranteeKind::joint;
    kind.chosen_conversion = kind.conversion != Conversion::optimal;
  }
  a.named("objective", settings.goal.objective,
          {Objective::agreeing, Objective::correct, Objective::answered, Objective::epsilon});
  a.object("limits", [&](auto& limits) {
    limits("max_epsilon", settings.goal.max_epsilon);
    limits("min_answered", settings.goal.min_answered);
    limits("min_right", settings.goal.min_right);
    limits("min_agreement", settings.goal.min_agreement);
    limits("min_accuracy", settings.goal.min_accuracy);
    limits("max_answers", settings.grid.max_answers);
  });
}

/// Where a point was refined, what it was before.
template <class Archive>
void grid_point(Archive& a, Described<Archive, TunedPoint>& p) {
  a("grid_epsilon", p.grid_epsilon, Real{.least = p.point.epsilon, .null_is = kInfinity});
  a("grid_order", p.grid_order, Real{.least = 1.0, .null_is = 0.0});
}

}  // namespace pate::reports
