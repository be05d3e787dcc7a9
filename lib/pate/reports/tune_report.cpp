#include "pate/reports/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "pate/reports/report_fields.hpp"
#include "pate/reports/report_text.hpp"
#include "pate/reports/seal.hpp"
#include "pate/reports/tune_fields.hpp"

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

// What a group pays, and may pay.
static void fields(FieldWriter& a, const GroupBudget& group) {
  a("name", group.cost.name);
  a("teachers", group.cost.teachers);
  a("epsilon", group.cost.epsilon);
  a("budget", group.budget);
  a("margin", group.margin());
}

namespace {

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

void write_shard(FieldWriter& report, const Tuning& tuning, const Shard& shard) {
  report.object("shard", [&](FieldWriter& a) {
    shard_fields(a, shard, kMaxShards);
    a("first_point", tuning.first);
    a("last_point", tuning.last);
  });
  report("complete", tuning.complete);
  report("points_evaluated", tuning.evaluated);
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
  if (context.groups) {
    report.object("groups", [&](FieldWriter& a) {
      a("kept", context.groups->found);
      a("tested", context.groups->tested);
      a.object("point", [&](FieldWriter& p) {
        if (!context.groups->groups.empty()) {
          point_of_grid(p, tuning, settings, context.groups->point);
        }
      });
      a("budgets", context.groups->groups);
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
                      "no epsilon here allows for.",
                      tuning.grid.neighbours));
  report("notices", context.notices);
  std::string text = report.place().text();
  text.erase(text.rfind('\n'));
  text += ",\n  \"points\": [";
  append_points(tuning, settings, text);
  text += "]\n}\n";
  return sealed(std::move(text));
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
