#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pate/accounting/account.hpp"
#include "pate/accounting/partials.hpp"
#include "pate/base/json.hpp"
#include "pate/reports/report_context.hpp"

namespace pate::reports {

/// The report of a shard of `pate analyze`, as far as the report of the whole run needs it.
struct ShardReport {
  ReportPart part;          ///< how the composed report names it
  ReportContext context{};  ///< settings without the shard
  CostedMechanism aggregator{};
  AccountSettings settings{};
  Partials partials{};
  std::vector<Notice> notices{};
  /// What the shards of one run must agree in: the field, and its value as messages show it.
  std::vector<std::pair<std::string, std::string>> identity{};
};

/// Reads it. Throws `input_error` naming the file and the field for anything that is not as
/// `pate analyze --shard` writes it.
[[nodiscard]] ShardReport read_shard(const io::JsonValue& report);

/// Throws `input_error`, naming the file and the field, unless the reports are all shards of one
/// run, each there once: same version, settings, inputs (by their digests, wherever they lay),
/// mechanism, teachers, classes and queries.
void check_one_run(std::span<const ShardReport> shards);

}  // namespace pate::reports
