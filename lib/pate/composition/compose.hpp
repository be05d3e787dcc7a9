#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pate/accounting/names.hpp"
#include "pate/composition/composition.hpp"

namespace pate {

struct ComposeSettings {
  /// At which the sum is converted; unset: that of the parts, which must agree.
  std::optional<double> delta;
  /// Only these orders, at which every part must know its cost; unset: all the parts share.
  std::optional<std::vector<double>> orders;
  /// Restrict the headline; unset picks by the default order of reports, and the smallest cost
  /// where all hold for every votes.
  std::optional<Reading> reading;
  std::optional<ReportedConversion> conversion;
  /// The parts are about the same teachers although their votes lie in different files.
  bool same_teachers = false;
};

/// Adds up what was done with the same teachers, one after the other.
///
/// RDP adds at each order, for every bound and reading that all parts with votes have; a part
/// without votes adds its data-independent RDP to each. Exact RDP adds by direction. The order is
/// then the best of the orders that the parts share (Mironov 2017, Proposition 1). Noisy steps add
/// as counts, so that the exact compositions of data-independent costs are those of one run with
/// all the steps. Published epsilons are added to the result, and their deltas (Dwork, Roth 2014,
/// Theorem 3.16). No sum is below that of the parts.
///
/// Throws `input_error`, naming the parts, for votes of different teachers (or, without
/// `same_teachers`, of different files), different deltas (without `delta`), orders that not all
/// have, a total delta of 1 or more; `parameter_error` for settings that fit no cost.
[[nodiscard]] Composition compose(std::span<const Part> parts, const ComposeSettings& settings);

}  // namespace pate
