#include "pate/reports/tune_report_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/error.hpp"
#include "pate/io/json_document.hpp"
#include "pate/parallel/shard.hpp"
#include "pate/reports/tune_report.hpp"

namespace pate {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostTeachers = std::numeric_limits<std::int32_t>::max();

// A number >= least; `none` where it is null. It must be there.
double number_or(const JsonValue& object, const char* key, double least, double none) {
  const JsonValue value = object.at(key);
  return value.is_null() ? none : value.number(least);
}

std::optional<double> optional_number(const JsonValue& value) {
  if (value.is_null()) return std::nullopt;
  return value.number();
}

std::size_t read_size(const JsonValue& value, std::size_t most) {
  return static_cast<std::size_t>(value.integer(0, static_cast<std::int64_t>(most)));
}

// One of some values, each of which has the name that `name_of` gives it.
template <class Value, std::size_t kSize, class Name>
Value read_named(const JsonValue& json, const std::array<Value, kSize>& values, Name name_of) {
  const std::string text = json.text();
  std::string names;
  for (const Value value : values) {
    if (name_of(value) == text) return value;
    names += fmt::format("{}{}", names.empty() ? "" : " or ", name_of(value));
  }
  json.fail(names);
}

TuningGrid read_grid(const JsonValue& report) {
  const JsonValue name = report.at("mechanism").at("name");
  const std::string mechanism = name.text();
  const bool selection = mechanism == "confident" || mechanism == "interactive";
  if (!selection && mechanism != "gnmax" && mechanism != "lnmax") {
    name.fail("lnmax, gnmax, confident or interactive");
  }
  const JsonValue json = report.at("grid");
  TuningGrid grid;
  grid.laplace = mechanism == "lnmax";
  grid.interactive = mechanism == "interactive";
  grid.noise = json.at(grid.laplace ? "laplace_scale" : "sigma2").numbers(0.0, kLargest);
  if (selection) {
    grid.sigma1 = json.at("sigma1").numbers(0.0, kLargest);
    const JsonValue threshold = json.at("threshold");
    grid.threshold = threshold.numbers(-kLargest, kLargest);
    if (grid.threshold.empty()) threshold.fail("at least one threshold");
  }
  try {
    validate(grid);
  } catch (const parameter_error& error) {
    json.fail(fmt::format("a grid that can be tuned ({})", error.what()));
  }
  return grid;
}

// Which points the report is of, and how many of them it has.
void read_shard(const JsonValue& report, SavedTuning& saved) {
  Tuning& tuning = saved.tuning;
  const JsonValue json = report.at("shard");
  saved.settings.shard.of = json.at("of").integer(1, kMostShards);
  saved.settings.shard.index = json.at("index").integer(1, saved.settings.shard.of);
  std::tie(tuning.first, tuning.last) = points_of_shard(tuning.grid, saved.settings.shard);
  const auto require = [&](const char* field, std::size_t expected) {
    const JsonValue value = json.at(field);
    if (read_size(value, kMost) == expected) return;
    value.fail(fmt::format("{}, shard {} of {} of {} points", expected, saved.settings.shard.index,
                           saved.settings.shard.of, tuning.grid.size()));
  };
  require("first_point", tuning.first);
  require("last_point", tuning.last);
  const JsonValue evaluated = report.at("points_evaluated");
  const JsonValue complete = report.at("complete");
  tuning.evaluated = read_size(evaluated, tuning.last - tuning.first);
  tuning.complete = complete.boolean();
  if (tuning.complete && tuning.evaluated != tuning.last - tuning.first) {
    evaluated.fail(fmt::format("{}, because it is complete", tuning.last - tuning.first));
  }
}

EpsilonKind read_kind(const JsonValue& report) {
  EpsilonKind kind;
  const JsonValue delta = report.at("delta");
  kind.delta = delta.number();
  if (!(kind.delta > 0.0 && kind.delta < 1.0)) delta.fail("a number > 0 and < 1");
  const auto name_of = [](auto value) { return name(value); };
  kind.cost.bound =
      read_named(report.at("bound"), std::array{Bound::tradeoff, Bound::published}, name_of);
  kind.cost.reading =
      read_named(report.at("reading"), std::array{Reading::joint, Reading::expected}, name_of);
  kind.conversion = read_named(report.at("conversion"),
                               std::array{Conversion::improved, Conversion::classic}, name_of);
  const JsonValue orders = report.at("settings").at("orders");
  if (!orders.is_null()) kind.orders = orders.numbers(1.0, kLargest);
  return kind;
}

void read_goal(const JsonValue& report, TuneSettings& settings) {
  const JsonValue limits = report.at("limits");
  settings.grid.max_answers = optional_number(limits.at("max_answers"));
  settings.goal.max_epsilon = optional_number(limits.at("max_epsilon"));
  settings.goal.min_answered = optional_number(limits.at("min_answered"));
  settings.goal.objective =
      read_named(report.at("objective"),
                 std::array{Objective::answered, Objective::correct, Objective::epsilon},
                 [](Objective objective) { return name(objective); });
}

TunedPoint read_point(const JsonValue& json, const Tuning& tuning, bool has_queries) {
  TunedPoint p;
  const JsonValue index = json.at("index");
  p.index = read_size(index, kMost);
  const std::size_t least = tuning.points.empty() ? tuning.first : tuning.points.back().index + 1;
  if (p.index < least || p.index >= tuning.last) {
    index.fail(least < tuning.last
                   ? fmt::format("a point of the shard behind the one before, {} to {}", least,
                                 tuning.last - 1)
                   : "no more points: the shard has ended");
  }
  p.point.epsilon = number_or(json, "epsilon", 0.0, kInfinity);
  p.point.order = number_or(json, "order", 1.0, 0.0);
  p.point.answered = json.at("answered").number(0.0);
  p.point.right = tuning.has_labels ? json.at("correct").number(0.0) : 0.0;
  p.point.queries = has_queries ? json.at("queries").integer(0, tuning.queries) : tuning.queries;
  p.refined = json.at("refined").boolean();
  p.grid_epsilon = p.point.epsilon;
  p.grid_order = p.point.order;
  if (p.refined && tuning.grid.has_selection()) {
    p.grid_epsilon = number_or(json, "grid_epsilon", p.point.epsilon, kInfinity);
    p.grid_order = number_or(json, "grid_order", 1.0, 0.0);
  }
  return p;
}

std::string sha256_of(const JsonValue& inputs, const char* role) {
  const auto file = inputs.find(role);
  return file ? file->at("sha256").text() : std::string();
}

}  // namespace

SavedTuning read_tune_report(const std::string& path) {
  const JsonValue report = JsonValue::read_file(path);
  const JsonValue schema = report.at("schema");
  if (schema.text() != "pate/tune/v1") schema.fail("pate/tune/v1, a report of pate tune");
  SavedTuning saved;
  Tuning& tuning = saved.tuning;
  TuneSettings& settings = saved.settings;
  tuning.grid = read_grid(report);
  tuning.teachers = report.at("teachers").integer(0, kMostTeachers);
  tuning.classes = report.at("classes").integer(1, kMostTeachers);
  tuning.queries = report.at("queries").integer(0, kMost);
  read_shard(report, saved);
  settings.grid.kind = read_kind(report);
  read_goal(report, settings);

  const JsonValue inputs = report.at("inputs");
  saved.votes_digest = inputs.at("votes").at("votes_digest").text();
  saved.student_sha256 = sha256_of(inputs, "student");
  saved.labels_sha256 = sha256_of(inputs, "labels");
  tuning.has_labels = !saved.labels_sha256.empty();
  if (const auto best = report.find("best")) {
    if (const auto command = best->find("command")) saved.best_command = command->text();
  }
  settings.release = report.find("ranked_by").has_value();
  saved.continuum = report.has("best_on_grid");
  const JsonValue top = report.at("settings").at("top");
  if (!top.is_null()) settings.top = read_size(top, kMost);

  const bool has_queries = settings.grid.max_answers.has_value();
  const JsonValue points = report.at("points");
  for (const JsonValue& point : points.elements()) {
    tuning.points.push_back(read_point(point, tuning, has_queries));
  }
  if (tuning.points.size() > tuning.evaluated) {
    points.fail(fmt::format("at most the {} points that were evaluated", tuning.evaluated));
  }
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

}  // namespace pate
