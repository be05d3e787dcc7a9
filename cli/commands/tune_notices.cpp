#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/summaries.hpp"
#include "pate/tuning/tune.hpp"

namespace pate::cli {

namespace {

// A wider range on the side of an axis where the best value is its last; none below `least`.
std::string wider(const std::vector<double>& values, bool up, std::optional<double> least) {
  const double first = values.front();
  const double last = values.back();
  const double step = values[1] - first;
  const bool even = std::adjacent_find(values.begin(), values.end(), [&](double a, double b) {
                      return std::abs(b - a - step) > 1e-6 * std::abs(step);
                    }) == values.end();
  const double reach = last - first;
  if (!up && least && !(first > *least)) return {};
  if (even && (up || first - reach > least.value_or(0.0))) {
    return up ? fmt::format("{}:{}:{}", last, last + reach, step)
              : fmt::format("{}:{}:{}", first - reach, first, step);
  }
  if (!(first > 0.0)) return fmt::format("{}:{}:{}", first - reach, first, step);
  return up ? fmt::format("log:{}:{}:{}", last, to_digits(last * last / first, 3), values.size())
            : fmt::format("log:{}:{}:{}",
                          std::max(to_digits(first * first / last, 3), least.value_or(0.0)), first,
                          values.size());
}

// The axes at whose ends the best point of the grid lies, with what to try.
std::string edges(const Tuning& tuning) {
  const TuningGrid& grid = tuning.grid;
  const std::size_t best = tuning.points[*tuning.choice.best].index;
  std::string text;
  const auto look = [&](const std::vector<double>& values, std::size_t i, const char* option,
                        std::optional<double> least = {}) {
    if (values.size() < 2 || (i > 0 && i + 1 < values.size())) return;
    const std::string more = wider(values, i > 0, least);
    if (more.empty()) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : " and ", option, more);
  };
  if (grid.has_selection()) {
    look(grid.threshold, grid.threshold_of(best), "--threshold");
    look(grid.sigma1, grid.sigma1_of(best), "--sigma1", kLeastNoise);
  }
  if (!grid.ptr) {
    look(grid.noise, grid.noise_of(best), grid.laplace ? "--laplace-scale" : "--sigma2",
         kLeastNoise);
  }
  return text;
}

// What the best point says about what was asked.
void advice(const Tuning& tuning, const TuneSettings& settings,
            const std::function<void(const char*, std::string)>& add) {
  // Of labels of which more are wrong people must know.
  constexpr double kFewAgree = 0.9;
  const TuningGoal& goal = settings.goal;
  if (settings.search) {
    const TuningGrid& grid = tuning.grid;
    add("searched",
        fmt::format(
            "looked at sigma2 from {} to {}, sigma1 from {} to {} and thresholds from {} to "
            "{}, {} points, then at {} finer grids around the best",
            grid.noise.front(), grid.noise.back(), grid.sigma1.front(), grid.sigma1.back(),
            grid.threshold.front(), grid.threshold.back(), tuning.evaluated,
            tuning.searched.grids));
    if (tuning.continuum && tuning.continuum->aggregator.selection &&
        tuning.continuum->aggregator.selection->sigma1 > 0.9 * grid.sigma1.back()) {
      add("check_at_random",
          "the best check has the largest noise that was looked at: it answers almost at random, "
          "which is to ask fewer queries; ask fewer, and tune on them");
    }
  } else if (tuning.choice.best && !tuning.continuum && tuning.complete && settings.shard.of == 1) {
    if (const std::string more = edges(tuning); !more.empty()) {
      add("edge_of_grid",
          fmt::format("the best point is at the end of its range: try {} as well", more));
    }
  }
  if (!tuning.has_best()) return;
  const TuningPoint& best =
      tuning.continuum ? tuning.continuum->point : tuning.points[*tuning.choice.best].point;
  if (!(best.answered >= 1.0) && !goal.min_answered) {
    add("few_answers",
        fmt::format("the best point answers {:.2g} of {} queries, less than one as expected: what "
                    "is spent buys no labels; a larger --max-epsilon, or fewer queries, may have "
                    "some, and --min-answered N says whether",
                    best.answered, tuning.queries));
  }
  if (!(best.answered > 0.0) || !(best.agreeing < kFewAgree * best.answered)) return;
  std::string text = fmt::format(
      "of the answers of the best point {:.1f} % are what most teachers "
      "said",
      100.0 * best.agreeing / best.answered);
  if (!goal.asks_for_right_labels()) {
    text += fmt::format(": nothing here asks for right labels, so that the largest noise wins; {}",
                        goal.objective == Objective::answered
                            ? "use --objective agreeing, or add --min-agreement 0.9"
                            : "add --min-right N or --min-agreement 0.9");
  } else if (!goal.min_agreement && !goal.min_accuracy) {
    text += "; --min-agreement 0.9 finds fewer answers that can be relied on";
  }
  add("low_agreement", text);
}

}  // namespace

std::vector<Notice> tune_notices(const Tuning& tuning, const TuneSettings& settings) {
  std::vector<Notice> result{
      {"parameters_from_votes",
       "choosing parameters by looking at private votes is itself data-dependent, and no epsilon "
       "here covers it: tune on public votes, on votes of pate simulate or of teachers that are "
       "held out, which costs nothing; or by --account, which counts what it costs"}};
  const auto add = [&](const char* code, std::string message) {
    result.push_back({code, std::move(message)});
  };
  add("private_numbers",
      "every epsilon here depends on the votes: it is for the owner of the data and must not be "
      "published as it is");
  advice(tuning, settings, add);
  if (tuning.grid.has_selection()) {
    add("grid_upper_bounds",
        fmt::format("the epsilon of points that are not refined is an upper bound, at most {:g} % "
                    "above that of pate analyze",
                    100.0 * kGridAccuracy));
    if (settings.grid.kind.cost.reading == GuaranteeKind::expected) {
      add("expectation",
          "these costs are expectations over the selection noise, not guarantees for a run");
    }
  }
  if (settings.grid.kind.cost.bound == Bound::published) {
    add("forward_only",
        "the published bounds cover one of the two directions that (epsilon, delta) speaks of");
  }
  if (tuning.ranked_by_release) {
    if (settings.method == ReleaseMethod::gnss) {
      add("release_parameters_from_votes",
          "order, beta and sigma-ss of a release were found on these votes: do not give them as "
          "fixed when you release from these votes, let pate release choose them, and it says that "
          "they were chosen from the votes; fixed they are for other votes, if these are public, "
          "simulated or of an earlier run");
    } else if (std::ranges::any_of(
                   tuning.points,
                   [](const TunedPoint& p) { return p.released && p.released->is_estimate; }) ||
               tuning.grid.neighbours.teachers == 1) {
      add("releases_estimated",
          "what a release would publish on average is computed for the best point and estimated "
          "for the others, within some 10 %; the front is that of the trade-off bound");
    }
    const auto computed = std::count_if(tuning.points.begin(), tuning.points.end(),
                                        [](const TunedPoint& p) { return p.release_computed; });
    const auto front = std::count_if(tuning.points.begin(), tuning.points.end(),
                                     [](const TunedPoint& p) { return p.pareto; });
    if (computed < front) {
      add("releases_limited", fmt::format("releases are computed for {} of the {} points of the "
                                          "Pareto front: --top limits them",
                                          computed, front));
    }
  }
  if (tuning.points.size() < tuning.evaluated) {
    add("points_limited", fmt::format("{} of {} points are listed: the Pareto front, the best and "
                                      "those that were refined",
                                      tuning.points.size(), tuning.evaluated));
  }
  if (!tuning.complete && settings.release && tuning.evaluated == tuning.last - tuning.first) {
    add("interrupted",
        "interrupted: the best point is by epsilon, not by what a release would publish; --resume "
        "goes on from this report");
  } else if (!tuning.complete) {
    add("interrupted", fmt::format("interrupted: {} of {} points are evaluated, none is refined; "
                                   "--resume goes on from this report",
                                   tuning.evaluated, tuning.last - tuning.first));
  }
  if (settings.shard.of > 1) {
    add("shard", fmt::format("this is part {} of {} of the grid: best and front are those of the "
                             "part",
                             settings.shard.index, settings.shard.of));
  }
  return result;
}

}  // namespace pate::cli
