#include "pate/reports/saved_tuning.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <tuple>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/tune_fields.hpp"

namespace pate::reports {

namespace {

void read_grid(const io::JsonValue& report, TuningGrid& grid) {
  const io::JsonValue name = report.at("mechanism").at("name");
  grid.ptr = test_noise_of(name);
  if (grid.ptr == TestNoise::sparse || grid.ptr == TestNoise::sparse_gaussian) {
    name.fail("a mechanism that can be tuned");
  }
  const Aggregator shape = grid.ptr ? Aggregator{} : shape_of(name);
  grid.laplace = !shape.is_gaussian();
  grid.one_noise = shape.noisy_max.is_of_two_classes();
  grid.interactive = shape.interactive;
  FieldReader mechanism(report.at("mechanism"));
  neighbour_fields(mechanism, grid.neighbours);
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

// Which points the report is of, and how many of them it has.
void read_shard(FieldReader& report, Tuning& tuning, Shard& shard) {
  report.object("shard", [&](FieldReader& a) {
    shard_fields(a, shard, kMaxShards);
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

std::string sha256_of(const io::JsonValue& inputs, const char* role) {
  const auto file = inputs.find(role);
  return file ? file->at("sha256").text() : std::string();
}

TunedPoint read_point(FieldReader a, const Tuning& tuning, const TuneSettings& settings) {
  TunedPoint p;
  a("index", p.index);
  const std::size_t least = tuning.points.empty() ? tuning.first : tuning.points.back().index + 1;
  if (p.index < least || p.index >= tuning.last) {
    a.json().at("index").fail(
        least < tuning.last ? fmt::format("a point of the shard behind the one before, {} to {}",
                                          least, tuning.last - 1)
                            : "no more points: the shard has ended");
  }
  p.point.queries = tuning.queries;
  point_results(a, p.point, tuning, settings);
  comparisons(a, p);
  a("refined", p.refined);
  p.grid_epsilon = p.point.epsilon;
  p.grid_order = p.point.order;
  if (p.refined && tuning.grid.has_selection()) grid_point(a, p);
  return p;
}

// Reads the points of a report of which everything else has been read.
void read_points(const io::JsonValue& points, const TuneSettings& settings, Tuning& tuning) {
  for (const io::JsonValue& point : points.elements()) {
    tuning.points.push_back(read_point(FieldReader(point), tuning, settings));
  }
  if (tuning.points.size() > tuning.evaluated) {
    points.fail(fmt::format("at most the {} points that were evaluated", tuning.evaluated));
  }
}

}  // namespace

SavedTuning read_tune_report(const io::JsonValue& report) {
  const io::JsonValue schema = report.at("schema");
  if (schema.text() != "pate/tune/v1") schema.fail("pate/tune/v1, a report of pate tune");
  SavedTuning saved;
  Tuning& tuning = saved.tuning;
  TuneSettings& settings = saved.settings;
  FieldReader a(report);
  read_grid(report, tuning.grid);
  a("teachers", tuning.teachers, Whole{0, kMaxTeachers});
  a("classes", tuning.classes, Whole{1, kMaxTeachers});
  a("queries", tuning.queries);
  read_shard(a, tuning, settings.shard);
  goal_fields(a, settings);
  const double delta = settings.grid.kind.delta;
  if (!(delta > 0.0 && delta < 1.0)) report.at("delta").fail("a number > 0 and < 1");
  a.object("settings", [&](FieldReader& its) {
    its("orders", settings.grid.kind.orders, Real{1.0});
    its("top", settings.top);
    if (const auto rows = its.json().find("labels_rows")) saved.labels_rows = rows->text();
  });

  const io::JsonValue inputs = report.at("inputs");
  saved.votes_digest = inputs.at("votes").at("votes_digest").text();
  saved.student_sha256 = sha256_of(inputs, "student");
  saved.labels_sha256 = sha256_of(inputs, "labels");
  tuning.has_labels = !saved.labels_sha256.empty();
  settings.goal.labelled = tuning.has_labels;
  if (const auto best = report.find("best")) {
    if (const auto command = best->find("command")) saved.best_command = command->text();
  }
  a.optional("notices", saved.notices);
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
  require(saved.student_sha256 == now.student_sha256, "another \1student");
  require(saved.labels_sha256 == now.labels_sha256, "other \1labels");
  require(saved.labels_rows == now.labels_rows, "another \1labels-rows");
  const TuningGrid& x = saved.tuning.grid;
  const TuningGrid& y = now.tuning.grid;
  require(x.noise == y.noise && x.sigma1 == y.sigma1 && x.threshold == y.threshold &&
              x.laplace == y.laplace && x.one_noise == y.one_noise &&
              x.interactive == y.interactive && x.ptr == y.ptr,
          "another grid");
  require(x.neighbours == y.neighbours, "other \1neighbours, or another \1teachers-per-person");
  require(saved.tuning.first == now.tuning.first && saved.tuning.last == now.tuning.last,
          "another \1shard");
  require(a.delta == b.delta, "another \1delta");
  require(a.cost.bound == b.cost.bound && a.cost.reading == b.cost.reading &&
              a.conversion == b.conversion && a.orders == b.orders,
          "another \1bound, \1reading, \1conversion or \1orders");
  require(saved.settings.grid.max_answers == now.settings.grid.max_answers,
          "another \1max-answers");
}

}  // namespace pate::reports
