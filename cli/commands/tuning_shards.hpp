#pragma once

#include <string>
#include <vector>

#include "pate/base/json.hpp"
#include "pate/reports/saved_tuning.hpp"

namespace pate::cli {

/// A report of a shard of a tuning.
struct TuningShard {
  io::JsonValue report;
  reports::SavedTuning saved;

  [[nodiscard]] const std::string& path() const { return report.file(); }
};

/// Throws `input_error` unless the reports, in order of their shards, are all shards of one tuning,
/// each there once.
void check_one_tuning(const std::vector<TuningShard>& shards);

/// The command line of the best point, which is also the best of its shard.
[[nodiscard]] std::string best_command(const std::vector<TuningShard>& shards,
                                       const Tuning& tuning);

}  // namespace pate::cli
