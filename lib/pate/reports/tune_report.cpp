#include "pate/reports/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "pate/error.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/tune_points.hpp"

namespace pate::reports {

namespace {

constexpr std::string_view kPoints = "\n  \"points\": [";

template <class Archive>
void grid_fields(Archive& a, Described<Archive, TuningGrid>& grid, bool has_selection) {
  if (has_selection) {
    a("sigma1", grid.sigma1, Real{0.0});
    a("threshold", grid.threshold);
  }
  a(grid.laplace ? "laplace_scale" : "sigma2", grid.noise, Real{0.0});
}

void write_grid(FieldWriter& report, const TuningGrid& grid) {
  report.object("grid", [&](FieldWriter& a) { grid_fields(a, grid, grid.has_selection()); });
}

void read_grid(const io::JsonValue& report, TuningGrid& grid) {
  Aggregator shape;
  shape_aggregator(report.at("mechanism").at("name"), shape);
  grid.laplace = !shape.is_gaussian();
  grid.interactive = shape.interactive;
  const io::JsonValue json = report.at("grid");
  FieldReader a(json);
  grid_fields(a, grid, shape.selection.has_value());
  if (shape.selection && grid.threshold.empty()) {
    json.at("threshold").fail("at least one threshold");
  }
  try {
    validate(grid);
  } catch (const parameter_error& error) {
    json.fail(fmt::format("a grid that can be tuned ({})", error.what()));
  }
}

// Which epsilon is looked for, and what the best point is.
template <class Archive>
void goal_fields(Archive& a, Described<Archive, TuneSettings>& settings) {
  auto& kind = settings.grid.kind;
  a("delta", kind.delta);
  a.named("bound", kind.cost.bound, {Bound::tradeoff, Bound::published});
  a.named("reading", kind.cost.reading, {Reading::joint, Reading::expected});
  if constexpr (!Archive::kReads) a("direction", direction_name(kind.cost.bound));
  a.named("conversion", kind.conversion, {Conversion::improved, Conversion::classic});
  a.named("objective", settings.goal.objective,
          {Objective::answered, Objective::correct, Objective::epsilon});
  a.object("limits", [&](auto& limits) {
    limits("max_epsilon", settings.goal.max_epsilon);
    limits("min_answered", settings.goal.min_answered);
    limits("max_answers", settings.grid.max_answers);
  });
}

void write_shard(FieldWriter& report, const Tuning& tuning, const Shard& shard) {
  report.object("shard", [&](FieldWriter& a) {
    shard_fields(a, shard, kMostShards);
    a("first_point", tuning.first);
    a("last_point", tuning.last);
  });
  report("complete", tuning.complete);
  report("points_evaluated", tuning.evaluated);
}

// Which points the report is of, and how many of them it has.
void read_shard(FieldReader& report, Tuning& tuning, Shard& shard) {
  report.object("shard", [&](FieldReader& a) {
    shard_fields(a, shard, kMostShards);
    std::tie(tuning.first, tuning.last) = points_of_shard(tuning.grid, shard);
    for (const auto& [key, expected] :
         {std::pair{"first_point", tuning.first}, {"last_point", tuning.last}}) {
      std::size_t found = 0;
      a(key, found);
      if (found == expected) continue;
      a.json().at(key).fail(fmt::format("{}, shard {} of {} of {} points", expected, shard.index,
                                        shard.of, tuning.grid.size()));
    }
  });
  const std::size_t all = tuning.last - tuning.first;
  report("points_evaluated", tuning.evaluated, Whole{0, static_cast<std::int64_t>(all)});
  report("complete", tuning.complete);
  if (tuning.complete && tuning.evaluated != all) {
    report.json().at("points_evaluated").fail(fmt::format("{}, because it is complete", all));
  }
}

void point_of_grid(FieldWriter& a, const Tuning& tuning, const TuneSettings& settings,
                   std::size_t position) {
  const TunedPoint& p = tuning.points[position];
  point_parameters(a, tuning.grid.aggregator(p.index));
  fields(a, p.point, PointShape(tuning, settings));
  a("index", p.index);
  if (p.release_computed) a("released", p.released);
}

void write_best(FieldWriter& a, const Tuning& tuning, const TuneContext& context) {
  if (tuning.continuum) {
    point_parameters(a, tuning.continuum->aggregator);
    fields(a, tuning.continuum->point, PointShape(tuning, context.settings));
  } else {
    point_of_grid(a, tuning, context.settings, *tuning.choice.best);
  }
  a("on_grid", !tuning.continuum.has_value());
  if (!context.best_command.empty()) a("command", context.best_command);
  if (!context.release_command.empty()) a("release_command", context.release_command);
}

void write_misses(FieldWriter& report, const Tuning& tuning, const TuneSettings& settings) {
  const io::JsonWriter misses = report.place().member("nearest_misses");
  misses.set_empty_array();
  for (const NearestMiss& miss : tuning.choice.nearest_misses) {
    FieldWriter a(misses.element());
    a("limit", miss.of_max_epsilon ? "max_epsilon" : "min_answered");
    a.object("point", [&](FieldWriter& p) { point_of_grid(p, tuning, settings, miss.position); });
  }
}

std::string sha256_of(const io::JsonValue& inputs, const char* role) {
  const auto file = inputs.find(role);
  return file ? file->at("sha256").text() : std::string();
}

}  // namespace

std::string tune_report_json(const Tuning& tuning, const TuneContext& context) {
  const TuneSettings& settings = context.settings;
  FieldWriter report = begin_report("tune", context.report);
  report.object("mechanism", [&](FieldWriter& a) { a("name", tuning.grid.aggregator(0).name()); });
  report("teachers", tuning.teachers);
  report("classes", tuning.classes);
  report("queries", tuning.queries);
  goal_fields(report, settings);
  write_grid(report, tuning.grid);
  report("grid_accuracy", tuning.grid.has_selection() ? kGridAccuracy : 0.0);
  write_shard(report, tuning, settings.shard);
  report("points_listed", tuning.points.size());
  if (settings.release) {
    report("ranked_by", tuning.ranked_by_release ? "mean_published" : "epsilon");
    report("releases_computed",
           std::count_if(tuning.points.begin(), tuning.points.end(),
                         [](const TunedPoint& p) { return p.release_computed; }));
  }
  report.object("best", [&](FieldWriter& best) {
    if (tuning.choice.best) write_best(best, tuning, context);
  });
  if (settings.continuum) {
    report.object("best_on_grid", [&](FieldWriter& best) {
      if (tuning.choice.best) point_of_grid(best, tuning, settings, *tuning.choice.best);
    });
  }
  write_misses(report, tuning, settings);
  report("notices", context.notices);
  std::string text = report.place().text();
  text.erase(text.rfind('\n'));
  text += ',';
  text += kPoints;
  append_points(tuning, settings, text);
  text += "]\n}\n";
  return text;
}

SavedTuning read_tune_report(const io::JsonValue& report) {
  const io::JsonValue schema = report.at("schema");
  if (schema.text() != "pate/tune/v1") schema.fail("pate/tune/v1, a report of pate tune");
  SavedTuning saved;
  Tuning& tuning = saved.tuning;
  TuneSettings& settings = saved.settings;
  FieldReader a(report);
  read_grid(report, tuning.grid);
  a("teachers", tuning.teachers, Whole{0, kMostTeachers});
  a("classes", tuning.classes, Whole{1, kMostTeachers});
  a("queries", tuning.queries);
  read_shard(a, tuning, settings.shard);
  goal_fields(a, settings);
  const double delta = settings.grid.kind.delta;
  if (!(delta > 0.0 && delta < 1.0)) report.at("delta").fail("a number > 0 and < 1");
  a.object("settings", [&](FieldReader& its) {
    its("orders", settings.grid.kind.orders, Real{1.0});
    its("top", settings.top);
  });

  const io::JsonValue inputs = report.at("inputs");
  saved.votes_digest = inputs.at("votes").at("votes_digest").text();
  saved.student_sha256 = sha256_of(inputs, "student");
  saved.labels_sha256 = sha256_of(inputs, "labels");
  tuning.has_labels = !saved.labels_sha256.empty();
  if (const auto best = report.find("best")) {
    if (const auto command = best->find("command")) saved.best_command = command->text();
  }
  settings.release = report.find("ranked_by").has_value();
  saved.continuum = report.has("best_on_grid");
  read_points(report.at("points"), settings, tuning);
  return saved;
}

void check_same_tuning(const std::string& path, const SavedTuning& saved, const SavedTuning& now) {
  const EpsilonKind& a = saved.settings.grid.kind;
  const EpsilonKind& b = now.settings.grid.kind;
  const auto require = [&](bool same, const char* what) {
    if (!same) throw input_error(fmt::format("{}: was made with {}", path, what));
  };
  require(saved.votes_digest == now.votes_digest, "other votes, or other rows of them");
  require(saved.student_sha256 == now.student_sha256, "another --student");
  require(saved.labels_sha256 == now.labels_sha256, "other --labels");
  const TuningGrid& x = saved.tuning.grid;
  const TuningGrid& y = now.tuning.grid;
  require(x.noise == y.noise && x.sigma1 == y.sigma1 && x.threshold == y.threshold &&
              x.laplace == y.laplace && x.interactive == y.interactive,
          "another grid");
  require(saved.tuning.first == now.tuning.first && saved.tuning.last == now.tuning.last,
          "another --shard");
  require(a.delta == b.delta, "another --delta");
  require(a.cost.bound == b.cost.bound && a.cost.reading == b.cost.reading &&
              a.conversion == b.conversion && a.orders == b.orders,
          "another --bound, --reading, --conversion or --orders");
  require(saved.settings.grid.max_answers == now.settings.grid.max_answers,
          "another --max-answers");
}

}  // namespace pate::reports
