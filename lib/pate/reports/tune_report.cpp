#include "pate/reports/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "pate/base/error.hpp"
#include "pate/reports/report_fields.hpp"
#include "pate/reports/seal.hpp"

namespace pate::reports {

// What a release of a point would publish.
static void fields(FieldWriter& a, const ReleasedEpsilon& released) {
  const bool is_curve = released.method == ReleaseMethod::curve;
  a("mean_published", released.mean);
  a(is_curve ? "sd_published" : "noise_sd", released.sd);
  a("order", released.order);
  a("beta", released.beta);
  a(is_curve ? "s" : "sigma_ss", released.noise);
  if (is_curve) a("estimate", released.is_estimate);
}

namespace {

// NaN, which is null, where there are no answers.
double share_of(double number, double answered) {
  return answered > 0.0 ? number / answered : std::numeric_limits<double>::quiet_NaN();
}

// The results of a point; an infinite epsilon is null, and so is an order that is none.
template <class Archive>
void point_results(Archive& a, Described<Archive, TuningPoint>& point, const Tuning& tuning,
                   const TuneSettings& settings) {
  a("epsilon", point.epsilon, Real{.least = 0.0, .null_is = kInfinity});
  a("order", point.order, Real{.least = 1.0, .null_is = 0.0});
  a("answered", point.answered, Real{0.0});
  if constexpr (Archive::kReads) {
    if (!a.json().find("agreeing")) {
      a.json().fail(
          "'agreeing', the answers that are the plurality, which reports of earlier versions do "
          "not have: run pate tune again");
    }
  }
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

// What a point's epsilon is compared with; reports of before have none.
template <class Archive>
void comparisons(Archive& a, Described<Archive, TunedPoint>& p) {
  const Real epsilon{.least = 0.0, .null_is = kInfinity};
  if constexpr (Archive::kReads) {
    if (!a.json().find("epsilon_published")) return;
  }
  a("epsilon_data_independent", p.data_independent, epsilon);
  a("epsilon_published", p.published, epsilon);
}

// The parameters of a point, in the order of the axes.
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

// The fields of a point on a line, each after a comma: as JSON, or as CSV, where what is null is
// empty and truth is 1.
struct PointLine {
  static constexpr bool kReads = false;
  std::string& text;
  bool csv = false;
  std::string* header = nullptr;  // of the first line of CSV

  template <class T, class... Domain>
  void operator()(const char* key, const T& value, const Domain&... domain) {
    if (header != nullptr) *header += fmt::format(",{}", key);
    text += csv ? "," : fmt::format(", \"{}\": ", key);
    if constexpr (std::is_same_v<T, double>) {
      if (!std::isfinite(value) || ((domain.null_is == value) || ...)) {
        text += csv ? "" : "null";
        return;
      }
    }
    if constexpr (std::is_same_v<T, bool>) {
      text += csv ? (value ? "1" : "0") : (value ? "true" : "false");
    } else {
      fmt::format_to(std::back_inserter(text), "{}", value);
    }
  }
};

void write_point(PointLine& line, const Tuning& tuning, const TuneSettings& settings,
                 const TunedPoint& p) {
  fmt::format_to(std::back_inserter(line.text), "{}", p.index);
  point_parameters(line, tuning.grid.mechanism(p.index));
  point_results(line, p.point, tuning, settings);
  comparisons(line, p);
  line("pareto", p.pareto);
  line("refined", p.refined);
}

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

void read_grid(const io::JsonValue& report, TuningGrid& grid) {
  const io::JsonValue name = report.at("mechanism").at("name");
  grid.ptr = test_noise_of(name);
  if (grid.ptr == TestNoise::sparse) name.fail("a mechanism that can be tuned");
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

// Which epsilon is looked for, and what the best point is.
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

void write_shard(FieldWriter& report, const Tuning& tuning, const Shard& shard) {
  report.object("shard", [&](FieldWriter& a) {
    shard_fields(a, shard, kMaxShards);
    a("first_point", tuning.first);
    a("last_point", tuning.last);
  });
  report("complete", tuning.complete);
  report("points_evaluated", tuning.evaluated);
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

void point_of_grid(FieldWriter& a, const Tuning& tuning, const TuneSettings& settings,
                   std::size_t position) {
  const TunedPoint& p = tuning.points[position];
  point_parameters(a, tuning.grid.mechanism(p.index));
  point_results(a, p.point, tuning, settings);
  comparisons(a, p);
  a("index", p.index);
  if (p.release_computed) a("released", p.released);
}

void write_best(FieldWriter& a, const Tuning& tuning, const TuneContext& context) {
  if (tuning.continuum) {
    point_parameters(a, tuning.continuum->aggregator);
    point_results(a, tuning.continuum->point, tuning, context.settings);
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
    a("limit", name(miss.limit));
    a.object("point", [&](FieldWriter& p) { point_of_grid(p, tuning, settings, miss.position); });
  }
}

std::string sha256_of(const io::JsonValue& inputs, const char* role) {
  const auto file = inputs.find(role);
  return file ? file->at("sha256").text() : std::string();
}

// Where a point was refined, what it was before.
template <class Archive>
void grid_point(Archive& a, Described<Archive, TunedPoint>& p) {
  a("grid_epsilon", p.grid_epsilon, Real{.least = p.point.epsilon, .null_is = kInfinity});
  a("grid_order", p.grid_order, Real{.least = 1.0, .null_is = 0.0});
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

// Appends the points as elements of a JSON array, a line each.
void append_points(const Tuning& tuning, const TuneSettings& settings, std::string& text) {
  PointLine line{text};
  for (const TunedPoint& p : tuning.points) {
    text += &p == tuning.points.data() ? "\n    {\"index\": " : ",\n    {\"index\": ";
    write_point(line, tuning, settings, p);
    if (p.refined && tuning.grid.has_selection()) grid_point(line, p);
    if (p.release_computed) {
      FieldWriter released;
      if (p.released) fields(released, *p.released);
      text += fmt::format(", \"released\": {}", released.place().line());
    }
    text += '}';
  }
  if (!tuning.points.empty()) text += "\n  ";
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

std::string tune_report_json(const Tuning& tuning, const TuneContext& context) {
  const TuneSettings& settings = context.settings;
  FieldWriter report = begin_report("tune", context.report);
  report.object("mechanism", [&](FieldWriter& a) {
    a("name", tuning.grid.mechanism(0).name());
    neighbour_fields(a, tuning.grid.neighbours);
  });
  report("teachers", tuning.teachers);
  report("classes", tuning.classes);
  report("queries", tuning.queries);
  goal_fields(report, settings);
  const bool has_selection = tuning.grid.has_selection();
  report.object("grid", [&](FieldWriter& a) { grid_fields(a, tuning.grid, has_selection); });
  report("grid_accuracy", has_selection ? kGridAccuracy : 0.0);
  write_shard(report, tuning, settings.shard);
  report("points_listed", tuning.points.size());
  if (settings.release) {
    report("ranked_by", tuning.ranked_by_release ? "mean_published" : "epsilon");
    report("releases_computed",
           std::count_if(tuning.points.begin(), tuning.points.end(),
                         [](const TunedPoint& p) { return p.release_computed; }));
  }
  report.object("best", [&](FieldWriter& best) {
    if (tuning.has_best()) write_best(best, tuning, context);
  });
  if (context.solved) {
    report.object("solved", [&](FieldWriter& a) {
      a("parameter", name(context.solved->parameter));
      a("value", context.solved->value);
    });
  }
  if (context.declared) {
    report.object("declared", [&](FieldWriter& a) {
      const DeclaredOutcome& outcome = *context.declared;
      a("epsilon", outcome.goal.budget.epsilon);
      a("delta", outcome.goal.budget.delta);
      a.optional("certificate", outcome.certificate);
      a("least_pass_probability", outcome.goal.least_pass);
      a("pass_probability", outcome.pass_probability);
      a("tested", outcome.tested);
      if (!context.rehearsal_command.empty()) a("command", context.rehearsal_command);
    });
  }
  if (settings.search) {
    report.object("searched", [&](FieldWriter& a) {
      const auto range = [&](const char* parameter, const std::vector<double>& values) {
        a(parameter, std::vector{values.front(), values.back()});
      };
      range("sigma2", tuning.grid.noise);
      range("sigma1", tuning.grid.sigma1);
      range("threshold", tuning.grid.threshold);
      a("finer_grids", tuning.searched.grids);
      a("points", tuning.evaluated + tuning.searched.points);
    });
  }
  if (settings.continuum || settings.search) {
    report.object("best_on_grid", [&](FieldWriter& best) {
      if (tuning.choice.best) point_of_grid(best, tuning, settings, *tuning.choice.best);
    });
  }
  write_misses(report, tuning, settings);
  report("guarantee",
         no_guarantee("parameters that were chosen by looking at these votes depend on them, which "
                      "no epsilon here allows for."));
  report("notices", context.notices);
  std::string text = report.place().text();
  text.erase(text.rfind('\n'));
  text += ",\n  \"points\": [";
  append_points(tuning, settings, text);
  text += "]\n}\n";
  return sealed(std::move(text));
}

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
  require(saved.student_sha256 == now.student_sha256, "another --student");
  require(saved.labels_sha256 == now.labels_sha256, "other --labels");
  require(saved.labels_rows == now.labels_rows, "another --labels-rows");
  const TuningGrid& x = saved.tuning.grid;
  const TuningGrid& y = now.tuning.grid;
  require(x.noise == y.noise && x.sigma1 == y.sigma1 && x.threshold == y.threshold &&
              x.laplace == y.laplace && x.one_noise == y.one_noise &&
              x.interactive == y.interactive && x.ptr == y.ptr,
          "another grid");
  require(x.neighbours == y.neighbours, "other --neighbours, or another --teachers-per-person");
  require(saved.tuning.first == now.tuning.first && saved.tuning.last == now.tuning.last,
          "another --shard");
  require(a.delta == b.delta, "another --delta");
  require(a.cost.bound == b.cost.bound && a.cost.reading == b.cost.reading &&
              a.conversion == b.conversion && a.orders == b.orders,
          "another --bound, --reading, --conversion or --orders");
  require(saved.settings.grid.max_answers == now.settings.grid.max_answers,
          "another --max-answers");
}

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
                      "no epsilon here allows for."));
  report("notices", context.notices);
  return report.text();
}

std::string tune_points_csv(const Tuning& tuning, const TuneContext& context) {
  std::string header = "index";
  std::string text;
  for (const TunedPoint& p : tuning.points) {
    PointLine line{text, true, text.empty() ? &header : nullptr};
    write_point(line, tuning, context.settings, p);
    if (context.settings.release) {
      text += p.released ? fmt::format(",{},{},{},{},{}", p.released->mean, p.released->sd,
                                       p.released->order, p.released->beta, p.released->noise)
                         : ",,,,,";
    }
    text += '\n';
  }
  if (tuning.points.empty()) header += ",epsilon_data_independent,epsilon_published,pareto,refined";
  if (context.settings.release) {
    header += context.settings.method == ReleaseMethod::curve
                  ? ",mean_published,sd_published,release_order,beta,s"
                  : ",mean_published,noise_sd,release_order,beta,sigma_ss";
  }
  return header + '\n' + text;
}

}  // namespace pate::reports
