#include "cli/commands/tune_notices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>

#include "cli/exit_status.hpp"
#include "cli/streams.hpp"

namespace pate::cli {

std::vector<Notice> tune_notices(const Tuning& tuning, const TuneSettings& settings) {
  std::vector<Notice> result{
      {"parameters_from_votes",
       "choosing parameters by looking at private votes is itself data-dependent, and no epsilon "
       "here covers it: tune on public or held-out votes, or account for the choice"}};
  const auto add = [&](const char* code, std::string message) {
    result.push_back({code, std::move(message)});
  };
  add("private_numbers",
      "every epsilon here depends on the votes: it is for the owner of the data and must not be "
      "published as it is");
  if (tuning.grid.has_selection()) {
    add("grid_upper_bounds",
        fmt::format("the epsilon of points that are not refined is an upper bound, at most {:g} % "
                    "above that of pate analyze",
                    100.0 * kGridAccuracy));
    if (settings.grid.kind.cost.reading == Reading::expected) {
      add("expectation",
          "these costs are expectations over the selection noise, not guarantees for a run");
    }
  }
  if (settings.grid.kind.cost.bound == Bound::published) {
    add("forward_only",
        "the published bounds cover one of the two directions that (epsilon, delta) speaks of");
  }
  if (tuning.ranked_by_release) {
    add("release_parameters_from_votes",
        "order, beta and sigma-ss of a release were found on these votes: do not give them as "
        "fixed "
        "when you release from these votes, let pate release choose them, and it says that they "
        "were chosen from the votes; fixed they are for other votes, if these are public, "
        "simulated "
        "or of an earlier run");
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

int report_tune_misses(const Tuning& tuning, const Streams& streams) {
  if (tuning.choice.best) return kDone;
  for (const NearestMiss& miss : tuning.choice.nearest_misses) {
    const TunedPoint& p = tuning.points[miss.position];
    streams.err << alarming("pate: limit missed:", streams.err_colour())
                << fmt::format(" no point keeps the limits; nearest to --{}: {} {}, {} answers\n",
                               miss.of_max_epsilon ? "max-epsilon" : "min-answered",
                               tuning.ranked_by_release ? "mean published epsilon" : "epsilon",
                               tuning.ranked_by_release ? p.released->mean : p.point.epsilon,
                               p.point.answered);
  }
  if (tuning.ranked_by_release && tuning.choice.nearest_misses.empty()) {
    streams.err << alarming("pate: limit missed:", streams.err_colour())
                << " no point of the Pareto front has a finite epsilon to release\n";
  }
  return kLimitMissed;
}

}  // namespace pate::cli
