#include "pate/reports/rounds_report.hpp"

#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"
#include "pate/reports/tune_fields.hpp"

namespace pate::reports {

std::string rounds_report_json(const RoundsTuning& found, const RoundsContext& context) {
  const auto pair = [&](FieldWriter& a, const RoundsPoint& p,
                        const std::array<RoundAlone, 2>* alone) {
    a("epsilon", p.epsilon);
    a("order", p.order, Real{.null_is = 0.0});
    a("answered", p.answered);
    a("agreeing", p.agreeing);
    if (context.has_labels) a("correct", p.right);
    const io::JsonWriter rounds = a.place().member("rounds");
    rounds.set_empty_array();
    for (std::size_t r = 0; r < 2; ++r) {
      FieldWriter round(rounds.element());
      point_parameters(round, context.grids[r].aggregator(p.index[r]));
      if (alone == nullptr) continue;
      round("queries", context.queries[r]);
      round("epsilon", (*alone)[r].epsilon);
      round("answered", (*alone)[r].answered);
      round("agreeing", (*alone)[r].agreeing);
      if (context.has_labels) round("correct", (*alone)[r].right);
    }
  };
  FieldWriter report = begin_report("rounds", context.report);
  report("teachers", context.teachers);
  report("classes", context.classes);
  TuneSettings settings;
  settings.grid.kind = context.kind;
  settings.goal = context.goal;
  goal_fields(report, settings);
  report("grid_accuracy", kGridAccuracy);
  const io::JsonWriter grids = report.place().member("rounds");
  grids.set_empty_array();
  for (std::size_t r = 0; r < 2; ++r) {
    FieldWriter round(grids.element());
    round("mechanism", context.grids[r].aggregator(0).name());
    neighbour_fields(round, context.grids[r].neighbours);
    round("queries", context.queries[r]);
    round.object("grid", [&](FieldWriter& a) { grid_fields(a, context.grids[r], true); });
  }
  report.object("best", [&](FieldWriter& best) {
    if (!found.best) return;
    pair(best, *found.best, &found.alone);
    best("commands", context.commands);
  });
  const io::JsonWriter front = report.place().member("front");
  front.set_empty_array();
  for (const RoundsPoint& p : found.front) {
    FieldWriter a(front.element());
    pair(a, p, nullptr);
  }
  report("guarantee",
         no_guarantee("parameters that were chosen by looking at these votes depend on them, which "
                      "no epsilon here allows for.",
                      context.grids.front().neighbours));
  report("notices", context.notices);
  return report.text();
}

}  // namespace pate::reports
