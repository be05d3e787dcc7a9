#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "pate/composition/composition.hpp"

namespace pate {

/// RDP of all parts together at `orders`, under each bound that every part with votes has: each
/// curve is the sum of the parts', and is there if all of them have it. Parts without votes add
/// their data-independent RDP. Empty where no part has votes. Notes bounds that are left out.
[[nodiscard]] std::map<Bound, RdpCurves> summed_curves(std::span<const Part> parts,
                                                       std::span<const double> orders,
                                                       std::vector<Notice>& notices);

/// The same for exact RDP, each direction on its own; none unless all parts with votes have it.
[[nodiscard]] std::optional<ExactCurves> summed_exact_curves(std::span<const Part> parts,
                                                             std::span<const double> orders,
                                                             std::vector<Notice>& notices);

/// RDP of curves under a reading, by order; empty where the curves do not have it. `has_selection`:
/// whether a selection may refuse queries.
[[nodiscard]] std::vector<double> rdp_of(const RdpCurves& curves, Reading reading,
                                         bool has_selection);

}  // namespace pate
