#pragma once

#include "pate/accounting/account.hpp"
#include "pate/mechanisms/supports.hpp"

namespace pate {

/// What the costs of a run, or of votes that are there, are asked for with.
[[nodiscard]] Circumstances circumstances_of(const Run& run);
[[nodiscard]] Circumstances circumstances_of(const VoteSource& votes);

/// Throws `parameter_error` where a model that the settings name is not known with all this.
void require(const AccountSettings& settings, const Circumstances& circumstances);

}  // namespace pate
