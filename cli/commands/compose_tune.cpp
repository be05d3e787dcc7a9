#include "cli/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cli/commands/summaries.hpp"
#include "pate/error.hpp"
#include "pate/reports/tune_report.hpp"

namespace pate::cli {

namespace {

struct Shard {
  io::JsonValue report;
  reports::SavedTuning saved;

  [[nodiscard]] const std::string& path() const { return report.file(); }
};

// The reports are all shards of one tuning, each there once.
void check_shards(const std::vector<Shard>& shards) {
  const Shard& first = shards.front();
  for (const Shard& shard : shards) {
    reports::SavedTuning expected = first.saved;
    expected.tuning.first = shard.saved.tuning.first;
    expected.tuning.last = shard.saved.tuning.last;
    reports::check_same_tuning(shard.path(), shard.saved, expected);
    const TuneSettings& a = first.saved.settings;
    const TuneSettings& b = shard.saved.settings;
    const auto require = [&](bool same, const char* field) {
      if (same) return;
      throw input_error(
          fmt::format("{}: {}: expected the same as in {}", shard.path(), field, first.path()));
    };
    require(a.goal.objective == b.goal.objective, "objective");
    require(a.goal.max_epsilon == b.goal.max_epsilon, "limits.max_epsilon");
    require(a.goal.min_answered == b.goal.min_answered, "limits.min_answered");
    require(a.top == b.top, "settings.top");
    require(a.shard.of == b.shard.of, "shard.of");
    if (!shard.saved.tuning.complete) {
      throw input_error(fmt::format(
          "{}: complete: expected a finished shard, found one that was interrupted; go on from it "
          "by --resume",
          shard.path()));
    }
    if (shard.saved.settings.release) {
      throw input_error(fmt::format(
          "{}: settings.release: expected shards without the ranking by the published epsilon, "
          "which is for the front of the whole grid",
          shard.path()));
    }
    if (shard.saved.continuum) {
      throw input_error(fmt::format(
          "{}: settings.refine: expected shards without the search on the continuum, which is for "
          "the best point of the whole grid",
          shard.path()));
    }
  }
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const auto wanted = static_cast<std::int64_t>(i) + 1;
    const std::int64_t found = shards[i].saved.settings.shard.index;
    if (found == wanted) continue;
    throw input_error(
        found < wanted
            ? fmt::format("{}: shard.index: shard {} is there twice", shards[i].path(), found)
            : fmt::format("shard {} of {} is missing: expected the reports of all "
                          "shards",
                          wanted, first.saved.settings.shard.of));
  }
  const std::int64_t of = first.saved.settings.shard.of;
  if (static_cast<std::int64_t>(shards.size()) != of) {
    throw input_error(fmt::format("shard {} of {} is missing: expected the reports of all shards",
                                  shards.size() + 1, of));
  }
}

// The command line of the best point, which is also the best of its shard.
std::string best_command(const std::vector<Shard>& shards, const Tuning& tuning) {
  if (!tuning.choice.best) return {};
  const std::size_t index = tuning.points[*tuning.choice.best].index;
  for (const Shard& shard : shards) {
    if (index >= shard.saved.tuning.first && index < shard.saved.tuning.last) {
      return shard.saved.best_command;
    }
  }
  return {};
}

}  // namespace

int compose_tunings(const std::vector<io::JsonValue>& reports, const OutputOptions& output,
                    const Streams& streams) {
  std::vector<Shard> shards;
  std::vector<std::string> paths;
  for (const io::JsonValue& report : reports) {
    shards.push_back({report, reports::read_tune_report(report)});
    paths.push_back(report.file());
  }
  std::sort(shards.begin(), shards.end(), [](const Shard& a, const Shard& b) {
    return a.saved.settings.shard.index < b.saved.settings.shard.index;
  });
  check_shards(shards);
  reports::TuneContext context;
  context.settings = shards.front().saved.settings;
  context.settings.shard = {};
  context.report = reports::read_context(shards.front().report);
  context.report.settings.front() = {"command", std::string("compose")};
  context.report.settings.emplace_back("reports", paths);
  std::vector<Tuning> tunings;
  for (const Shard& shard : shards) tunings.push_back(shard.saved.tuning);
  const Tuning tuning = [&] {
    try {
      return join_shards(tunings, context.settings);
    } catch (const parameter_error& error) {
      throw input_error(fmt::format("the reports do not make one tuning: {}", error.what()));
    }
  }();
  context.best_command = best_command(shards, tuning);
  context.notices = tune_notices(tuning, context.settings);
  deliver_report(output, reports::tune_report_json(tuning, context),
                 tune_summary(tuning, context, fmt::format("{} shards", shards.size())),
                 context.notices, streams);
  return report_tune_misses(tuning, streams);
}

}  // namespace pate::cli
