#pragma once

#include <optional>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/accounting/report.hpp"
#include "pate/accounting/run.hpp"
#include "pate/accounting/tally.hpp"
#include "pate/parallel/progress.hpp"

namespace pate {

/// What to compute and how.
struct AccountSettings {
  double delta = 0.0;
  bool published = true;
  bool tradeoff = true;
  bool exact = false;  ///< the exact costs as well; they need the votes, and are no headline
  /// Restricts the headline; unset picks by the default order (tradeoff before published before
  /// data-independent; joint, expected, worst_case; improved).
  std::optional<Reading> reading;
  std::optional<ReportedConversion> conversion;
  /// Restricts orders to these; unset is the default grid and the continuum.
  std::optional<std::vector<double>> orders;
  unsigned threads = 0;       ///< 0: all processors; changes no bit of the result
  ProgressCallback progress;  ///< queries that were read
};

/// The privacy cost of a run: every bound, reading and conversion, the RDP curves and the
/// trajectory of the headline. Every epsilon is an upper bound, rounded outwards by less than 1e-9
/// relative.
///
/// Throws `parameter_error` for settings out of range and where no cost fits `reading` and
/// `conversion`, and whatever reading the votes throws. `utility` is left empty (see utility.hpp).
[[nodiscard]] Account account(const Run& run, const AccountSettings& settings);

/// The same from a tally that was made before; `settings.exact` has no effect.
[[nodiscard]] Account account(const Tally& tally, const Aggregator& aggregator, bool has_decisions,
                              const AccountSettings& settings);

}  // namespace pate
