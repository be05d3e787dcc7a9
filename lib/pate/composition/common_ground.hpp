#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pate/composition/part.hpp"

namespace pate {

// What parts must share in order to be added up. All throw `input_error` naming the parts.

/// The parts are about the same teachers: their number is the same everywhere, and so are their
/// votes (the file, or the selected counts) unless `same_teachers` vouches for them.
void check_same_teachers(std::span<const Part> parts, bool same_teachers);

/// The delta at which all parts tell their costs, or `given`; none where no part has one: nothing
/// is to be converted then.
[[nodiscard]] std::optional<double> common_delta(std::span<const Part> parts,
                                                 std::optional<double> given);

/// The orders at which all parts know their RDP; the common grid where none has curves. With
/// `given` these, which all must have.
[[nodiscard]] std::vector<double> common_orders(std::span<const Part> parts,
                                                const std::optional<std::vector<double>>& given);

}  // namespace pate
