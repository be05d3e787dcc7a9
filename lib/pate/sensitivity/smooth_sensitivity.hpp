#pragma once

#include "pate/sensitivity/local_sensitivity.hpp"

namespace pate {

/// The smooth sensitivity SS_beta = max over d of e^(-beta d) LS(d), where distances that were not
/// computed count with the bound of all: between votes and their neighbours it differs by a factor
/// e^beta at most. Source: Nissim, Raskhodnikova, Smith (2007), Definition 2.2.
/// Domain: beta >= 0.
struct SmoothSensitivity {
  double value = 0.0;
  bool at_end = false;  ///< the maximum is where distances were not computed
};
[[nodiscard]] SmoothSensitivity smooth_sensitivity(const LocalSensitivity& local, double beta);

}  // namespace pate
