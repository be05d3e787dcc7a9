#include "cli/commands/tuning_shards.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "pate/base/error.hpp"
#include "pate/reports/saved_tuning.hpp"

namespace pate::cli {

void check_one_tuning(const std::vector<TuningShard>& shards) {
  const TuningShard& first = shards.front();
  for (const TuningShard& shard : shards) {
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
    const auto refuse = [&](bool found, const char* why) {
      if (found) throw input_error(fmt::format("{}: {}", shard.path(), why));
    };
    refuse(!shard.saved.tuning.complete,
           "complete: expected a finished shard, found one that was interrupted; go on from it by "
           "--resume");
    refuse(b.release,
           "settings.release: expected shards without the ranking by the released epsilon, which "
           "is for the front of the whole grid");
    refuse(shard.saved.continuum,
           "settings.refine: expected shards without the search on the continuum, which is for the "
           "best point of the whole grid");
  }
  const std::int64_t of = first.saved.settings.shard.of;
  for (std::int64_t wanted = 1; wanted <= of || wanted <= std::ssize(shards); ++wanted) {
    if (wanted <= std::ssize(shards)) {
      const TuningShard& shard = shards[static_cast<std::size_t>(wanted - 1)];
      const std::int64_t found = shard.saved.settings.shard.index;
      if (found == wanted) continue;
      if (found < wanted) {
        throw input_error(
            fmt::format("{}: shard.index: shard {} is there twice", shard.path(), found));
      }
    }
    throw input_error(
        fmt::format("shard {} of {} is missing: expected the reports of all shards", wanted, of));
  }
}

std::string best_command(const std::vector<TuningShard>& shards, const Tuning& tuning) {
  if (!tuning.choice.best) return {};
  const std::size_t index = tuning.points[*tuning.choice.best].index;
  for (const TuningShard& shard : shards) {
    if (index >= shard.saved.tuning.first && index < shard.saved.tuning.last) {
      return shard.saved.best_command;
    }
  }
  return {};
}

}  // namespace pate::cli
