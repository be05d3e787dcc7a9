#include "pate/io/tune_report_reader.hpp"

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "pate/error.hpp"

namespace pate {

namespace {

using Json = nlohmann::json;

double number_or(const Json& value, double none) {
  return value.is_null() ? none : value.get<double>();
}

std::optional<double> optional_number(const Json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

TunedPoint read_point(const Json& json, bool has_selection) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  TunedPoint p;
  p.index = json.at("index").get<std::size_t>();
  p.point.epsilon = number_or(json.at("epsilon"), kInfinity);
  p.point.order = number_or(json.at("order"), 0.0);
  p.point.answered = json.at("answered").get<double>();
  p.point.right = json.contains("correct") ? json.at("correct").get<double>() : 0.0;
  p.refined = json.at("refined").get<bool>();
  p.grid_epsilon = p.point.epsilon;
  p.grid_order = p.point.order;
  if (p.refined && has_selection) {
    p.grid_epsilon = number_or(json.at("grid_epsilon"), kInfinity);
    p.grid_order = number_or(json.at("grid_order"), 0.0);
  }
  return p;
}

TuningGrid read_grid(const Json& json, const std::string& mechanism) {
  TuningGrid grid;
  grid.laplace = mechanism == "lnmax";
  grid.interactive = mechanism == "interactive";
  grid.noise = json.at(grid.laplace ? "laplace_scale" : "sigma2").get<std::vector<double>>();
  if (json.contains("threshold")) {
    grid.sigma1 = json.at("sigma1").get<std::vector<double>>();
    grid.threshold = json.at("threshold").get<std::vector<double>>();
  }
  return grid;
}

SavedTuning read_report(const Json& json) {
  SavedTuning saved;
  if (json.at("schema").get<std::string>() != "pate/tune/v1") {
    throw std::runtime_error("its schema is " + json.at("schema").get<std::string>());
  }
  Tuning& tuning = saved.tuning;
  TuneSettings& settings = saved.settings;
  tuning.grid = read_grid(json.at("grid"), json.at("mechanism").at("name").get<std::string>());
  tuning.teachers = json.at("teachers").get<std::int64_t>();
  tuning.classes = json.at("classes").get<std::int64_t>();
  tuning.queries = json.at("queries").get<std::int64_t>();
  tuning.first = json.at("shard").at("first_point").get<std::size_t>();
  tuning.last = json.at("shard").at("last_point").get<std::size_t>();
  tuning.evaluated = json.at("points_evaluated").get<std::size_t>();
  tuning.complete = json.at("complete").get<bool>();
  settings.shard = {json.at("shard").at("index").get<std::int64_t>(),
                    json.at("shard").at("of").get<std::int64_t>()};

  EpsilonKind& kind = settings.grid.kind;
  kind.delta = json.at("delta").get<double>();
  kind.cost.bound = json.at("bound") == "published" ? Bound::published : Bound::tradeoff;
  kind.cost.reading = json.at("reading") == "expected" ? Reading::expected : Reading::joint;
  kind.conversion = json.at("conversion") == "classic" ? Conversion::classic : Conversion::improved;
  const Json& orders = json.at("settings").at("orders");
  if (!orders.is_null()) kind.orders = orders.get<std::vector<double>>();

  const Json& limits = json.at("limits");
  settings.grid.max_answers = optional_number(limits.at("max_answers"));
  settings.goal.max_epsilon = optional_number(limits.at("max_epsilon"));
  settings.goal.min_answered = optional_number(limits.at("min_answered"));
  const auto objective = json.at("objective").get<std::string>();
  settings.goal.objective = objective == "answered"  ? Objective::answered
                            : objective == "correct" ? Objective::correct
                                                     : Objective::epsilon;

  const Json& inputs = json.at("inputs");
  saved.votes_digest = inputs.at("votes").at("votes_digest").get<std::string>();
  if (inputs.contains("student")) saved.student_sha256 = inputs.at("student").at("sha256");
  if (inputs.contains("labels")) saved.labels_sha256 = inputs.at("labels").at("sha256");
  const Json& best = json.at("best");
  if (best.is_object() && best.contains("command")) saved.best_command = best.at("command");
  settings.release = json.contains("ranked_by");
  saved.continuum = json.contains("best_on_grid");
  const Json& top = json.at("settings").at("top");
  if (!top.is_null()) settings.top = top.get<std::size_t>();
  tuning.has_labels = !saved.labels_sha256.empty();
  for (const Json& point : json.at("points")) {
    TunedPoint p = read_point(point, tuning.grid.has_selection());
    p.point.queries =
        point.contains("queries") ? point.at("queries").get<std::int64_t>() : tuning.queries;
    if (p.index < tuning.first || p.index >= tuning.last ||
        (!tuning.points.empty() && p.index <= tuning.points.back().index)) {
      throw std::runtime_error(fmt::format("point {} is out of place", p.index));
    }
    tuning.points.push_back(p);
  }
  return saved;
}

}  // namespace

SavedTuning read_tune_report(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw input_error(fmt::format("{}: cannot be opened", path));
  try {
    return read_report(Json::parse(stream));
  } catch (const std::exception& error) {
    throw input_error(fmt::format("{}: expected a report of pate tune; {}", path, error.what()));
  }
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
